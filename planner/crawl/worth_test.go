package crawl_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// shop is a server of pages linked from the first one. Each changes once in every hours; 0: none
// does.
type shop struct {
	clock crawl.Clock
	pages int
	every int
}

func (s *shop) Fetch(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
	o := sitegraph.Observation{URL: r.Record.URL, Time: s.clock.Now(),
		Outcome: sitegraph.OutcomeFetched, Status: 200, LinksKnown: true, FramesKnown: true}
	version := 0
	if s.every > 0 {
		version = (int(o.Time.Sub(base)/time.Hour) +
			int(chance(r.Record.URL)>>9%uint64(s.every))) / s.every
	}
	o.Digests.Bytes = sitegraph.DigestOf(fmt.Append(nil, r.Record.URL, version))
	if r.Record.URL == "http://h.example/" {
		for i := range s.pages {
			o.Links = append(o.Links, fmt.Sprintf("http://h.example/c%d/p%d", i%10, i))
		}
	}
	return o, nil
}

const shopBudget = 140 // an hour

// open returns a crawl of the shop, like run makes it.
func (s *shop) open(t *testing.T, name string, o planner.Options, seen func(*crawl.Event)) *rig {
	t.Helper()
	s.clock = crawl.NewVirtualClock(base)
	d := newDisk()
	m := &rig{T: t, disk: d, clock: s.clock, pages: d.restore()}
	p, err := policy.New(name, policy.Settings{Pages: m.pages, Mode: planner.Stream, Seed: 1,
		PerDay: 24 * shopBudget})
	if err != nil {
		t.Fatal(err)
	}
	o.NewShare, o.SourceShare, o.AgainShare, o.Leftover, o.Turns, o.LeastRefetch = 0.25, 0.1, 0.05,
		true, true, planner.FirstWorth
	m.plan = planner.New(m.pages, p, o)
	m.loop = crawl.New(crawl.Options{Planner: m.plan, Fetcher: s, Store: d, Clock: s.clock,
		Discover: true, Proof: true, Forecast: true, Seen: seen})
	m.seed("http://h.example/")
	return m
}

// A crawl knows far more new pages than its budget covers. While meeting a page is worth more than
// a refetch finds, new pages get all but one in twenty visits: if nothing changes, and if a copy of
// an hour ago has changed with probability 0.1. If each such copy has changed, new pages get a
// share.
func TestNewPagesByWorth(t *testing.T) {
	for _, name := range []string{"sites", "ebayes", "interval"} {
		for _, c := range []struct{ every, least, most int }{{0, 125, 140}, {10, 125, 140},
			{1, 0, 35}} {
			if name != "sites" && c.every > 0 { // these learn the rates more slowly
				continue
			}
			first := 0
			s := &shop{pages: 10000, every: c.every}
			m := s.open(t, name, planner.Options{}, func(e *crawl.Event) {
				if e.Visit.First {
					first++
				}
			})
			m.rounds(4, time.Hour, shopBudget)
			first = 0
			m.rounds(3, time.Hour, shopBudget)
			if first < 3*c.least || first > 3*c.most {
				t.Errorf("%s, where pages change each %d hours: %d of %d visits are to new "+
					"pages, want %d to %d", name, c.every, first, 3*shopBudget, 3*c.least, 3*c.most)
			}
		}
	}
}

// No policy that knows the worth of visits makes one below the least value, and the rest of the
// budget stays unused. Other policies ignore the least value.
func TestLeastValue(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	for _, name := range policy.Names() {
		if policy.Reference(name) || strings.HasPrefix(name, "sites-") && name != "sites-for-age" ||
			testing.Short() && name != "sites" {
			continue
		}
		const least = 0.2
		gives := policy.GivesWorth(name)
		made, told := 0, false
		s := &shop{pages: 1500, every: 400}
		o := planner.Options{LeastValue: least}
		if !gives {
			o.LeastValue = 0
		}
		var m *rig
		m = s.open(t, name, o, func(e *crawl.Event) {
			made++
			if v := &e.Visit; !v.First && e.Record.State != sitegraph.StateSource {
				told = told || !math.IsNaN(v.Probability)
				if worth := v.Probability*m.pages.Weight(v.Page) + v.Beside; gives &&
					!(worth >= least) {
					t.Fatalf("%s: a visit worth %g (%s)", name, worth, v.Reason)
				}
			}
		})
		m.rounds(3, time.Hour, 1000) // all new pages
		before := made
		// some estimators begin with high rates while all copies are an hour old
		m.rounds(5, time.Hour, 1000)
		unused := m.plan.Unused()
		switch {
		case (name == "sites" || name == "ebayes" || name == "interval") &&
			(made-before > 2000 || unused < 500):
			t.Errorf("%s: %d visits in 5 rounds, room for %d is left unused in the last",
				name, made-before, unused)
		case !gives && (told || unused > 0):
			t.Errorf("%s tells probabilities: %v; %d are left unused", name, told, unused)
		}
		if name == "sites" {
			page, _ := m.pages.Graph.Lookup("http://h.example/c1/p1")
			if why := m.plan.WhyNot(page); !strings.Contains(why,
				"less than the least value of 0.2") {
				t.Errorf("why not: %q", why)
			}
			m.rounds(24*30, time.Hour, 100)
			if visits := made - before; visits < 300 {
				t.Errorf("in 30 days %d visits were worth it", visits)
			}
		}
	}
}

// First visits that are worth less than the least value wait until it is lower.
func TestLeastValueOfNewPages(t *testing.T) {
	for least, want := range map[float64]bool{0.5: true, 0.95: false} {
		made := 0
		s := &shop{pages: 1500}
		m := s.open(t, "sites", planner.Options{LeastValue: least}, func(*crawl.Event) { made++ })
		m.rounds(2, time.Hour, 100)
		if (made > 100) != want {
			t.Errorf("by a least value of %g %d visits", least, made)
		}
		if page, _ := m.pages.Graph.Lookup("http://h.example/"); !want &&
			!strings.Contains(m.plan.WhyNot(page), "less than the least value of 0.95") {
			t.Errorf("why not: %q", m.plan.WhyNot(page))
		}
	}
}
