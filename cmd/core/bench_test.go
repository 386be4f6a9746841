package core_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/bench"
)

// What bench sat --json prints, as its users read it.

type benchRun struct {
	LoadSeconds    float64 `json:"load_seconds"`
	Beside, Settle benchSpent
	Owed           int64 `json:"owed_bytes"`
	Memory         int64 `json:"memory_bytes"`
	MemoryEnd      int64 `json:"memory_end_bytes"`
	Disk           int64 `json:"disk_bytes"`
	Files          int
	Units          []struct {
		T, Due  int
		Seconds float64
		Visit   float64 `json:"visit_seconds"`
		Commit  float64 `json:"commit_seconds"`
		Sync    float64 `json:"sync_seconds"`
		CPU     float64 `json:"cpu_seconds"`
		Read    int64   `json:"read_bytes"`
		Written int64   `json:"written_bytes"`
		Reads   int64   `json:"read_requests"`
		Writes  int64   `json:"write_requests"`
		Cached  float64 `json:"cached_share"`
	}
}

type benchSpent struct {
	Seconds float64
	CPU     float64 `json:"cpu_seconds"`
	Read    int64   `json:"read_bytes"`
	Written int64   `json:"written_bytes"`
}

type benchEngine struct {
	Engine, About string
	Ratio         struct{ Median, From, To float64 }
	Micros        float64 `json:"us_per_record"`
	Median        float64 `json:"median_unit_us"`
	Slowest       float64 `json:"slowest_unit_us"`
	CPU           float64 `json:"cpu_us_per_record"`
	LaterCPU      float64 `json:"later_cpu_us_per_record"`
	LaterMicros   float64 `json:"later_us_per_record"`
	Payload       float64 `json:"payload_mb_per_second"`
	Read          float64 `json:"read_amplification"`
	Written       float64 `json:"write_amplification"`
	InUnits       float64 `json:"write_amplification_in_units"`
	Reads         float64 `json:"reads_per_record"`
	Writes        float64 `json:"writes_per_record"`
	Cached        float64 `json:"cached_share"`
	Memory        int64   `json:"memory_bytes"`
	MemoryEnd     int64   `json:"memory_end_bytes"`
	MemoryRecord  float64 `json:"memory_end_bytes_per_record"`
	Disk          int64   `json:"disk_bytes"`
	Files         int
	Runs          []benchRun
}

// benchClaim is a statement of a paper with its measurement.
type benchClaim struct {
	Claim, Source, Verdict string
	Fitted                 bool
	Found                  []struct {
		Comparison, Wanted, Verdict string
		Value                       float64
		Interval                    [2]float64
	}
}

type benchSat struct {
	Records, Units int
	Unit           string
	MaxUnits       int `json:"max_units"`
	FixedBytes     int `json:"fixed_bytes"`
	BufferBytes    int `json:"buffer_bytes"`
	PageBytes      int `json:"page_bytes"`
	Messages       float64
	Repeat, Due    int
	Golden         bool
	PayloadBytes   int64      `json:"payload_bytes"`
	LoadAverage    [2]float64 `json:"load_average"`
	Disk           struct {
		Bytes  int64
		Direct bool
		Write  float64 `json:"write_bytes_per_second"`
		Read   float64 `json:"read_bytes_per_second"`
		Mixed  float64 `json:"mixed_bytes_per_second"`
	}
	Engines []benchEngine
	LeftOut []string `json:"left_out"`
	Claims  []benchClaim
	Figures []struct {
		Figure, Title, Note string

		XLabel string `json:"x_label"`
		YLabel string `json:"y_label"`
		X      []string
		Lines  []struct {
			Name   string
			Y      []float64
			Dashed bool
		}
		Deadline float64 `json:"deadline_us"`
	}
}

// TestBenchSat measures a small store, with and without requests, and checks that no file remains.
func TestBenchSat(t *testing.T) {
	t.Parallel() // it waits for the disk
	dir := t.TempDir()
	small := []string{"bench", "sat", "--records", "1500", "--units", "4", "--repeat", "2", "--dir",
		dir, "--disk", "4MiB", "--buffer", "64KiB"}
	html := filepath.Join(t.TempDir(), "bench.html")
	text := recrawl(t, append(small, "--wide", "--max-units", "48", "--html", html)...).ok(t)
	for _, want := range []string{"x floor", "seqlog  ", "sat-naive ", "pebble-time ", "bbolt-id ",
		"load average", "MB/s each", "later CPU us", "put off", "bytes a record", "A small run",
		"in the page cache when a unit began", "report: " + html, "bbolt-ro ", "requests",
		"SAT/Naive takes about 10 times as long as SAT", "us of sat - sat-basic"} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("no %q in\n%s", want, text.stdout)
		}
	}
	selfContained(t, html)
	b := decode[benchSat](t,
		recrawl(t, append(small, "--unit", "day", "--messages", "0.5", "--engines",
			"sat,sat-basic,runs,pebble-id,bbolt-id", "--json")...).ok(t), true)
	if b.Records != 1500 || b.Unit != "day" || b.Units != 4 || b.MaxUnits != 400 ||
		b.FixedBytes != 100 || b.BufferBytes != 64<<10 || b.PageBytes != 4096 ||
		b.Repeat != 2 || b.Due < 500 || b.Golden ||
		!slices.Equal(b.LeftOut, []string{"sat-basic"}) {
		t.Errorf("%+v", b)
	}
	if len(b.Engines) != 4 || b.Engines[0].Engine != "sat" || b.Engines[0].Ratio.Median != 1 ||
		len(b.Engines[1].Runs) != 2 || len(b.Engines[1].Runs[1].Units) != 4 {
		t.Errorf("engines %+v", b.Engines)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestBenchHelp checks that the help names what readers of a result need.
func TestBenchHelp(t *testing.T) {
	r := recrawl(t, "bench", "sat", "--help").ok(t)
	for _, k := range bench.Kinds {
		line := k.Name + " " + k.About
		if !strings.Contains(strings.Join(strings.Fields(r.stdout), " "), line) {
			t.Errorf("%q is not in the help", line)
		}
	}
	for _, word := range []string{"x floor", "load average", "17,500,000", "us_per_record",
		"--messages", "--figures"} {
		if !strings.Contains(r.stdout, word) {
			t.Errorf("%q is not in the help", word)
		}
	}
}

// TestBenchFigures draws all figures, too small to have a meaning.
func TestBenchFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("90 short runs")
	}
	t.Parallel() // it waits for the disk, or for memory if there is such a file system
	dir, err := os.MkdirTemp("/dev/shm", "recrawl-bench-")
	if err != nil {
		dir = t.TempDir()
	}
	defer os.RemoveAll(dir)
	html := filepath.Join(t.TempDir(), "bench.html")
	b := decode[benchSat](t, recrawl(t, "bench", "sat", "--records", "500", "--units", "2",
		"--repeat", "1", "--disk", "0", "--dir", dir,
		"--engines", "seqlog,sat", "--figures", "--figure-records", "200", "--html", html,
		"--json").ok(t), true)
	var numbers []string
	for _, f := range b.Figures {
		numbers = append(numbers, f.Figure)
		if !strings.Contains(f.Note, "200 records") ||
			(f.Deadline > 0) != (f.Figure == "7" || f.Figure == "8") {
			t.Errorf("figure %s: %q, deadline %v", f.Figure, f.Note, f.Deadline)
		}
		for _, l := range f.Lines {
			if len(l.Y) != len(f.X) || slices.Min(l.Y) <= 0 {
				t.Errorf("figure %s, %s: %v over %v", f.Figure, l.Name, l.Y, f.X)
			}
		}
	}
	if !slices.Equal(numbers, []string{"5", "10", "7", "8", "9", "requests"}) {
		t.Errorf("figures %v", numbers)
	}
	selfContained(t, html)
	// Figures 5, 7 to 9 and the requests are judged: at least ten numbers, each with a verdict.
	found := 0
	for _, c := range b.Claims {
		found += len(c.Found)
		for _, one := range c.Found {
			if one.Verdict == "" || one.Wanted == "" || one.Interval[0] > one.Value ||
				one.Value > one.Interval[1] {
				t.Errorf("%s: %+v", c.Claim, one)
			}
		}
	}
	if len(b.Claims) < 6 || found < 10 {
		t.Errorf("%d claims with %d numbers: %+v", len(b.Claims), found, b.Claims)
	}
}

// TestBenchInterrupt stops in the middle, and checks that no file remains.
func TestBenchInterrupt(t *testing.T) {
	dir := t.TempDir()
	p := start(t, t.TempDir(), nil, "bench", "sat", "--records", "300000", "--dir", dir)
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it does not begin")
		}
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(); code != 130 || p.stdout.Len() > 0 {
		t.Errorf("exit code %d, printed %q, %s", code, &p.stdout, &p.stderr)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
