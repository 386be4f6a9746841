package policy

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

// ebayes visits the pages most likely to have changed since their last visit: a Poisson rate per
// page under a gamma prior with the mean rate of all pages (empirical Bayes). Greedy on this
// probability is the long-run optimum for the number of changed pages found when rates are known,
// and pages of doubtful rate are pulled toward the others'. A page's value is the probability times
// its weight.
type ebayes struct {
	Settings `state:"same"`
	planner.Forecasts
	ties      rank.Ties
	ranking   rank.Heap[float64]
	prior     estimator.GammaPoisson
	threshold float64 // value of the last page that fitted into the budget, smoothed
	lowest    float64 // smallest value visited in this round
}

func newEBayes(s Settings) planner.Policy {
	return &ebayes{
		Settings:  s,
		ties:      rank.NewTies(s.Seed, s.Corpus.Graph.Scratch()),
		prior:     estimator.DefaultPrior,
		threshold: math.NaN(),
		lowest:    math.NaN(),
	}
}

func (e *ebayes) Begin(r planner.Round) {
	e.prior = e.Corpus.Prior()
	if math.IsNaN(e.threshold) {
		e.threshold = e.firstThreshold()
	}
	if !math.IsNaN(e.lowest) {
		e.threshold += 0.3 * (e.lowest - e.threshold) // about three rounds of memory
		e.lowest = math.NaN()
	}
	weighted := e.Corpus.Weighted()
	e.ranking.Fill(e.Corpus, e.ties.UpTo(e.Corpus), func(p sitegraph.PageID) (float64, bool) {
		// Where the probability 1 - exp(-x) is largest x is, which costs half as much.
		h := &e.Corpus.Memory(p).History
		x := e.prior.Posterior(*h).Exponent(h.Age(r.End))
		if weighted {
			return e.Corpus.Weight(p) * -math.Expm1(-x), e.Corpus.Weight(p) > 0
		}
		return x, true
	})
}

// firstThreshold stands in until a round has shown where the budget ends: an average page,
// visited once a cycle.
func (e *ebayes) firstThreshold() float64 {
	return e.prior.Probability(cycleDays(e.Corpus, e.PerDay)) * e.Corpus.MeanWeight()
}

func (e *ebayes) Next() (planner.Visit, bool) {
	best, ok := e.ranking.Pop(e.Corpus)
	if !ok {
		return planner.Visit{}, false
	}
	probability := -math.Expm1(-best.Score)
	value := probability
	if e.Corpus.Weighted() {
		value = best.Score
		probability = min(value/e.Corpus.Weight(best.Page), 1)
	}
	e.lowest = value
	m := e.Corpus.Memory(best.Page)
	return planner.Visit{
		Page: best.Page, Due: m.DueTime(), Probability: probability, Value: value,
		Reason: planner.Because(
			"%.0f changes seen in %.0f revisits, last visit %.3g days ago",
			float64(m.History.Changes),
			float64(m.History.Visits-1),
			estimator.Days(m.History.Age(e.Corpus.Round().End)),
		),
	}, true
}

// Probability is that of any page, for evaluations.
func (e *ebayes) Probability(p sitegraph.PageID, at time.Time) float64 {
	h := &e.Corpus.Memory(p).History
	return e.prior.Posterior(*h).Probability(h.Age(at))
}

func (e *ebayes) Observe(sitegraph.PageID, sitegraph.Verdict) {}

// Due is the moment at which the page's value crosses that of the last page which fitted into
// the budget, and its server's.
func (e *ebayes) Due(p sitegraph.PageID, now time.Time) (planner.Due, time.Duration) {
	h := e.Corpus.Memory(p).History
	posterior := e.prior.Posterior(h)
	threshold := e.threshold
	if math.IsNaN(threshold) {
		threshold = e.firstThreshold()
	}
	// Where a server's own limits are used up its pages must be worth more.
	threshold += e.Corpus.ServerPrice(e.Corpus.Graph.Server(p))
	weight := e.Corpus.Weight(p)
	if weight > 0 {
		threshold /= weight
	}
	wait := min(posterior.AgeAt(threshold), estimator.DefaultLimits.Max)
	why := planner.Because("its probability of change then reaches %.2g, where the budget ends",
		threshold)
	return planner.Due{When: h.LastVisit().Add(wait), Reason: why},
		estimator.FromDays(1 / posterior.Mean())
}
