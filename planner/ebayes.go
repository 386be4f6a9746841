package planner

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/sitegraph"
)

// ebayes visits the pages most likely to have changed since their last visit: a Poisson
// rate per page under a gamma prior with the mean rate of all pages (empirical Bayes). Greedy on this
// probability is the long-run optimum for the number of changed pages found when rates are
// known, and pages of doubtful rate are pulled toward the others'.
type ebayes struct {
	Settings
	ties      ties
	ranking   ranking
	prior     estimator.GammaPoisson
	threshold float64 // probability of the last page that fitted into the budget, smoothed
	lowest    float64 // smallest probability visited in this round
}

func newEBayes(s Settings) Policy {
	return &ebayes{Settings: s, ties: ties{seed: s.Seed}, prior: estimator.DefaultPrior, threshold: math.NaN(), lowest: math.NaN()}
}

func (e *ebayes) Begin(r Round) {
	e.prior = e.Corpus.Prior()
	if math.IsNaN(e.threshold) {
		e.threshold = e.firstThreshold()
	}
	if !math.IsNaN(e.lowest) {
		e.threshold += 0.3 * (e.lowest - e.threshold) // about three rounds of memory
		e.lowest = math.NaN()
	}
	e.ranking.fill(e.Corpus, e.ties.upTo(e.Corpus), func(p sitegraph.PageID) (float64, bool) {
		// Where the probability 1 - exp(-x) is largest x is, which costs half as much.
		h := &e.Corpus.Memory(p).History
		return e.prior.Posterior(*h).Exponent(h.Age(r.End)), true
	})
}

// firstThreshold stands in until a round has shown where the budget ends: an average page,
// visited once a cycle.
func (e *ebayes) firstThreshold() float64 {
	return e.prior.Probability(cycleDays(e.Corpus, e.PerDay))
}

func (e *ebayes) Next() (Visit, bool) {
	best, ok := e.ranking.pop(e.Corpus)
	if !ok {
		return Visit{}, false
	}
	probability := -math.Expm1(-best.score)
	e.lowest = probability
	m := e.Corpus.Memory(best.page)
	return Visit{
		Page: best.page, Due: dueTime(m), Probability: probability, Value: probability,
		Reason: because("%.0f changes seen in %.0f revisits, last visit %.3g days ago",
			float64(m.History.Changes), float64(m.History.Visits-1), estimator.Days(m.History.Age(e.Corpus.Round().End))),
	}, true
}

func dueTime(m *Memory) time.Time {
	if m.Due == 0 {
		return time.Time{}
	}
	return time.Unix(int64(m.Due), 0).UTC()
}

func (e *ebayes) Observe(sitegraph.PageID, sitegraph.Verdict) {}

// Due is the moment at which the page's probability crosses that of the last page which
// fitted into the budget.
func (e *ebayes) Due(p sitegraph.PageID, now time.Time) (Due, time.Duration) {
	h := e.Corpus.Memory(p).History
	posterior := e.prior.Posterior(h)
	threshold := e.threshold
	if math.IsNaN(threshold) {
		threshold = e.firstThreshold()
	}
	wait := min(posterior.AgeAt(threshold), estimator.DefaultLimits.Max)
	return Due{h.LastVisit().Add(wait), because("its probability of change then reaches %.2g, where the budget ends", threshold)},
		estimator.FromDays(1 / posterior.Mean())
}
