package eval

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// Nothing looks ahead (guarantee 1): later events must not change earlier decisions.

// otherFuture returns servers that are equal up to a number of seconds after the start of their
// windows, and then have other versions, links and new pages.
func otherFuture(rng *rand.Rand, servers []*history.Server, seconds int64) []*history.Server {
	var changed []*history.Server
	for _, s := range servers {
		cut := s.T0 + seconds
		var urls []string
		for _, p := range s.Pages {
			urls = append(urls, p.URL)
		}
		for i := range 3 {
			urls = append(urls, fmt.Sprintf("http://%s/late%d-%d", s.Name, i, rng.IntN(1000)))
		}
		var pages []*history.Page
		for i, url := range urls {
			p := page(url)
			if i < len(s.Pages) {
				for _, v := range s.Pages[i].Versions {
					if v.T <= cut {
						p.Versions = append(p.Versions, v)
					}
				}
			}
			for _, v := range randomLife(rng, cut+1, i, urls) {
				if v.T > cut {
					p.Versions = append(p.Versions, v)
				}
			}
			pages = append(pages, p)
		}
		changed = append(changed, server(s.Name, s.T0, pages...))
	}
	return changed
}

// until returns the part of a log up to a day.
func until(log []step, day int) []step {
	i := slices.IndexFunc(log, func(s step) bool { return s.day > day })
	if i < 0 {
		return log
	}
	return log[:i]
}

func TestStreamDoesNotLookAhead(t *testing.T) {
	t.Parallel()
	differ := 0
	for _, seed := range seeds(15) {
		rng := rand.New(rand.NewPCG(seed, 3))
		servers := randomServers(rng)
		options := Options{Base: week * time.Duration(rng.IntN(3)), History: rng.IntN(3)}
		c, err := NewDataset(t.Context(), servers, options)
		if err != nil {
			continue // no top page was alive
		}
		day := 1 + rng.IntN(12)
		other := newCorpus(t,
			otherFuture(rng, servers, int64(options.Base.Seconds())+int64(day)*daySeconds), options)
		o := StreamOptions{Weeks: 2, Budget: []float64{0.1, 0.4, 1}[rng.IntN(3)], New: 0.25,
			Seed: seed}
		for _, name := range policiesOf(seed) {
			if policy.Reference(name) {
				continue
			}
			_, log := logged(t, c, o, name)
			_, otherLog := logged(t, other, o, name)
			if visits(log) != visits(otherLog) {
				differ++
			}
			if a, b := visits(until(log, day)), visits(until(otherLog, day)); a != b {
				t.Fatalf("%s: what happens after day %d changes visits before; %s\n%s\nwith "+
					"another future\n%s", name, day, repeat(t, seed), a, b)
			}
		}
	}
	if differ == 0 {
		t.Error("no future made a difference: the test tells nothing")
	}
}

// TestSnapshotIgnoresLaterLinks checks that pages and links come from the base snapshot alone:
// later links change neither visits nor counts.
func TestSnapshotIgnoresLaterLinks(t *testing.T) {
	for _, seed := range seeds(15) {
		rng := rand.New(rand.NewPCG(seed, 4))
		servers := randomServers(rng)
		options := Options{Base: week, History: 1}
		c, err := NewDataset(t.Context(), servers, options)
		if err != nil {
			continue // no top page was alive
		}
		var relinked []*history.Server
		for _, s := range servers {
			var pages []*history.Page
			for i, p := range s.Pages {
				p = page(p.URL, slices.Clone(p.Versions)...)
				for k := range p.Versions {
					if v := &p.Versions[k]; v.T > s.T0+7*daySeconds && v.Alive() {
						v.Links = randomVersion(rng, v.T, i,
							[]string{s.Pages[rng.IntN(len(s.Pages))].URL, p.URL}).Links
					}
				}
				pages = append(pages, p)
			}
			relinked = append(relinked, server(s.Name, s.T0, pages...))
		}
		h, other := c.newHorizon(3), newCorpus(t, relinked, options).newHorizon(3)
		if h.totals != other.totals {
			t.Errorf("totals %+v, with other links later %+v; %s",
				h.totals, other.totals, repeat(t, seed))
		}
		for _, name := range policy.Names() {
			order, err := h.sweep(t.Context(), sweepOf{policy: name},
				SnapshotOptions{Seed: seed, Sample: 5})
			if err != nil {
				t.Fatal(err)
			}
			otherOrder, err := other.sweep(t.Context(), sweepOf{policy: name},
				SnapshotOptions{Seed: seed, Sample: 5})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(order, otherOrder) {
				t.Fatalf("%s: later links change the sweep; %s\n%v\n%v",
					name, repeat(t, seed), order, otherOrder)
			}
		}
	}
}

// TestSnapshotLearnsVisitByVisit checks that a sweep learns only from its own visits. If one page
// has another outcome, the visits before it are the same and the first difference is that outcome.
// So each visited page has its own place of first difference, and other pages have none.
func TestSnapshotLearnsVisitByVisit(t *testing.T) {
	compared := 0
	for _, seed := range seeds(4) {
		rng := rand.New(rand.NewPCG(seed, 5))
		servers := randomServers(rng)
		flip := func(flipped string) *Dataset {
			var all []*history.Server
			for _, s := range servers {
				var pages []*history.Page
				for i, p := range s.Pages {
					v := p.At(s.T0 + 7*daySeconds)
					if !v.Alive() {
						continue
					}
					then := *v // half of the pages change after the base
					then.T = s.T0 + 8*daySeconds
					if (i%2 == 0) != (p.URL == flipped) {
						then.Digests = shows(0, "other").Digests
					}
					pages = append(pages, page(p.URL, *v, then))
				}
				all = append(all, server(s.Name, s.T0, pages...))
			}
			c, err := NewDataset(t.Context(), all, Options{Base: week})
			if err != nil {
				return nil
			}
			return c
		}
		c := flip("")
		if c == nil {
			continue // no top page was alive
		}
		for _, name := range policy.Names() {
			if policy.Reference(name) {
				continue
			}
			order, err := c.newHorizon(2).sweep(t.Context(), sweepOf{policy: name},
				SnapshotOptions{Seed: seed, Sample: 5})
			if err != nil {
				t.Fatal(err)
			}
			place := map[int]string{}
			for _, p := range c.Pages {
				url := c.graph.URL(p)
				other, err := flip(url).newHorizon(2).sweep(t.Context(), sweepOf{policy: name},
					SnapshotOptions{Seed: seed, Sample: 5})
				if err != nil {
					t.Fatal(err)
				}
				i := 0
				for i < min(len(order), len(other)) && order[i] == other[i] {
					i++
				}
				compared++
				switch {
				case i == len(order) && i == len(other): // never visited
				case i == len(order) || i == len(other) || order[i].server != other[i].server:
					t.Fatalf("%s: another outcome of %s moves visit %d; %s",
						name, url, i, repeat(t, seed))
				case place[i] != "":
					t.Fatalf("%s: the outcomes of %s and %s both show first at visit %d; %s",
						name, place[i], url, i, repeat(t, seed))
				default:
					place[i] = url
				}
			}
			if len(place) != len(order) {
				t.Fatalf("%s: %d visits, outcomes of %d pages show; %s",
					name, len(order), len(place), repeat(t, seed))
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// TestHistoryShowsWeeklyStates checks that History W shows W weekly states before the base, and
// nothing between or after them.
func TestHistoryShowsWeeklyStates(t *testing.T) {
	const t0 = 1_000_000_000
	on := func(days float64) int64 { return t0 + int64((28+days)*daySeconds) } // base is week 4
	servers := []*history.Server{server("a.example", t0,
		page(tinyA, shows(t0, "0", tinyA+"1", tinyA+"2"),
			shows(on(-21), "A", tinyA+"1", tinyA+"2"),   // exactly at a weekly state: visible
			shows(on(-20), "X", tinyA+"1", tinyA+"2"),   // between two states, and back:
			shows(on(-15), "A", tinyA+"1", tinyA+"2"),   // not visible
			shows(on(-13.5), "B", tinyA+"1", tinyA+"2"), // visible a week before the base
			shows(on(0), "C", tinyA+"1", tinyA+"2"),     // at the base: visible
			shows(on(0.1), "D", tinyA+"1", tinyA+"2")),  // later
		// born between two states
		page(tinyA+"1", shows(on(-10), "A")),
		// missing in one weekly state
		page(tinyA+"2", shows(t0, "A"), gone(on(-16)), shows(on(-8), "B")),
	)}
	const weekSeconds = 7 * daySeconds
	base := uint32(history.WorldEpoch.Add(4 * week).Unix())
	for _, test := range []struct {
		weeks         int
		top, one, two sitegraph.History
	}{
		{0, sitegraph.History{Epoch: base, Last: base, Visits: 1},
			sitegraph.History{Epoch: base, Last: base, Visits: 1},
			sitegraph.History{Epoch: base, Last: base, Visits: 1}},
		// B C
		{1, sitegraph.History{Epoch: base - weekSeconds, Last: base, LastChange: base,
			MinInterval: weekSeconds, Visits: 2, Changes: 1, WeeksSeen: 0b1, WeeksChanged: 0b1},
			sitegraph.History{Epoch: base - weekSeconds, Last: base, Stable: weekSeconds, Visits: 2,
				WeeksSeen: 0b1},
			sitegraph.History{Epoch: base - weekSeconds, Last: base, Stable: weekSeconds, Visits: 2,
				WeeksSeen: 0b1}},
		// A A B C
		{3, sitegraph.History{Epoch: base - 3*weekSeconds, Last: base, LastChange: base,
			Stable: weekSeconds, MinInterval: weekSeconds, Visits: 4, Changes: 2, WeeksSeen: 0b111,
			WeeksChanged: 0b011},
			sitegraph.History{Epoch: base - weekSeconds, Last: base, Stable: weekSeconds, Visits: 2,
				WeeksSeen: 0b1},
			// starts anew after its return
			sitegraph.History{Epoch: base - weekSeconds, Last: base, Stable: weekSeconds, Visits: 2,
				WeeksSeen: 0b1}},
		// 0 A A B C: no more than there are
		{9, sitegraph.History{Epoch: base - 4*weekSeconds, Last: base, LastChange: base,
			Stable: weekSeconds, MinInterval: weekSeconds, Visits: 5, Changes: 3, WeeksSeen: 0b1111,
			WeeksChanged: 0b1011},
			sitegraph.History{Epoch: base - weekSeconds, Last: base, Stable: weekSeconds, Visits: 2,
				WeeksSeen: 0b1},
			sitegraph.History{Epoch: base - weekSeconds, Last: base, Stable: weekSeconds, Visits: 2,
				WeeksSeen: 0b1}},
	} {
		c := newCorpus(t, servers, Options{Base: 4 * week, History: test.weeks})
		for url, want := range map[string]sitegraph.History{tinyA: test.top, tinyA + "1": test.one,
			tinyA + "2": test.two} {
			p, _ := c.graph.Lookup(url)
			if got := c.store.Records()[p].History; got != want {
				t.Errorf("W=%d %s: %+v, want %+v", test.weeks, url, got, want)
			}
		}
		// Policies get only these records.
		pages := remembered(c.graph, c.store.Records())
		for i, r := range c.store.Records() {
			if pages.Memory(sitegraph.PageID(i)).History != r.History {
				t.Errorf("W=%d: the planner remembers another history of %s", test.weeks, r.URL)
			}
		}
	}
}

// sameGraph compares the content of two graphs; their storage may differ.
func sameGraph(a, b *sitegraph.Graph) bool {
	if a.Pages() != b.Pages() || a.Servers() != b.Servers() {
		return false
	}
	for p := range sitegraph.PageID(a.Pages()) {
		if a.URL(p) != b.URL(p) || a.Server(p) != b.Server(p) || a.Depth(p) != b.Depth(p) ||
			!slices.Equal(a.Links(p), b.Links(p)) || !slices.Equal(a.Frames(p), b.Frames(p)) {
			return false
		}
	}
	for s := range sitegraph.ServerID(a.Servers()) {
		if a.ServerName(s) != b.ServerName(s) || a.Version(s) != b.Version(s) ||
			!slices.Equal(a.StartPages(s), b.StartPages(s)) {
			return false
		}
	}
	return true
}

// TestCorpusDoesNotLookAhead checks that the state at the base does not depend on later events.
func TestCorpusDoesNotLookAhead(t *testing.T) {
	for _, seed := range seeds(15) {
		rng := rand.New(rand.NewPCG(seed, 6))
		servers := randomServers(rng)
		o := Options{Base: 2 * week, History: 3, LastModified: rng.IntN(2) == 0}
		c, err := NewDataset(t.Context(), servers, o)
		if err != nil {
			continue // no top page was alive
		}
		other := newCorpus(t, otherFuture(rng, servers, 14*daySeconds), o)
		if !reflect.DeepEqual(c.store.Records(), other.store.Records()) ||
			!slices.Equal(c.Pages, other.Pages) || !sameGraph(c.graph, other.graph) {
			t.Fatalf("what happens after the base shows in it; %s", repeat(t, seed))
		}
	}
}
