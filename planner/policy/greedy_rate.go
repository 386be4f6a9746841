package policy

import (
	"math"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// pageRates has an estimated change rate of each page, made anew after each visit: 4 bytes a page.
type pageRates struct {
	pages    *planner.Pages
	estimate func(p sitegraph.PageID) float64 // changes a day, >= 0
	of       []float32                        // NaN: to be estimated
}

func (r *pageRates) begin(planner.Round) {
	for len(r.of) < r.pages.Count() {
		r.of = append(r.of, float32(math.NaN()))
	}
}

func (r *pageRates) rate(p sitegraph.PageID) float64 {
	if int(p) >= len(r.of) {
		return r.estimate(p)
	}
	if math.IsNaN(float64(r.of[p])) {
		r.of[p] = float32(r.estimate(p))
	}
	return float64(r.of[p])
}

func (r *pageRates) Observe(p sitegraph.PageID, _ sitegraph.Verdict) {
	if int(p) < len(r.of) {
		r.of[p] = float32(math.NaN())
	}
}

// probability returns that of a Poisson process.
func (r *pageRates) probability(p sitegraph.PageID, days float64) float64 {
	return -math.Expm1(-r.rate(p) * days)
}

func (r *pageRates) why(p sitegraph.PageID, days, _ float64) planner.Reason {
	return planner.Because("%.3g changes a day estimated, last visit %s ago",
		r.rate(p), days)
}

// smoothedRates returns rates by the smoothed maximum likelihood of irregular intervals, with the
// intervals that a History has. Before a page's first revisit its rate is ln(2)/0.5 = 1.39 a day.
func smoothedRates(c *planner.Pages) *pageRates {
	return &pageRates{pages: c, estimate: func(p sitegraph.PageID) float64 {
		return estimator.MLEFromHistory(c.Memory(p).History)
	}}
}

// biasReducedRates returns rates by the estimator of [Cho 2003] for regular visits at the mean
// interval. A page that never changed has rate 0. Before its first revisit a page has the rate of
// smoothedRates.
func biasReducedRates(c *planner.Pages) *pageRates {
	return revisitedRates(c, estimator.BiasReduced)
}

// revisitedRates returns rates by an estimator of changes, intervals and days in all. Before its
// first revisit a page has the rate of smoothedRates.
func revisitedRates(c *planner.Pages,
	of func(changes, intervals int, days float64) float64) *pageRates {
	unvisited := estimator.MLEFromHistory(sitegraph.History{})
	return &pageRates{pages: c, estimate: func(p sitegraph.PageID) float64 {
		h := &c.Memory(p).History
		if h.Visits <= 1 {
			return unvisited
		}
		return of(int(h.Changes), int(h.Visits)-1, estimator.Days(h.Elapsed()))
	}}
}

// trueRates returns the long-run rates, given by an evaluation.
func trueRates(s Settings) *pageRates {
	return &pageRates{pages: s.Pages, estimate: s.TrueRate}
}

// byRate scores by the expected changes since the last visit, rate * age, which ranks like the
// probability of a change: at known rates the long-run optimum for the number of changes found.
type byRate struct{ *pageRates }

func (b byRate) score(p sitegraph.PageID, days float64) float64 { return b.rate(p) * days }

func newPoisson(s Settings) planner.Policy {
	return newGreedy(s, byRate{smoothedRates(s.Pages)})
}
func newChoBiased(s Settings) planner.Policy {
	return newGreedy(s, byRate{biasReducedRates(s.Pages)})
}
func newTrueRates(s Settings) planner.Policy { return newGreedy(s, byRate{trueRates(s)}) }

// longevity is the local threshold form of Olston and Pandey 2008 (eq. 4): the utility of a refresh
// t days after the last, t*D(t) - integral of D from 0 to t. The divergence D(t) = 1 - exp(-rate*t)
// is that of a copy that is either right or wrong, since histories have no shingles. One threshold
// for all pages gives the schedule of the optimal freshness. Their control of risk bounds the wait
// by riskFactor * threshold / greatest divergence.
type longevity struct{ *pageRates }

// riskFactor is their rho, at least 1. At 1 the bound always comes first, and the order is round
// robin.
const riskFactor = 10

func (l longevity) score(p sitegraph.PageID, days float64) float64 {
	rate := l.rate(p)
	return max(marginal(rate*days)/max(rate, math.SmallestNonzeroFloat64), days/riskFactor)
}

// marginal returns 1 - (1+x) exp(-x), for x expected changes: the worth of one more visit a day, in
// the limit. It is accurate for small x, where it is x^2/2.
func marginal(x float64) float64 {
	if x < 1e-4 {
		return x * x * (0.5 - x/3)
	}
	return -math.Expm1(-x + math.Log1p(x))
}

func newLongevity(s Settings) planner.Policy {
	return newGreedy(s, longevity{smoothedRates(s.Pages)})
}
