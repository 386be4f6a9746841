package core_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// What import --json and bench seen --json print, as their users read it.

type importRun struct {
	Lines, Bytes, Blank, Addresses int
	Elsewhere                      int `json:"of_other_parts"`
	Bad                            []struct {
		Kind     string
		Lines    int
		Examples []struct {
			Line int
			Text string
		}
	}
	BadLines int `json:"bad_lines"`
	New      int
	Repeats  int
	Mode     string
	CaughtUp int `json:"caught_up"`
	Seconds  float64
	CPU      float64 `json:"cpu_seconds"`
	Rate     float64 `json:"addresses_per_second"`
	Peak     int     `json:"peak_memory_bytes"`
	Parts    int     `json:"parts_memory_bytes"`
	Each     float64 `json:"memory_bytes_per_known_address"`
	Pipeline struct {
		Offered      int
		CacheHits    int `json:"cache_hits"`
		FilterHits   int `json:"filter_hits"`
		Exempt       int
		Waited       int
		Missed       int
		Confirmed    int
		Rescued      int
		New          int
		WaitSeconds  float64 `json:"wait_seconds"`
		DoubtSeconds float64 `json:"doubt_seconds"`
	}
	Set struct {
		Asked   int
		Blocks  int `json:"blocks_read"`
		Written int `json:"keys_written"`
		Merges  int
		Runs    int
		Keys    int
		Disk    int `json:"disk_bytes"`
		Memory  int `json:"memory_bytes"`
	}
	Sizes struct {
		Cache    int `json:"cache_entries"`
		Counters int `json:"filter_counters"`
		Buffer   int `json:"buffer_keys"`
	}
	Curve []struct {
		Lines, New int
		Seconds    float64
		Memory     int `json:"memory_bytes"`
	}
}

// TestImport imports a list twice, with bad lines, and lets run visit the new pages.
func TestImport(t *testing.T) {
	t.Parallel()
	lab := serve(t, library(shelves{servers: 2, sections: 2, pages: 3, days: 1, every: still}))
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	starts := lab.starts()
	list := writeFile(t, filepath.Join(dir, "urls.txt"), strings.Join([]string{
		starts[0], starts[1] + "#top", "", "not an address", starts[0], "mailto:ops@example.org",
		"http://a.example/" + strings.Repeat("x", 2<<20), "http://a.example/\xff\xfe",
		"http://127.0.0.1:1/"}, "\n"))
	html := filepath.Join(dir, "import.html")
	first := recrawl(t, "import", "--data", data, "--memory", "4MiB", "--html", html, list).ok(t)
	for _, want := range []string{"3 new pages, 1 known or repeated; 4 lines left out.\n",
		"no whole web address", "too long", "not UTF-8", "not http or https", "report: "} {
		if !strings.Contains(first.stdout, want) {
			t.Errorf("no %q in\n%s", want, first.stdout)
		}
	}
	if strings.Contains(first.stdout, "memory") {
		t.Errorf("how it was done is printed without --verbose:\n%s", first.stdout)
	}
	if r := recrawl(t, "import", "--set", filepath.Join(dir, "verbose"), "--verbose",
		list).ok(t); !strings.Contains(r.stdout, "3 new of 4 addresses in 9 lines") ||
		!strings.Contains(r.stdout, "the cache had it") {
		t.Errorf("with --verbose:\n%s", r.stdout)
	}
	if r := recrawl(t, "import", "--set", filepath.Join(dir, "one"), writeFile(t,
		filepath.Join(dir, "one.txt"), starts[0])).ok(t); r.stdout != "1 new address.\n" {
		t.Errorf("one address: %q", r.stdout)
	}
	selfContained(t, html)
	r := decode[importRun](t, recrawl(t, "import", "--data", data, "--memory", "4MiB", "--json",
		list).ok(t), true)
	if r.New != 0 || r.Repeats != 4 || r.BadLines != 4 || r.Blank != 1 || r.Set.Keys != 3 ||
		r.Mode != "exact" || len(r.Curve) == 0 || r.Peak == 0 || r.Parts > 4<<20 {
		t.Errorf("the second time: %+v", r)
	}
	run := decode[map[string]any](t, recrawl(t, "run", "--data", data, "--user-agent", contact,
		"--allow-private", "--delay", "1ms", "--rounds", "1", "--unlimited", "--quiet",
		"--json").exit(t, 3), false)
	if first := run["first"].(float64); int(first) != 2*(2+2*4) {
		t.Errorf("run visited %v pages for the first time, of all that the two servers have", first)
	}
	// The next import knows the pages that run has found.
	r = decode[importRun](t, recrawl(t, "import", "--data", data, "--json",
		writeFile(t, filepath.Join(dir, "found.txt"), starts[0]+"s0/p0.html\n")).ok(t), true)
	found := r.CaughtUp
	if r.New != 0 || found < 2*(2+2*4)-2 {
		t.Errorf("after run: %d new, %d caught up", r.New, r.CaughtUp)
	}
	if c := recrawl(t, "check", "--data", data).ok(t); !strings.Contains(c.stdout,
		fmt.Sprintf("addresses seen: %d fingerprints in ", 3+found)) ||
		!strings.Contains(c.stdout, "all is whole") {
		t.Errorf("check: %s", c.stdout)
	}
	runs, err := filepath.Glob(filepath.Join(data, "seen", "run-*"))
	if err != nil || len(runs) == 0 {
		t.Fatal(runs, err)
	}
	damage(t, runs[0])
	if c := recrawl(t, "check", "--data", data).exit(t, 4); !strings.Contains(c.stdout,
		runs[0]+": damaged at byte 0") {
		t.Errorf("check of a damaged set: %s", c.stdout)
	}
	if c := recrawl(t, "import", "--data", data, list).exit(t, 4); !strings.Contains(c.stderr,
		runs[0]) || !strings.Contains(c.stderr, "remove the directory seen/") {
		t.Errorf("import with a damaged set: %s", c.stderr)
	}
	if err := os.RemoveAll(filepath.Join(data, "seen")); err != nil {
		t.Fatal(err)
	}
	r = decode[importRun](t, recrawl(t, "import", "--data", data, "--json", list).ok(t), true)
	if r.New != 0 || r.CaughtUp != 3+found {
		t.Errorf("the set made anew: %d new, %d caught up", r.New, r.CaughtUp)
	}
}

func damage(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[3] ^= 1
	writeFile(t, path, string(b))
}

// TestImportKilled kills an import repeatedly, also during commits and merges. When it is
// completed, every URL is there once.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	kills, distinct := 5, 60_000
	if long() {
		kills, distinct = 40, 1_000_000
	}
	dir := t.TempDir()
	var text strings.Builder
	for i := range 2 * distinct {
		fmt.Fprintf(&text, "http://h%d.example/page/%d\n", i%distinct%997, i%distinct)
	}
	list := writeFile(t, filepath.Join(dir, "urls.txt"), text.String())
	for _, to := range []string{"--data", "--set"} {
		into := filepath.Join(dir, to[2:])
		args := []string{"import", to, into, "--memory", "4MiB", "--quiet", "--json", list}
		random := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
		for range kills {
			p := start(t, dir, nil, args...)
			time.Sleep(time.Duration(random.Int64N(int64(700 * time.Millisecond))))
			_ = p.cmd.Process.Kill() // it may have ended
			p.wait()
		}
		r := decode[importRun](t, recrawl(t, args...).ok(t), true)
		if r.Set.Keys != distinct {
			t.Errorf("%s: %d addresses known, want %d", to, r.Set.Keys, distinct)
		}
		t.Logf("%s: after %d kills %d were still new, %d caught up", to, kills, r.New, r.CaughtUp)
		if r = decode[importRun](t, recrawl(t, args...).ok(t), true); r.New != 0 {
			t.Errorf("%s: the next time %d are new", to, r.New)
		}
		if to == "--data" {
			if c := recrawl(t, "check", "--data", into).ok(t); !strings.Contains(c.stdout,
				fmt.Sprintf("%d pages, %d records", distinct, distinct)) {
				t.Errorf("check: %s", c.stdout)
			}
		}
	}
}

type benchSeen struct {
	Hosts, Reached, Lookups int
	Seed                    int
	Repeats                 float64
	Points                  []struct {
		Line            string
		Size, Bytes     int
		Paper           float64 `json:"bytes_as_in_paper"`
		Hits            float64 `json:"hit_rate"`
		All             float64 `json:"hit_rate_with_false_positives"`
		CacheHits       int     `json:"cache_hits"`
		FilterHits      int     `json:"filter_hits"`
		FalsePositives  int     `json:"false_positives"`
		FalseNegatives  int     `json:"false_negatives"`
		AtRest          int     `json:"new_hosts_at_rest"`
		PositiveRate    float64 `json:"false_positive_rate"`
		PositiveFormula float64 `json:"false_positive_formula"`
		NegativeRate    float64 `json:"false_negative_rate"`
		NegativeFormula float64 `json:"false_negative_formula"`
		LRUEntries      float64 `json:"lru_entries_at_equal_hits"`
		LRUBytes        float64 `json:"lru_bytes_at_equal_hits"`
		Saved           float64
		LRUBytesPaper   float64 `json:"lru_bytes_at_equal_hits_as_in_paper"`
		SavedPaper      float64 `json:"saved_as_in_paper"`
	}
	Speeds []struct {
		Method   string
		Counters int
		Lowered  int
		PerCall  int     `json:"lowered_by_one_insertion"`
		Nanos    float64 `json:"ns_each"`
		Ratio    float64 `json:"times_faster"`
		Whole    float64 `json:"seconds_for_2e9"`
		Paper    float64 `json:"seconds_in_paper"`
	}
	Designs []struct {
		Design                    string
		Exact                     bool
		Lookups, New, Lost, Again int
		CPU                       float64 `json:"cpu_us"`
		Wall                      float64 `json:"us"`
		Memory                    int     `json:"memory_bytes"`
		Each                      float64 `json:"memory_bytes_by_host"`
		Disk                      int     `json:"disk_bytes"`
		Formula                   float64 `json:"false_positives_by_formula"`
	}
	Claims  []benchClaim
	Seconds float64
	CPU     float64 `json:"cpu_seconds"`
	Peak    int     `json:"peak_memory_bytes"`
}

// TestBenchSeen measures a small graph and leaves nothing behind.
func TestBenchSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	html := filepath.Join(t.TempDir(), "seen.html")
	small := []string{"bench", "seen", "--hosts", "20000", "--designs", "20000", "--lowered",
		"10000", "--counters", "65536", "--dir", dir}
	text := recrawl(t, append(small, "--wide", "--html", html)...).ok(t)
	for _, want := range []string{"LRU + SBFL, k = 8", "[SBFL table 1]", "Pebble, batches",
		"counting Bloom over a window", "Most saved, as in the paper", "report: " + html} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("no %q in\n%s", want, text.stdout)
		}
	}
	selfContained(t, html)
	b := decode[benchSeen](t, recrawl(t, append(small, "--json")...).ok(t), true)
	if b.Hosts != 20_000 || b.Seed != 1 || b.Repeats < 0.8 || len(b.Points) < 50 ||
		len(b.Speeds) != 5 || len(b.Designs) != 11 {
		t.Errorf("%+v", b)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestImportAndRunKilled kills imports and runs of one directory in turn. Afterwards it has the
// same pages as a directory without kills, each once, and the set agrees with them.
func TestImportAndRunKilled(t *testing.T) {
	t.Parallel()
	kills := 8
	if long() {
		kills = 80
	}
	s := shelves{servers: 2, sections: 3, pages: 12, days: 1, every: still}
	lab := serve(t, library(s))
	dir := t.TempDir()
	var urls strings.Builder
	for i, start := range lab.starts() {
		for page := range s.pages * s.sections {
			if page%3 != i { // run finds the others
				fmt.Fprintf(&urls, "%ss%d/p%d.html\n%s\n", start, page%s.sections, page/s.sections,
					start)
			}
		}
	}
	list := writeFile(t, filepath.Join(dir, "urls.txt"), urls.String())
	commands := func(data string) [][]string {
		return [][]string{{"import", "--data", data, "--memory", "4MiB", "--quiet", "--json", list},
			append([]string{"run", "--data", data, "--user-agent", contact, "--allow-private",
				"--delay", "1ms", "--rounds", "1", "--unlimited", "--quiet", "--json"},
				lab.starts()...)}
	}
	finish := func(data string) []string {
		t.Helper()
		c := commands(data)
		recrawl(t, c[0]...).ok(t)
		recrawl(t, c[1]...).ok(t)
		if r := decode[importRun](t, recrawl(t, c[0]...).ok(t), true); r.New != 0 {
			t.Errorf("%s: %d addresses are new again", data, r.New)
		}
		recrawl(t, "check", "--data", data).ok(t)
		return addressesOf(t, data)
	}
	want := finish(filepath.Join(dir, "whole"))
	data := filepath.Join(dir, "killed")
	random := rand.New(rand.NewPCG(uint64(os.Getpid()), 2))
	for i := range kills {
		p := start(t, dir, nil, commands(data)[i%2]...)
		time.Sleep(time.Duration(random.Int64N(int64(400 * time.Millisecond))))
		_ = p.cmd.Process.Kill() // it may have ended
		p.wait()
	}
	if got := finish(data); !slices.Equal(got, want) {
		t.Errorf("%d pages after %d kills, want %d", len(got), kills, len(want))
	}
}

// addressesOf returns the URLs of a store in order, without duplicates.
func addressesOf(t *testing.T, data string) (urls []string) {
	t.Helper()
	store, err := satstore.Open(data, satstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	err = store.Addresses(0, func(_ sitegraph.PageID, url []byte) error {
		urls = append(urls, string(url))
		return nil
	})
	slices.Sort(urls)
	if n := len(urls); err != nil || len(slices.Compact(slices.Clone(urls))) != n {
		t.Fatalf("%s: %d addresses, some of them twice, or %v", data, n, err)
	}
	return urls
}
