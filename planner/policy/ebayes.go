package policy

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// ebayes visits the pages most likely to have changed since their last visit: a Poisson rate per
// page under a gamma prior with the mean rate of all pages (empirical Bayes). At known rates,
// choosing greedily by this probability is optimal in the long run for the number of changed pages
// found. Pages of uncertain rate are pulled toward the others. A page's value is the probability
// times its weight.
type ebayes struct {
	Settings `state:"same"`
	planner.EachRound
	ties    planner.Ties
	ranking planner.Heap[float64]
	prior   estimator.GammaPoisson
}

func newEBayes(s Settings) planner.Policy {
	return &ebayes{
		Settings: s,
		ties:     planner.NewTies(s.Seed, s.Pages.Graph.Scratch()),
		prior:    estimator.DefaultPrior,
	}
}

func (e *ebayes) Begin(planner.Round) {
	e.prior = e.Pages.Prior()
	e.ranking.Reset()
}

func (e *ebayes) Offer(pages []sitegraph.PageID) {
	weighted, end := e.Pages.Weighted(), e.Pages.Round().End
	e.ranking.Add(e.Pages, e.ties.UpTo(e.Pages), pages, func(p sitegraph.PageID) float64 {
		// The probability 1 - exp(-x) ranks like x, which costs half as much.
		h := &e.Pages.Memory(p).History
		x := e.prior.Posterior(*h).Exponent(h.Age(end))
		if weighted {
			return e.Pages.Weight(p) * -math.Expm1(-x)
		}
		return x
	})
}

func (e *ebayes) Next() (planner.Visit, bool) {
	best, ok := e.ranking.Pop(e.Pages)
	if !ok {
		return planner.Visit{}, false
	}
	probability := -math.Expm1(-best.Score)
	value := probability
	if e.Pages.Weighted() {
		value = best.Score
		probability = min(value/e.Pages.Weight(best.Page), 1)
	}
	m := e.Pages.Memory(best.Page)
	return planner.Visit{
		Page: best.Page, Probability: probability, Value: value,
		Reason: planner.Because(
			"%.0f changes seen in %.0f revisits, last visit %s ago",
			float64(m.History.Changes),
			float64(m.History.Visits-1),
			estimator.Days(m.History.Age(e.Pages.Round().End)),
		),
	}, true
}

// Probability returns the probability of any page, for evaluations.
func (e *ebayes) Probability(p sitegraph.PageID, at time.Time) float64 {
	h := &e.Pages.Memory(p).History
	return e.prior.Posterior(*h).Probability(h.Age(at))
}

func (e *ebayes) Observe(sitegraph.PageID, sitegraph.Verdict) {}

// Due returns the next round; the interval is the mean one.
func (e *ebayes) Due(p sitegraph.PageID, now time.Time) (planner.Due, time.Duration) {
	due, _ := e.EachRound.Due(p, now)
	return due, estimator.FromDays(1 / e.prior.Posterior(e.Pages.Memory(p).History).Mean())
}
