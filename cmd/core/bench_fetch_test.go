package core_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What bench fetch --json prints, as its users read it.

type benchRatio struct{ Median, From, To float64 }

type benchFetch struct {
	Servers, Pages, Rounds, Parallel, Processors int

	PageBytes float64    `json:"page_bytes"`
	GzipBytes float64    `json:"page_bytes_gzip"`
	Load      [2]float64 `json:"load_average"`
	Clients   []struct {
		Client, About string
		CPU           float64    `json:"cpu_us_per_page"`
		ToRaw         benchRatio `json:"to_raw"`
		ToColly       benchRatio `json:"to_colly"`
		Pages         float64    `json:"pages_per_second"`
		Peak          int64      `json:"peak_memory_bytes"`
		Server        float64    `json:"server_cpu_us_per_page"`
		Requests      int64
		Runs          []struct {
			Seconds float64
			CPU     float64 `json:"cpu_seconds"`
			Peak    int64   `json:"peak_memory_bytes"`
			Served  struct {
				Pages, Distinct, Unmodified, Robots, Other, Connections int64

				Most int64   `json:"most_at_once"`
				CPU  float64 `json:"cpu_seconds"`
			}
		}
	}
	Requirements []struct {
		Of, To string
		Ratio  benchRatio
		Most   float64
		Met    bool
	}
	InFlight *struct {
		Wanted  int
		Reached int64 `json:"in_flight"`
		Known   int   `json:"known_servers"`
		Visits  int64
		Seconds float64
		Peak    int64 `json:"peak_memory_bytes"`
		Most    int64 `json:"most_memory_bytes"`
		Met     bool
	} `json:"in_flight"`
}

// TestBenchFetch lets each client fetch a few pages, and checks that no file remains.
func TestBenchFetch(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("127.0.0.0/8 has its addresses on Linux only")
	}
	t.Parallel() // it waits for periods to begin
	dir, html := t.TempDir(), filepath.Join(t.TempDir(), "fetch.html")
	r := recrawl(t, "bench", "fetch", "--servers", "3", "--pages", "4", "--rounds", "1", "--dir",
		dir, "--html", html, "--json").ok(t)
	b := decode[benchFetch](t, r, true)
	if b.Servers != 3 || b.Pages != 12 || b.Rounds != 1 || b.PageBytes < 20_000 ||
		b.GzipBytes > 8_000 || b.InFlight != nil {
		t.Errorf("%+v", b)
	}
	for _, c := range b.Clients {
		served := c.Runs[0].Served
		full, unmodified := int64(12), int64(0)
		if strings.HasSuffix(c.Client, "-304") {
			full, unmodified = 0, full
		}
		if served.Pages != full || served.Unmodified != unmodified || served.Distinct != 12 ||
			c.CPU <= 0 || c.ToRaw.Median <= 0 || c.Pages <= 0 {
			t.Errorf("%+v", c)
		}
	}
	if len(b.Clients) != 10 || len(b.Requirements) != 7 {
		t.Errorf("%d clients, %d requirements", len(b.Clients), len(b.Requirements))
	}
	selfContained(t, html)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
