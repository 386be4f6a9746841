package crawl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// Two workers are too few for 40 servers of which some answer slowly. The loop reports it, and asks
// servers with short downloads first. Its observations are kept.
func TestScarceWorkers(t *testing.T) {
	var told []crawl.Dispatch
	o := crawl.Options{Workers: 2, Dispatched: func(d crawl.Dispatch) { told = append(told, d) }}
	concurrently(t, 40, 30, time.Second, o, func(m *rig, g *gate) {
		g.takes = func() time.Duration {
			if strings.HasPrefix(g.server, "s1") {
				return 4 * time.Second
			}
			return time.Second / 2
		}
		if _, err := m.roundOf(m.Context(), 24*time.Hour, planner.Unlimited); err != nil {
			m.Fatal(err) // all pages are known and due again
		}
		time.Sleep(48 * time.Hour)
		told, m.web.fetched = nil, nil
		if _, err := m.roundOf(m.Context(), 5*time.Minute, planner.Unlimited); err != nil {
			m.Fatal(err)
		}
		if len(told) == 0 || !told[0].Scarce || told[0].Need <= 2 || told[0].Workers != 2 {
			m.Fatalf("told %+v", told)
		}
		visits := map[bool]int{}
		for _, url := range m.web.take() {
			visits[strings.HasPrefix(sitegraph.ServerName(url), "s1")]++
		}
		// 11 of 40 servers are slow. In turns they would get 11/40 of the visits.
		if share := float64(visits[true]) / float64(visits[true]+visits[false]); share > 0.15 {
			m.Errorf("%d of the visits to slow servers, %d to others", visits[true], visits[false])
		}
		kept, err := crawl.RecallTimes(m.disk.Setting, "s1.example")
		if err != nil || kept.Mean < 3900 || kept.Mean > 4100 || kept.Count == 0 {
			m.Errorf("kept of s1.example: %+v, %v", kept, err)
		}
	})
}

// A batch whose speed collapses is cut off [NICT 3.6]. Returned visits are still made, once.
func TestBatchCutOff(t *testing.T) {
	cut := 0
	o := crawl.Options{Workers: 8, Batch: 60, Dispatched: func(d crawl.Dispatch) {
		cut += d.CutOff
	}}
	concurrently(t, 6, 100, time.Second, o, func(m *rig, g *gate) {
		began := time.Now()
		g.takes = func() time.Duration {
			if time.Since(began) > 25*time.Second {
				return 50 * time.Second
			}
			return 10 * time.Millisecond
		}
		const budget = 500 // of 600 pages, so that visits are chosen far ahead
		if _, err := m.roundOf(m.Context(), 4*time.Hour, budget); err != nil {
			m.Fatal(err)
		}
		visited := map[string]bool{}
		for _, url := range m.web.take() {
			if visited[url] {
				m.Errorf("%s is visited twice", url)
			}
			visited[url] = true
		}
		if len(visited) != budget || cut == 0 {
			m.Errorf("%d pages visited of a budget of %d; %d given back", len(visited), budget, cut)
		}
	})
}
