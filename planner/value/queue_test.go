package value

import (
	"slices"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// Round after round the rankings have the pages that a look at all pages finds, whatever became of
// them in the round before; and few rounds look at all.
func TestQueueMissesNothing(t *testing.T) {
	t.Parallel()
	const pages, days = 6000, 25
	w, err := newScaleWorld(pages, 50, 3, pages/50)
	if err != nil {
		t.Fatal(err)
	}
	w.trouble = true
	v := w.policy.(*Policy)
	day, ranked := 0, 0
	w.begun = func() {
		in := make([]bool, pages)
		for s := range v.rankings.of {
			of := &v.rankings.of[s]
			for _, c := range append(of.fresh.All, of.pages.All...) {
				if c.Score == v.worth(c.Page) && v.open(c.Page) {
					in[c.Page] = true
				}
			}
			// beside what was taken over, those that are due, and those that were taken last
			due := int(mostScored * float64(pages))
			if n := len(of.pages.All) + len(of.low); n > 2*int(of.alive)+64+due+3*pages/50 {
				t.Fatalf("day %d: %d entries of %d pages", day, n, of.alive)
			}
		}
		for p := range sitegraph.PageID(pages) {
			worthy := v.worth(p) >= v.reserve && w.corpus.Refetchable(p)
			if worthy != in[p] {
				t.Fatalf("day %d: page %d is worth %v of %v, refetchable %v, ranked %v",
					day, p, v.worth(p), v.reserve, w.corpus.Refetchable(p), in[p])
			}
			if worthy {
				ranked++
			}
			if v.scores[p].again <= v.now && w.corpus.Refetchable(p) {
				t.Fatalf("day %d: the score of page %d is due", day, p)
			}
		}
	}
	for day = 1; day <= days; day++ {
		w.day(day, pages/50)
	}
	if v.queue.anew > days/3 {
		t.Errorf("%d of %d rounds looked at all pages", v.queue.anew, days)
	}
	if w.visits < days*pages/50/2 || ranked < days*pages/50 {
		t.Errorf("%d visits, %d pages ranked", w.visits, ranked)
	}
}

// visitsOf are the visits of so many days in a web with trouble. If before is not nil, it is called
// at the begin of each.
func visitsOf(t *testing.T, pages, days int, before func(v *Policy, day int)) (
	visits []sitegraph.PageID, v *Policy) {
	t.Helper()
	w, err := newScaleWorld(pages, 20, 4, float64(pages)/20)
	if err != nil {
		t.Fatal(err)
	}
	w.trouble = true
	v = w.policy.(*Policy)
	w.visited = func(p sitegraph.PageID) { visits = append(visits, p) }
	for day := 1; day <= days; day++ {
		if before != nil {
			before(v, day)
		}
		w.day(day, pages/20)
	}
	return visits, v
}

// The visits are those of a policy that looks at all pages each round.
func TestQueueVisitsAsAllPages(t *testing.T) {
	t.Parallel()
	const pages, days = 3000, 25
	visits, v := visitsOf(t, pages, days, nil)
	byAll, all := visitsOf(t, pages, days, func(v *Policy, _ int) { v.LookAtAll() })
	if v.queue.anew >= days || all.queue.anew < days {
		t.Errorf("%d and %d of %d rounds looked at all pages", v.queue.anew, all.queue.anew, days)
	}
	if !slices.Equal(visits, byAll) || len(visits) < days*pages/40 {
		t.Errorf("%d visits, and %d by a look at all pages, differ", len(visits), len(byAll))
	}
}

// A process that begins each round with what an image has of the rankings makes the same visits,
// and seldom looks at all pages.
func TestRankingsOutliveProcesses(t *testing.T) {
	t.Parallel()
	const pages, days = 3000, 20
	visits, v := visitsOf(t, pages, days, nil)
	byMany, last := visitsOf(t, pages, days, func(v *Policy, day int) {
		if day == 1 {
			return
		}
		v.Pack(true)
		packed := v.packed
		v.Packed()
		v.rankings, v.queue = serverRankings{}, queue{anew: v.queue.anew}
		v.packed = packed
		v.Recollected()
	})
	if most := days / 3; v.queue.anew > most || last.queue.anew > most {
		t.Errorf("%d and %d of %d rounds looked at all pages", v.queue.anew, last.queue.anew, days)
	}
	if !slices.Equal(visits, byMany) || len(visits) < days*pages/40 {
		t.Errorf("%d visits, and %d by processes after one another, differ",
			len(visits), len(byMany))
	}
}
