package crawl_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

var private = sitegraph.Denial{By: sitegraph.DeniedByAddress, What: "127.0.0.1"}

// denyAll makes the user's settings refuse the pages of a fake web, or allow them.
func (w *web) denyAll(by sitegraph.Denial) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for url, p := range w.pages {
		p.denied = by
		w.pages[url] = p
	}
}

// A page that a setting refuses keeps its state, uses no budget and is tried once a day. A process
// whose settings allow it visits it at once, with or without a copy.
func TestDeniedPagesAreHeld(t *testing.T) {
	for _, workers := range []int{1, 4} {
		for _, policy := range []string{"sites", "interval", "uniform", "a"} {
			t.Run(fmt.Sprint(policy, " ", workers), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					pages, starts := farm(2, 3)
					w, d := newWeb(pages), newDisk()
					w.clock = crawl.WallClock{}
					time.Sleep(time.Until(time.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)))
					live := func(rounds int) *rig {
						m := newRig(t, w, d, policy, crawl.Options{Workers: workers, Proof: true,
							Forecast: true})
						m.runLimited(8, 6*time.Hour, rounds) // two visits a round
						return m
					}
					m := newRig(t, w, d, policy, crawl.Options{Workers: workers})
					m.seed(starts...)
					live(2) // the start pages and two pages below
					before := slices.Clone(d.Records())
					w.denyAll(private)
					w.take()
					m = live(6)
					tried := map[string]int{}
					for _, url := range w.take() {
						tried[url]++
					}
					for url, n := range tried {
						if n > 2 { // the rounds last a day and a half
							t.Errorf("%s was tried %d times", url, n)
						}
					}
					if len(tried) != 6 || len(m.seen) > 0 {
						t.Errorf("%d pages were tried, want 6; outcomes %v", len(tried), m.seen)
					}
					if _, _, used := m.loop.Used(); used != 0 {
						t.Errorf("%d visits of the budget are used", used)
					}
					for i, r := range d.Records() {
						if r.State != before[i].State || r.Errors != 0 || r.Misses != 0 ||
							!r.Tried.Equal(before[i].Tried) || r.History != before[i].History {
							t.Errorf("%s was %+v, and is %+v", r.URL, before[i], r)
						}
						if !strings.HasPrefix(r.Reason, crawl.NotAsked) {
							t.Errorf("%s: reason %q", r.URL, r.Reason)
						}
					}
					want := []planner.Denied{{Denial: private, Pages: 6}}
					if got := m.pages.Denied(); !slices.Equal(got, want) {
						t.Errorf("denied %v, want %v", got, want)
					}
					w.denyAll(sitegraph.Denial{})
					m = live(4)
					if got := len(slices.Compact(sorted(w.take()))); got != 6 {
						t.Errorf("with settings that allow them %d pages were visited, want 6", got)
					}
					if got := m.pages.Denied(); len(got) > 0 {
						t.Errorf("denied %v, want none", got)
					}
				})
			})
		}
	}
}

// Pages excluded by an earlier version, or under another name for robots.txt, are visited at once.
// Answers of servers stay valid.
func TestExcludedByEarlierSettings(t *testing.T) {
	const agent = "robots-agent"
	for _, c := range []struct {
		name   string
		record sitegraph.Record
		agent  string // the name in the store
		again  bool
	}{
		{"refused address", sitegraph.Record{State: sitegraph.StateExcluded, Misses: 2}, "bot",
			true},
		{"refused address of a copy", sitegraph.Record{State: sitegraph.StateAlive, Misses: 2,
			Missed: sitegraph.OutcomeExcluded}, "bot", true},
		{"403", sitegraph.Record{State: sitegraph.StateExcluded, Misses: 1, Status: 403}, "bot",
			false},
		{"robots.txt", sitegraph.Record{State: sitegraph.StateExcluded, Misses: 1, ByRobots: true},
			"bot", false},
		{"robots.txt of an unknown name", sitegraph.Record{State: sitegraph.StateExcluded,
			Misses: 1, ByRobots: true}, "", false},
		{"robots.txt of another name", sitegraph.Record{State: sitegraph.StateExcluded, Misses: 1,
			ByRobots: true}, "old", true},
		{"robots.txt of another name, and a copy", sitegraph.Record{State: sitegraph.StateAlive,
			Misses: 3, Missed: sitegraph.OutcomeExcluded, ByRobots: true}, "old", true},
		{"filter", sitegraph.Record{State: sitegraph.StateExcluded, Misses: 1, Status: 200,
			ByFilter: true}, "bot", false},
	} {
		pages, starts := farm(1, 2)
		w, d := newWeb(pages), newDisk()
		m := newRig(t, w, d, "uniform", crawl.Options{})
		m.seed(starts...)
		m.runLimited(planner.Unlimited, time.Hour, 2)
		if err := w.clock.SleepUntil(t.Context(), w.clock.Now().Add(3*time.Hour)); err != nil {
			t.Fatal(err)
		}
		r := d.Records()[1]
		w.take()
		c.record.Page, c.record.URL, c.record.History = r.Page, r.URL, r.History
		c.record.Tried, c.record.Due = w.clock.Now(), w.clock.Now().Add(planner.Day)
		if err := d.MemoryStore.Save(&c.record); err != nil {
			t.Fatal(err)
		}
		// an earlier version has no list of refused pages
		old := newDisk()
		for _, r := range d.Records() {
			if err := old.MemoryStore.Add(&r); err != nil {
				t.Fatal(err)
			}
		}
		old.links, old.starts = d.links, d.starts
		if c.agent != "" {
			if err := old.SaveSetting(agent, []byte(c.agent)); err != nil {
				t.Fatal(err)
			}
		}
		m = newRig(t, w, old, "uniform", crawl.Options{Agent: "bot", Proof: true})
		m.runLimited(planner.Unlimited, time.Hour, 1)
		if again := slices.Contains(w.take(), r.URL); again != c.again {
			t.Errorf("%s: visited again %v, want %v", c.name, again, c.again)
		}
	}
}
