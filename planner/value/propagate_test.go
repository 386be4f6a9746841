package value

import (
	"slices"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// heardOf is a policy of one quiet server at the begin of a round, and its open pages with what
// they are worth.
func heardOf(t *testing.T, pages int) (
	v *Policy, open []sitegraph.PageID, worth map[sitegraph.PageID]float32) {
	t.Helper()
	m := newSim(t, quietWorld(3, 1, pages, 0), nil, "value",
		Settings{Mode: planner.Stream, Seed: 3, PerDay: 5}, planner.Options{})
	for day := 1; day <= 3; day++ {
		m.Day(day, 5)
	}
	v = m.Planner.Policy.(*Policy)
	v.Begin(planner.Round{Number: 4, Start: simtest.At(3), End: simtest.At(4), Budget: 10})
	worth = map[sitegraph.PageID]float32{}
	for _, p := range m.Graph.ServerPages(0) {
		if v.open(p) {
			v.rate(p)
			open, worth[p] = append(open, p), v.worth(p)
		}
	}
	return v, open, worth
}

// Of pages that nobody thought of since they came to be worth more, the first open one of a block
// is scored anew; where it proves to be so many times as much worth, the others are taken to be,
// too, or scored if that is to be exact, or in the next round where that is not enough for this
// one. It makes no difference on what scale weights are.
func TestProbe(t *testing.T) {
	v, open, worth := heardOf(t, 100)
	const (
		same   = iota // the first is worth as much as before, the others more
		better        // all are worth more
		closed        // the first cannot be visited, the next is as before
		more          // as better
		kinds
	)
	for _, c := range []struct {
		exact   bool
		reserve float32
		weight  float64
	}{{false, 0, 1}, {false, 1e9, 1}, {true, 0, 1}, {false, 0, 1e-9}} {
		v.exact, v.reserve = c.exact, c.reserve
		v.Corpus.SetWeights(
			preferences.NewWeights([]preferences.WeightRule{{Prefix: "http://", Weight: c.weight}}))
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%+v: "+format, append([]any{c}, args...)...)
		}
		pages := open[:kinds*block]
		first := func(i int) bool { return i%block == 0 || i/block == closed && i%block == 1 }
		rises := func(i int) bool { return i/block == better || i/block == more }
		// it rises by more than the others
		odd := func(i int) bool { return i/block == better && i%block == 2 }
		for i, p := range pages {
			v.rate(p)
			worth[p] = v.worth(p)
			switch {
			case odd(i):
				v.scores[p].worth /= 4
			case rises(i) || !first(i):
				v.scores[p].worth /= 2
			}
		}
		last := better*block + block - 1
		v.scores[pages[closed*block]].again, v.scores[pages[last]].again = 0, 0
		of := &v.rankings.of[0]
		of.pages.All, of.fresh.All = of.pages.All[:0], of.fresh.All[:0]
		if !v.rescoreSample(pages) {
			fail("no probe is worth more")
		}
		for i, p := range pages {
			want := worth[p]
			if odd(i) && !c.exact {
				want /= 2 // lifted as the others are, and not scored
			}
			anew, next := near(v.worth(p), want, 1e-6*float64(want)), v.scores[p].again == v.now
			if i == last {
				if anew || next {
					fail("a page that cannot be visited is scored anew or lifted %v, in the next "+
						"round %v", anew, next)
				}
				continue
			}
			enough := c.reserve == 0
			if want := enough && rises(i) || first(i) && !rises(i); anew != want {
				fail("block %d, page %d: scored anew or lifted %v, want %v",
					i/block, i%block, anew, want)
			}
			if want := !enough && rises(i); next != want {
				fail("block %d, page %d: in the next round %v, want %v",
					i/block, i%block, next, want)
			}
			if ranked := slices.Contains(of.pages.All, v.standing(p)); ranked != (enough &&
				rises(i)) {
				fail("block %d, page %d: ranked %v", i/block, i%block, ranked)
			}
		}
		if v.rescoreSample(pages[:block]) {
			fail("a probe that is worth as much as before rose")
		}
	}
}

// A page that is lifted and still of no use in this round is scored in the next, though others of
// its block are of use.
func TestProbeLiftsTooLittle(t *testing.T) {
	v, open, _ := heardOf(t, 100)
	pages := open[:block]
	v.rate(pages[0])
	worth := v.worth(pages[0])
	for i, p := range pages {
		v.scores[p].worth, v.scores[p].again = worth/2, v.now+9
		if i == 3 {
			v.scores[p].worth = worth / 100
		}
	}
	v.reserve = 0.9 * worth
	if !v.rescoreSample(pages) {
		t.Fatal("the probe is not worth more")
	}
	for i, p := range pages[1:] {
		little := i+1 == 3
		if next, useful := v.scores[p].again == v.now, v.worth(p) >= v.reserve; next != little ||
			useful == little {
			t.Errorf("page %d: in the next round %v, of use now %v", i+1, next, useful)
		}
	}
}

// Pages of like address are thought of again as long as some of a batch are worth more.
func TestThinkOfLike(t *testing.T) {
	v, open, worth := heardOf(t, 200)
	ring := func(p sitegraph.PageID) (all []sitegraph.PageID) { // in the order of turns
		pages := v.groups.pages
		first := pages[v.groups.list[pages[p].shape].nextRescored].next
		for q := first; len(all) == 0 || q != all[0]; q = pages[q].next {
			if v.open(q) {
				all = append(all, q)
			}
		}
		return all
	}
	v.reserve = 0
	p := open[len(open)/2]
	all := ring(p)
	lanes := len(v.batch.pages)
	if len(all) < 4*lanes {
		t.Fatalf("%d pages of like address", len(all))
	}
	for _, q := range all[:lanes+1] { // the first batch, and one of the second
		v.scores[q].worth /= 2
	}
	for _, q := range all[3*lanes:] { // after a batch of which none is
		v.scores[q].worth /= 2
	}
	v.rescoreShape(p, len(all))
	for i, q := range all {
		if anew := v.worth(q) == worth[q]; anew != (i < 3*lanes) {
			t.Errorf("place %d: scored anew or as before %v", i, anew)
		}
	}
}

// News are for the best pages of a server, block after block: leastNews of them, or fewer where too
// many in a row are worth no more. The next news are for those after them.
func TestSpread(t *testing.T) {
	for _, rising := range []bool{false, true} {
		v, open, worth := heardOf(t, 1000)
		v.reserve = 0
		p, n := open[0], &v.surprises[0]
		v.groups.list[v.groups.pages[p].shape].surprise = -10 // it is not about these
		n.order = new(order)
		if !v.inScoreOrder(0, n) || len(n.order.pages) != len(open) {
			t.Fatalf("%d pages in order, want %d", len(n.order.pages), len(open))
		}
		order := n.order.pages
		const atOnce = 8 * block
		at := []int{0, 4 * atOnce, leastRescored + atOnce} // blocks that are worth more
		if rising {
			for _, from := range at {
				for _, q := range order[from : from+atOnce] {
					v.scores[q].worth /= 2
				}
			}
		}
		const idle = 4 * atOnce // the first with which there are idleMost
		for time, heard := range []int{2, 3} {
			before := len(n.order.pages)
			v.propagate(p, surpriseThreshold)
			want := idle
			if rising {
				want = []int{leastRescored, 2*atOnce + idle}[time]
			}
			if got := before - len(n.order.pages); got != want {
				t.Errorf("rising %v, news %d: of %d pages, want %d", rising, time+1, got, want)
			}
			for i, from := range at {
				anew := 0
				for _, q := range order[from : from+atOnce] {
					if v.worth(q) == worth[q] {
						anew++
					}
				}
				if want := i < heard; rising && (anew > 0) != want || want && anew != atOnce {
					t.Errorf("rising %v, after news %d: %d of %d from place %d on are scored "+
						"anew, want all: %v", rising, time+1, anew, atOnce, from, want)
				}
			}
		}
	}
}
