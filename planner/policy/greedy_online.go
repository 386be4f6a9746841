package policy

import (
	"math"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// llnRates returns rates by the law of large numbers (Avrachenkov, Patil, Thoppe 2020). A page that
// never changed has rate 0. Before its first revisit a page has the rate of smoothedRates.
func llnRates(c *planner.Pages) *pageRates {
	return revisitedRates(c, estimator.LLN)
}

// sa is greedy by the rates of stochastic approximation (same source), each visit a step. After a
// restart the steps of a page are unknown: it continues from its rate by llnRates, which has the
// same limit.
type sa struct{ byRate }

func newLLN(s Settings) planner.Policy { return newGreedy(s, byRate{llnRates(s.Pages)}) }

func newSA(s Settings) planner.Policy { return newGreedy(s, sa{byRate{llnRates(s.Pages)}}) }

// Observe makes the step, which replaces the rate of the page.
func (s sa) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	h := &s.pages.Memory(p).History
	switch {
	case int(p) >= len(s.of):
	case verdict == sitegraph.VerdictFirst:
		s.of[p] = float32(math.NaN())
	case (verdict == sitegraph.VerdictChanged || verdict == sitegraph.VerdictUnchanged) &&
		h.Visits > 1:
		steps := estimator.SA{Intervals: int(h.Visits) - 2}
		if steps.Intervals > 0 {
			steps.Rate = float64(s.of[p])
		}
		if !math.IsNaN(steps.Rate) {
			visits := float64(h.Visits-1) / estimator.Days(h.Elapsed())
			steps.Add(verdict == sitegraph.VerdictChanged, visits)
		}
		s.of[p] = float32(steps.Rate)
	}
}
