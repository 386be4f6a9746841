package policy

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// cycling is shared by the policies without estimates.
type cycling struct {
	Settings `state:"same"`
	planner.EachRound
	ties planner.Ties
}

func newCycling(s Settings) cycling {
	return cycling{Settings: s, ties: planner.NewTies(s.Seed, s.Pages.Graph.Scratch())}
}

// Offer does nothing, for policies with an order of their own.
func (c *cycling) Offer([]sitegraph.PageID) {}

// Observe learns nothing.
func (c *cycling) Observe(sitegraph.PageID, sitegraph.Verdict) {}

// cycleDays returns how long a budget takes to visit the whole corpus: at least a day, and at most
// 400 days, also without a known budget.
func cycleDays(c *planner.Pages, perDay float64) time.Duration {
	days := float64(c.Count()) / perDay
	if !(days < 400) {
		days = 400
	}
	return time.Duration(max(days, 1) * 24 * float64(time.Hour))
}

// random visits pages in a new seeded random order in each round.
type random struct {
	cycling
	ranking planner.Heap[float64]
}

func newRandom(s Settings) planner.Policy { return &random{cycling: newCycling(s)} }

func (r *random) Begin(planner.Round) { r.ranking.Reset() }

func (r *random) Offer(pages []sitegraph.PageID) {
	draw := r.Seed + uint64(r.Pages.Round().Number)*0x9e3779b97f4a7c15
	r.ranking.Add(r.Pages, r.ties.UpTo(r.Pages), pages, func(p sitegraph.PageID) float64 {
		return planner.Tie(draw, r.Pages.Graph.URL(p))
	})
}

func (r *random) Next() (planner.Visit, bool) {
	best, ok := r.ranking.Pop(r.Pages)
	return planner.Unranked(best.Page, planner.Because("drawn at random")), ok
}

// breadthFirst visits pages by depth, ties in seeded order. In a stream it visits all of them and
// then starts again.
type breadthFirst struct {
	cycling
	left planner.FIFO // of this cycle
}

func newBreadthFirst(s Settings) planner.Policy { return &breadthFirst{cycling: newCycling(s)} }

func (b *breadthFirst) Begin(planner.Round) {
	if b.left.Len() == 0 {
		b.startCycle(math.MaxInt64)
	}
}

// startCycle queues all pages last seen before a given time, in unix seconds.
func (b *breadthFirst) startCycle(before int64) {
	b.left.Reset()
	for p := range sitegraph.PageID(b.Pages.Count()) {
		m := b.Pages.Memory(p)
		if m.State == sitegraph.StateAlive && int64(m.History.Last) < before {
			b.left.Push(p)
		}
	}
	b.byDepth(b.left.Waiting())
}

// byDepth sorts pages by depth, unreached ones last, ties in seeded order.
func (c *cycling) byDepth(pages []sitegraph.PageID) {
	t := c.ties.UpTo(c.Pages)
	slices.SortFunc(pages, func(p, q sitegraph.PageID) int {
		if d := c.depthOrLast(p) - c.depthOrLast(q); d != 0 {
			return d
		}
		if byTie := cmp.Compare(t[p], t[q]); byTie != 0 {
			return byTie
		}
		return int(p - q)
	})
}

func (c *cycling) depthOrLast(p sitegraph.PageID) int {
	if d := c.Pages.Graph.Depth(p); d > 0 {
		return d
	}
	return sitegraph.MaxDepth + 1
}

func (b *breadthFirst) Next() (planner.Visit, bool) {
	v, ok := b.turn()
	if !ok && b.Mode != planner.Sweep {
		b.startCycle(math.MaxInt64)
		v, ok = b.turn()
	}
	return v, ok
}

// turn takes the next page of this cycle; false: it is over.
func (b *breadthFirst) turn() (planner.Visit, bool) {
	for p, ok := b.left.Pop(); ok; p, ok = b.left.Pop() {
		if b.Pages.Refetchable(p) {
			depth := float64(b.Pages.Graph.Depth(p))
			return planner.Unranked(p, planner.Because("depth %.0f, its turn breadth-first",
				depth)), true
		}
	}
	return planner.Visit{}, false
}

// clairvoyant visits the pages that changed, in seeded order, then the rest.
type clairvoyant struct {
	cycling
	ranking planner.Heap[float64]
}

func newClairvoyant(s Settings) planner.Policy { return &clairvoyant{cycling: newCycling(s)} }

func (c *clairvoyant) Begin(planner.Round) { c.ranking.Reset() }

func (c *clairvoyant) Offer(pages []sitegraph.PageID) {
	c.ranking.Add(c.Pages, c.ties.UpTo(c.Pages), pages, func(p sitegraph.PageID) float64 {
		if c.Oracle(p) {
			return 1
		}
		return 0
	})
}

func (c *clairvoyant) Next() (planner.Visit, bool) {
	best, ok := c.ranking.Pop(c.Pages)
	return planner.Visit{
		Page:        best.Page,
		Probability: best.Score,
		Value:       best.Score,
		Reason:      planner.Because("the oracle knows"),
	}, ok
}
