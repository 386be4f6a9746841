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
	misses(t, 1<<30)
}

// So it is where pages are worth more than half of the price in more blocks than may be ranked.
func TestBoundedQueueMissesNothing(t *testing.T) {
	t.Parallel()
	misses(t, 150)
}

// boundedWorld is a world of newScaleWorld in which pages of so many blocks are ranked at first.
func boundedWorld(t *testing.T, bounded, pages, perDirectory int, seed uint64, perDay float64) (
	*scaleWorld, *Policy) {
	t.Helper()
	w, err := newScaleWorld(pages, perDirectory, seed, perDay)
	if err != nil {
		t.Fatal(err)
	}
	v := w.policy.(*Policy)
	v.leastBlocks, v.blocksAVisit = bounded, 0
	return w, v
}

// misses makes rounds in which pages of so many blocks at most are ranked at first.
func misses(t *testing.T, bounded int) {
	t.Helper()
	const pages, days = 6000, 25
	w, v := boundedWorld(t, bounded, pages, 50, 3, pages/50)
	w.trouble = true
	day, ranked, raised := 0, 0, 0
	w.begun = func() {
		if v.reserve > v.reserveOf(v.price) {
			raised++
		}
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
	if few := bounded < pages/blockPages; few != (raised > 0) {
		t.Errorf("pages of %d blocks at most: bounded in %d rounds", bounded, raised)
	}
	if w.visits < days*pages/50/2 || ranked < days*pages/50 {
		t.Errorf("%d visits, %d pages ranked", w.visits, ranked)
	}
}

// boundsOfTests are of how many blocks at most pages are ranked at first, of 188.
var boundsOfTests = []int{1 << 30, 60}

// visitsOf are the visits of so many days in a web with trouble, in which the pages of so many
// blocks are ranked at first. If before is not nil, it is called at the begin of each.
func visitsOf(t *testing.T, bounded, pages, days int, before func(v *Policy, day int)) (
	visits []sitegraph.PageID, v *Policy) {
	t.Helper()
	w, v := boundedWorld(t, bounded, pages, 20, 4, float64(pages)/20)
	w.trouble = true
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
	for _, bounded := range boundsOfTests {
		visits, v := visitsOf(t, bounded, pages, days, nil)
		byAll, all := visitsOf(t, bounded, pages, days, func(v *Policy, _ int) { v.LookAtAll() })
		if v.queue.anew >= days || all.queue.anew < days {
			t.Errorf("%d and %d of %d rounds looked at all pages",
				v.queue.anew, all.queue.anew, days)
		}
		if !slices.Equal(visits, byAll) || len(visits) < days*pages/40 {
			t.Errorf("bound %d: %d visits, and %d by a look at all pages, differ",
				bounded, len(visits), len(byAll))
		}
	}
}

// A process that begins each round with what an image has of the rankings makes the same visits,
// and seldom looks at all pages.
func TestRankingsOutliveProcesses(t *testing.T) {
	t.Parallel()
	const pages, days = 3000, 20
	for _, bounded := range boundsOfTests {
		visits, v := visitsOf(t, bounded, pages, days, nil)
		byMany, last := visitsOf(t, bounded, pages, days, func(v *Policy, day int) {
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
		most := days / 3
		if bounded < pages/blockPages {
			most = days / 2 // where the bound falls, all pages are listed anew
		}
		if v.queue.anew > most || last.queue.anew > most {
			t.Errorf("bound %d: %d and %d of %d rounds looked at all pages",
				bounded, v.queue.anew, last.queue.anew, days)
		}
		if !slices.Equal(visits, byMany) || len(visits) < days*pages/40 {
			t.Errorf("bound %d: %d visits, and %d by processes after one another, differ",
				bounded, len(visits), len(byMany))
		}
	}
}

// Where a budget takes years for all pages, they are scored less often than once a month.
func TestScoresOfSmallBudgets(t *testing.T) {
	t.Parallel()
	const pages, visits, days = 6000, 2, 500
	w, v := boundedWorld(t, 1<<30, pages, 50, 3, visits)
	due := 0
	for day := 1; day <= days; day++ {
		if w.day(day, visits); day > days/2 {
			due += len(v.queue.due)
		}
	}
	if monthly := pages * days / 2 / month; due > monthly*2/3 || due < visits*days/2 {
		t.Errorf("%d scores came due in %d days, %d if monthly", due, days/2, monthly)
	}
	v.PerDay *= 100
	if w.day(days+1, visits); v.longestWait() > month {
		t.Fatalf("scores wait for %v days", v.longestWait())
	}
	for p, s := range v.scores {
		if s.again > v.now+month {
			t.Fatalf("a larger budget leaves page %d %v days to wait", p, s.again-v.now)
		}
	}
}

// Pages that are gone do not count among the best: as many others as ever are ranked.
func TestBoundCountsLivingPages(t *testing.T) {
	t.Parallel()
	const pages, days, bound = 6000, 40, 60
	w, v := boundedWorld(t, bound, pages, 50, 3, pages/50)
	w.gone = true
	w.begun = func() {
		blocks, least := 0, v.leastOf(bound)
		for i := range v.blocks {
			from, to := v.pagesOf(i)
			for p := from; p < to; p++ {
				if v.worth(p) >= least && w.corpus.Refetchable(p) {
					blocks++
					break
				}
			}
		}
		if blocks < bound {
			t.Fatalf("pages of %d blocks are worth what those of %d are", blocks, bound)
		}
	}
	for day := 1; day <= days; day++ {
		w.day(day, pages/50)
	}
	if left := pages - w.corpus.Alive(0) - w.corpus.Alive(1); left < 100 {
		t.Errorf("%d pages are gone", left)
	}
}
