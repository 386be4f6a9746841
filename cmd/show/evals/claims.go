package evals

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// ClaimColumns head what ClaimCells returns.
var ClaimColumns = []string{"sources", "pages", "changed: right", "wrong", "same: wrong", "right"}

// ClaimCells returns the counts of claims as cells of a table.
func ClaimCells(c planner.HintCounts) []string {
	var cells []string
	for _, n := range []int{c.Sources, c.Pages, c.True, c.False, c.Missed, c.Same} {
		cells = append(cells, words.Count(n))
	}
	return cells
}
