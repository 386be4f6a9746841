package policy

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// uniform visits the oldest copy first: all pages equally often, round-robin.
type uniform struct {
	cycling
	ranking planner.Heap[float64]
}

func newUniform(s Settings) planner.Policy { return &uniform{cycling: newCycling(s)} }

func (u *uniform) Begin(planner.Round) { u.ranking.Reset() }

func (u *uniform) Offer(pages []sitegraph.PageID) {
	u.ranking.Add(u.Pages, u.ties.UpTo(u.Pages), pages, func(p sitegraph.PageID) float64 {
		return -float64(u.Pages.Memory(p).History.Last)
	})
}

func (u *uniform) Next() (planner.Visit, bool) {
	best, ok := u.ranking.Pop(u.Pages)
	return planner.Unranked(best.Page, planner.Because("oldest copy")), ok
}
