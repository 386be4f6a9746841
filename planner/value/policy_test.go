package value

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// quietWorld has servers of which no page changes, but for all pages of the first one on a day.
func quietWorld(seed uint64, servers, perServer, rebuiltOn int) *simtest.World {
	w := simtest.NewWorld(seed, servers, perServer, false)
	for _, p := range w.Pages {
		p.Changes = nil
		if strings.HasPrefix(p.URL, "http://s0.") && rebuiltOn > 0 {
			p.Changes = []float64{float64(rebuiltOn) - 0.5}
		}
	}
	return w
}

// A rebuilt server is recognised by a few probes: on the same day most of what is left of the
// budget goes to its pages, and the reason says so.
func TestValueFindsRebuild(t *testing.T) {
	const rebuiltOn = 30
	w := quietWorld(3, 4, 100, rebuiltOn)
	m := newSim(t, w, nil, "value", Settings{Mode: planner.Stream, Seed: 3, PerDay: 40},
		planner.Options{})
	found, said := 0, 0
	seen := map[sitegraph.PageID]bool{} // since the rebuild
	for day := 1; day <= rebuiltOn+3; day++ {
		for _, v := range m.Day(day, 40) {
			if day < rebuiltOn {
				continue
			}
			if strings.HasPrefix(m.Graph.URL(v.Page), "http://s0.") && !seen[v.Page] {
				seen[v.Page] = true
				found++
				if strings.Contains(v.Reason.String(), "rebuilt") {
					said++
				}
			}
		}
	}
	// 400 pages and 160 visits: without learning 40 would be to this server.
	if found < 80 {
		t.Errorf("%d of the 100 pages of a rebuilt server were visited in four days of 40 visits",
			found)
	}
	if said < found/2 {
		t.Errorf("%d of %d reasons speak of a rebuilt server", said, found)
	}
}

// Outcomes of a round that a crash ends are still known to a planner made anew from the corpus.
func TestValueKeepsEvidenceOverCrash(t *testing.T) {
	w := quietWorld(5, 2, 60, 20)
	m := newSim(t, w, nil, "value", Settings{Mode: planner.Stream, Seed: 5, PerDay: 12},
		planner.Options{})
	for day := 1; day <= 20; day++ {
		m.Day(day, 12)
	}
	of := func() (rebuilt, other float64) {
		v := m.Planner.Policy.(*Policy)
		var n [2]float64
		for p := range sitegraph.PageID(m.Graph.Pages()) {
			if h := m.Corpus.Memory(p).History; h.LastVisit().Equal(simtest.At(20)) {
				continue // visited that day
			}
			x := v.Probability(p, simtest.At(21))
			if strings.HasPrefix(m.Graph.URL(p), "http://s0.") {
				rebuilt += x
				n[0]++
			} else {
				other += x
				n[1]++
			}
		}
		return rebuilt / n[0], other / n[1]
	}
	before, otherBefore := of()
	m.Restart()
	m.Planner.Begin(planner.Round{Number: 21, Start: simtest.At(20), End: simtest.At(21),
		Budget: 0})
	after, otherAfter := of()
	if before < 4*otherBefore || after < 4*otherAfter {
		t.Errorf("pages of the rebuilt server: %.3f before the crash, %.3f after; of the other: "+
			"%.3f, %.3f", before, after, otherBefore, otherAfter)
	}
}

// What explain shows adds up to the probability that the policy goes by.
func TestValueExplains(t *testing.T) {
	w := simtest.NewWorld(8, 2, manyPages+10, false)
	m := newSim(t, w, nil, "value", Settings{Mode: planner.Stream, Seed: 8, PerDay: 15},
		planner.Options{})
	for day := 1; day <= 30; day++ {
		m.Day(day, 15)
	}
	v := m.Planner.Policy.(*Policy)
	varied := map[string]bool{}
	for p := range sitegraph.PageID(m.Graph.Pages()) {
		c := v.Explain(p, simtest.At(31))
		if want := v.Probability(p, simtest.At(31)); math.Abs(c.Probability-want) > 1e-4 {
			t.Fatalf("%s: contributions make %.5f, the policy goes by %.5f",
				m.Graph.URL(p), c.Probability, want)
		}
		sum := c.Start
		for i, x := range c.All {
			varied[x.Evidence] = true
			sum += x.LogOdds
			if i > 0 && math.Abs(x.LogOdds) > math.Abs(c.All[i-1].LogOdds) {
				t.Fatalf("%s: %v is not in order", m.Graph.URL(p), c.All)
			}
		}
		if math.Abs(sum-logOdds(c.Probability)) > 0.01 {
			t.Fatalf("%s: log odds add up to %.4f, those of the probability are %.4f",
				m.Graph.URL(p), sum, logOdds(c.Probability))
		}
	}
	for _, beyond := range []string{"changes on its server since then beyond those expected",
		"changes of its address shape since then beyond those expected of it and its server"} {
		if !varied[beyond] {
			t.Errorf("%q never count", beyond)
		}
	}
	if len(varied) < 15 {
		t.Errorf("only %d kinds of evidence ever count: %v", len(varied), varied)
	}
}

// Being asked changes nothing: the same visits follow.
func TestValueAsked(t *testing.T) {
	run := func(ask bool) (all []string) {
		w := simtest.NewWorld(9, 3, 50, true)
		m := newSim(t, w, nil, "value", Settings{Mode: planner.Stream, Seed: 9, PerDay: 15},
			planner.Options{NewShare: 0.25})
		for day := 1; day <= 20; day++ {
			all = append(all, m.URLs(m.Day(day, 15))...)
			if ask {
				for p := range sitegraph.PageID(m.Graph.Pages()) {
					m.Planner.Policy.(*Policy).Probability(p, simtest.At(day+int(p)%5))
					m.Planner.Policy.(*Policy).Explain(p, simtest.At(day))
				}
			}
		}
		return all
	}
	a, b := run(false), run(true)
	if i, same := simtest.FirstDifference(a, b); !same {
		t.Errorf("visits differ from %d on", i)
	}
}

// The rings of like addresses hold each page of a shape once.
func TestKinRings(t *testing.T) {
	g := sitegraph.NewGraph()
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 300 {
		g.Add(pageName(rng, i))
	}
	order := rank.NewTies(3, nil)
	k := newGroupIndex(planner.NewCorpus(g), &order)
	k.grow()
	members := map[int32]int{}
	for p := range k.pages {
		members[k.pages[p].shape]++
	}
	for p := range sitegraph.PageID(g.Pages()) {
		shape := k.pages[p].shape
		if int(k.list[shape].pages) != members[shape] {
			t.Fatalf("shape %d: %d pages counted, %d are in it",
				shape, k.list[shape].pages, members[shape])
		}
		seen := map[sitegraph.PageID]bool{}
		for range members[shape] {
			q := k.nextOfShape(p)
			if k.pages[q].shape != shape || seen[q] {
				t.Fatalf("page %d of shape %d follows on %d of shape %d, seen before: %v",
					q, k.pages[q].shape, p, shape, seen[q])
			}
			seen[q] = true
		}
	}
}

func pageName(rng *rand.Rand, i int) string {
	server := string(rune('a' + rng.IntN(3)))
	section := []string{"news", "doc", "blog"}[rng.IntN(3)]
	return "http://" + server + ".example/" + section + "/" + strings.Repeat("1", 1+i%4) +
		string(rune('a'+i%26)) + ".html"
}

// The first n of any order are those that a sort would put first, and none is lost.
func TestFirstOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for size := range 60 {
		for n := range size + 3 {
			all := make([]place, size)
			for i := range all {
				all[i] = placed(float32(rng.IntN(1+size/3)), float32(rng.IntN(2)),
					sitegraph.PageID(i))
			}
			rng.Shuffle(size, func(i, j int) { all[i], all[j] = all[j], all[i] })
			want := slices.SortedFunc(slices.Values(all), place.compare)
			first := slices.SortedFunc(slices.Values(firstOf(all, n)), place.compare)
			if most := min(n, size); !slices.Equal(first, want[:most]) {
				t.Fatalf("%d of %d: %v, want %v", n, size, first, want[:most])
			}
			if slices.SortFunc(all, place.compare); !slices.Equal(all, want) {
				t.Fatalf("%d of %d: some are lost", n, size)
			}
		}
	}
}

// Pages of a server come by their scores, each once, however many are kept at a time; then again
// from the first.
func TestByScore(t *testing.T) {
	m := newSim(t, quietWorld(3, 1, 3*leastKept, 0), nil, "value",
		Settings{Mode: planner.Stream, Seed: 3, PerDay: 5}, planner.Options{})
	m.Day(1, 5)
	v := m.Planner.Policy.(*Policy)
	v.Begin(planner.Round{Number: 2, Start: simtest.At(1), End: simtest.At(2), Budget: 10})
	var want []standing
	for p := range v.scores {
		page := sitegraph.PageID(p)
		v.scores[p].raw = float32(p%7) / 10 // many ties
		if v.open(page) {
			want = append(want, standing{Score: v.scores[p].raw, Tie: v.ties.Of(page), Page: page})
		}
	}
	slices.SortFunc(want, func(a, b standing) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	n := &v.surprises[0]
	n.order = new(order)
	for time, visits := range []int32{0, leastKept + 100} {
		n.inRound = visits
		for i, c := range want {
			if len(n.order.pages) == 0 {
				if !v.inScoreOrder(0, n) {
					t.Fatalf("time %d: %d pages, want %d", time+1, i, len(want))
				}
				clear(v.scratch) // it is another server's next
				if most := min(max(leastKept, int(visits)),
					len(want)-i); len(n.order.pages) != most {
					t.Fatalf("%d pages kept after %d visits, want %d",
						len(n.order.pages), visits, most)
				}
			}
			if n.order.pages[0] != c.Page {
				t.Fatalf("time %d, place %d: page %d, want %d", time+1, i, n.order.pages[0], c.Page)
			}
			n.order.pages = n.order.pages[1:]
		}
		if v.inScoreOrder(0, n) {
			t.Fatalf("time %d: more than %d pages", time+1, len(want))
		}
	}
}

// Pages held back for their low values are visited where the budget lasts, each once and none
// forgotten.
func TestReleaseReachesAll(t *testing.T) {
	m := newSim(t, simtest.NewWorld(5, 4, 300, false), nil, "value",
		Settings{Mode: planner.Stream, Seed: 3, PerDay: 40}, planner.Options{})
	for day := 1; day <= 10; day++ {
		m.Day(day, 40)
	}
	v := m.Planner.Policy.(*Policy)
	alive := 0
	for p := range v.scores {
		if m.Corpus.Memory(sitegraph.PageID(p)).State == sitegraph.StateAlive {
			alive++
		}
	}
	for _, price := range []float64{v.price, 1e-30, 0.999, math.NaN()} {
		v.price, v.lowest = price, math.NaN()
		round := m.Corpus.Round().Number + 1
		seen := map[sitegraph.PageID]bool{}
		m.Planner.Begin(planner.Round{Number: round, Start: simtest.At(round - 1),
			End: simtest.At(round), Budget: 10 * alive})
		for visit, ok := m.Planner.Next(); ok; visit, ok = m.Planner.Next() {
			if seen[visit.Page] {
				t.Fatalf("price %g: page %d is visited twice", price, visit.Page)
			}
			seen[visit.Page] = true
		}
		if len(seen) < alive {
			t.Errorf("price %g: %d of %d pages visited", price, len(seen), alive)
		}
	}
}

// A page that has changed at each of five visits ten days apart changes more often than it was
// visited: it is all but sure to have changed after ten days more, among pages that hardly do.
func TestPageThatAlwaysChanges(t *testing.T) {
	h := newHandDriven(t, "value")
	for day := 10; day <= 50; day += 10 {
		h.begin(day)
		for p := range sitegraph.PageID(18) {
			h.visit(p, day, p == 3)
		}
	}
	at60 := func(p sitegraph.PageID) float64 { return h.policy.Probability(p, simtest.At(60)) }
	if always, never := at60(3), at60(5); always < 0.6 || never > 0.2 {
		t.Errorf("a change is expected at %.2f of a page that always changed, and at %.2f of one "+
			"that never did", always, never)
	}
}

// A page is due after the first of these waits at which its probability reaches the price. The rule
// without parameters is asked: its probability grows with each day.
func TestValueDue(t *testing.T) {
	h := newHandDriven(t, "value")
	h.policy.Model = NewModel()
	clear(h.policy.models)
	h.begin(100)
	pages := h.corpus.Graph.ServerPages(0)
	for _, p := range pages[1:3] { // its server shows something, so that its factor counts
		h.policy.scores[p].raw = 0.1
		h.visit(p, 100, true)
	}
	h.begin(101)
	v, p, seen := h.policy, pages[4], map[time.Duration]bool{}
	worth := func(wait time.Duration) float64 {
		return v.Probability(p, simtest.At(101).Add(wait)) * float64(v.weight(p))
	}
	prices := []float64{1e-9, 2}
	for days := 1; days < 256; days *= 2 {
		prices = append(prices, worth(24*time.Hour*time.Duration(days)))
	}
	for _, v.price = range prices {
		want := 24 * time.Hour >> -leastDue
		for want < 256*24*time.Hour && worth(want) < v.price {
			want *= 2
		}
		_, wait := v.Due(p, simtest.At(101))
		if wait != want {
			t.Errorf("price %g: due after %s, want %s", v.price, wait, want)
		}
		seen[wait] = true
	}
	if len(seen) < 4 || v.effect(p) == 1 {
		t.Errorf("due after %v, factor %g: nothing was searched", seen, v.effect(p))
	}
}
