package policy

import (
	"math"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// pageRates holds an estimated change rate of each page, made anew after each visit. 4 bytes a
// page.
type pageRates struct {
	pages    *planner.Pages
	estimate func(p sitegraph.PageID) float64 // changes a day, >= 0
	of       []float32                        // NaN: to be made
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

// probability is that of a Poisson process.
func (r *pageRates) probability(p sitegraph.PageID, days float64) float64 {
	return -math.Expm1(-r.rate(p) * days)
}

func (r *pageRates) why(p sitegraph.PageID, days, _ float64) planner.Reason {
	return planner.Because("%.3g changes a day estimated, last visit %s ago",
		r.rate(p), days)
}

// smoothedRates are by the smoothed maximum likelihood of irregular intervals: of what a History
// knows of them. Before a page's first revisit its rate is ln(2)/0.5 = 1.39 a day.
func smoothedRates(c *planner.Pages) *pageRates {
	return &pageRates{pages: c, estimate: func(p sitegraph.PageID) float64 {
		return estimator.MLEFromHistory(c.Memory(p).History)
	}}
}

// biasReducedRates are by [Cho 2003]'s estimator for regular visits, its interval the mean one. A
// page that never changed has rate 0; before its first revisit a page has that of smoothedRates.
func biasReducedRates(c *planner.Pages) *pageRates {
	return revisitedRates(c, estimator.BiasReduced)
}

// revisitedRates are by an estimator of the changes in so many intervals of so many days in all;
// before its first revisit a page has the rate of smoothedRates.
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

// trueRates are the long-run ones, told by an evaluation.
func trueRates(s Settings) *pageRates {
	return &pageRates{pages: s.Pages, estimate: s.TrueRate}
}

// byRate scores by the changes expected since the last visit, rate * age, which ranks as the
// probability of a change does: the long-run optimum for the number of changes found where
// rates are known.
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
// t days after the last, t*D(t) - integral of D from 0 to t, for the divergence D(t) = 1 -
// exp(-rate*t), that of a copy that is either right or wrong: histories know no shingles. One
// threshold for all pages gives the schedule of the optimal freshness. Their control of risk bounds
// the wait by riskFactor * threshold / greatest divergence.
type longevity struct{ *pageRates }

// riskFactor is their rho, at least 1: at 1 the bound is always first, and all is round robin.
const riskFactor = 10

func (l longevity) score(p sitegraph.PageID, days float64) float64 {
	rate := l.rate(p)
	return max(marginal(rate*days)/max(rate, math.SmallestNonzeroFloat64), days/riskFactor)
}

// marginal is 1 - (1+x) exp(-x), of x expected changes: what a visit more a day is worth, in
// the limit; accurate for small x, where it is x^2/2.
func marginal(x float64) float64 {
	if x < 1e-4 {
		return x * x * (0.5 - x/3)
	}
	return -math.Expm1(-x + math.Log1p(x))
}

func newLongevity(s Settings) planner.Policy {
	return newGreedy(s, longevity{smoothedRates(s.Pages)})
}
