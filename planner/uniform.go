package planner

import (
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

// uniform visits the oldest copy first: all pages equally often, round-robin.
type uniform struct {
	cycling
	ranking rank.Heap[float64]
}

func newUniform(s Settings) Policy { return &uniform{cycling: newCycling(s)} }

func (u *uniform) Begin(Round) {
	u.ranking.Fill(u.Corpus, u.ties.UpTo(u.Corpus), func(p sitegraph.PageID) (float64, bool) {
		return -float64(u.Corpus.Memory(p).History.Last), true
	})
}

func (u *uniform) Next() (Visit, bool) {
	best, ok := u.ranking.Pop(u.Corpus)
	return unranked(best.Page, because("oldest copy")), ok
}
