package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What bench nodes --json prints, as its users read it.

type nodeMoving struct {
	Shards  int
	Bytes   float64
	Seconds float64
	Delayed float64
	Mean    float64 `json:"mean_seconds"`
}

type nodeHanded struct {
	Shards, Pages int
	Bytes         int64
	Log           int64 `json:"log_bytes"`
	Seconds       float64
	Late          float64 `json:"late_seconds"`
	Most          float64 `json:"late_seconds_most"`
	Open          float64 `json:"open_seconds"`
}

type benchNodes struct {
	Processors, Share, Shards, Servers int

	Load   [2]float64 `json:"load_average"`
	Shared string
	Nodes  []struct {
		Nodes            int
		Seconds, Scaling float64
		Visits           int64
		PerSecond        float64 `json:"visits_per_second"`
		CPU              float64 `json:"cpu_us_per_visit"`
		NATS             float64 `json:"nats_cpu_us_per_visit"`
		Log              float64 `json:"log_bytes_per_visit"`
		Parts            float64 `json:"log_parts_per_second"`
		Used             float64 `json:"share_used"`
	}
	Writes float64 `json:"writes_per_second"`
	Copies float64 `json:"copy_bytes_per_second"`
	Full   *struct {
		Nodes, Pages, Shards int
		Fill                 float64 `json:"fill_seconds"`
		FillEach             float64 `json:"fill_us_per_page"`
		Copy                 float64 `json:"copy_seconds"`
		CopyBytes            int64   `json:"copy_bytes"`
		Memory               []int64 `json:"memory_bytes"`
		Peak                 []int64 `json:"memory_peak_bytes"`
		NATSMemory           int64   `json:"nats_memory_bytes"`
		Seconds              float64
		PerSecond            float64 `json:"visits_per_second"`
		CPU                  float64 `json:"cpu_us_per_visit"`
		NATS                 float64 `json:"nats_cpu_us_per_visit"`
		Left, Killed         *nodeHanded
	}
	Costs *struct {
		Cores    int
		Memory   float64 `json:"memory_gb"`
		Disk     float64 `json:"disk_gb"`
		Network  float64 `json:"network_mb"`
		Interval float64 `json:"interval_days"`
		Fetch    float64 `json:"fetch_us"`
		PageRAM  float64 `json:"page_memory_bytes"`
		PageDisk float64 `json:"page_disk_bytes"`
		Open     float64 `json:"open_us"`
		Plan     float64 `json:"plan_us"`
		Log      float64 `json:"log_bytes"`
		Writes   float64 `json:"writes_per_second"`
		Copies   float64 `json:"copy_bytes_per_second"`
	}
	Simulated []struct {
		Nodes, Shards int
		Pages         int64
		Memory        float64 `json:"memory_bytes"`
		MemoryLess    float64 `json:"memory_bytes_less"`
		Disk          float64 `json:"disk_bytes"`
		DiskNATS      float64 `json:"disk_bytes_nats"`
		Wanted        float64 `json:"visits_wanted"`
		Most          float64 `json:"visits_most"`
		LogRate       float64 `json:"log_bytes_per_second"`
		Commits       float64 `json:"commits_per_second"`
		Beats         float64 `json:"beat_bytes_per_second"`
		Ledger        float64 `json:"ledger_seconds"`
		Lost, Joined  nodeMoving
		Breaks        []string
	}
	Limits []struct {
		Nodes  int
		Pages  int64
		Breaks string
	}
}

// Two nodes visit what nobody serves, and leave nothing behind.
func TestBenchNodes(t *testing.T) {
	t.Parallel() // it waits for three servers to elect
	dir, html := t.TempDir(), filepath.Join(t.TempDir(), "nodes.html")
	p := start(t, dir, []string{"TMPDIR=" + dir}, "bench", "nodes", "--most", "2", "--for", "1s",
		"--share", "0", "--servers", "20", "--shards", "4",
		"--simulate", "--html", html, "--json")
	if code := p.wait(); code != 0 {
		t.Fatalf("exit code %d: %s", code, p.result().stderr)
	}
	b := decode[benchNodes](t, p.result(), true)
	if len(b.Nodes) != 2 || len(b.Simulated) != 10 || len(b.Limits) != 5 || b.Costs == nil ||
		b.Costs.Cores != 16 || b.Writes <= 0 || b.Copies <= 0 {
		t.Fatalf("%+v", b)
	}
	for _, n := range b.Nodes {
		if n.Visits < 20 || n.PerSecond <= 0 || n.Seconds < 1 || n.Nodes == 2 &&
			(n.Log <= 0 || n.Parts <= 0) {
			t.Errorf("%+v", n)
		}
	}
	selfContained(t, html)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// With pages that are known from the beginning a node leaves, and its shards are visited at the
// other one.
func TestBenchNodesPages(t *testing.T) {
	t.Parallel()
	dir, html := t.TempDir(), filepath.Join(t.TempDir(), "nodes.html")
	p := start(t, dir, []string{"TMPDIR=" + dir}, "bench", "nodes", "--most", "2", "--for", "1s",
		"--share", "0", "--servers", "20", "--shards", "4",
		"--pages", "4001", "--copies", "1", "--html", html, "--json")
	if code := p.wait(); code != 0 {
		t.Fatalf("exit code %d: %s", code, p.result().stderr)
	}
	f := decode[benchNodes](t, p.result(), true).Full
	if f == nil || f.Left == nil || f.Killed != nil {
		t.Fatalf("%+v", f)
	}
	if f.Fill <= 0 || f.FillEach <= 0 || f.CopyBytes <= 0 || len(f.Memory) != 2 ||
		f.PerSecond <= 0 {
		t.Errorf("%+v", f)
	}
	if h := f.Left; h.Shards != 2 || h.Pages == 0 || h.Pages >= f.Pages || h.Bytes <= 0 ||
		h.Bytes >= f.CopyBytes || h.Most < h.Late || h.Seconds <= 0 ||
		h.Most > h.Seconds+f.Seconds+20 {
		t.Errorf("%+v", h)
	}
	if page, err := os.ReadFile(html); err != nil ||
		!strings.Contains(string(page), "Shards of a node that") {
		t.Errorf("the report: %d bytes, %v", len(page), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
