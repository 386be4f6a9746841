package estimator

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// GridSize is the number of rates of a Grid: from 0.0001 a day, a change in 27 years, to 24 a day,
// each 1.49 times the one before. About ten changes distinguish two neighbours.
const GridSize = 32

const slowestGrid, fastestGrid = 1e-4, 24.0

// gridStep is the logarithm of the ratio of neighbouring rates.
var gridStep = math.Log(fastestGrid/slowestGrid) / (GridSize - 1)

// gridRates has the rates, per day.
var gridRates = func() (r [GridSize]float64) {
	for i := range r {
		r[i] = slowestGrid * math.Exp(float64(i)*gridStep)
	}
	return r
}()

// GridRate returns the i-th rate of every Grid, per day.
func GridRate(i int) float64 { return gridRates[i] }

// Grid is the log-likelihood of each rate by the visits to a page, for a posterior without a given
// shape. The zero value has no visits. It uses censored and irregular intervals as they are: their
// order matters only with Forget.
type Grid struct {
	Log [GridSize]float64 // at most 0
}

// longestDays bounds one interval, like FromDays.
const longestDays = 200 * 365

// Observe adds an interval: -rate * days if the page did not change, ln(1 - exp(-rate * days)) if
// it did. It ignores days that are not positive, and cuts them at 200 years.
func (g *Grid) Observe(days float64, changed bool) { g.observe(1, days, changed) }

// shortestDays keeps the logarithm of a rate times days finite.
const shortestDays = 1e-9

func (g *Grid) observe(times, days float64, changed bool) {
	if !(days > 0) {
		return
	}
	days = min(max(days, shortestDays), longestDays)
	for i, rate := range &gridRates {
		if changed {
			g.Log[i] += times * logChanged(rate*days)
		} else {
			g.Log[i] -= times * rate * days
		}
	}
}

// Forget scales the evidence by keep in [0, 1], as if only that share of the intervals had been
// seen (power prior). If rates drift, call ForgetDays before each Observe.
func (g *Grid) Forget(keep float64) {
	if !(keep < 1) { // also NaN
		return
	}
	keep = max(keep, 0)
	for i := range &g.Log {
		g.Log[i] *= keep
	}
}

// KeepPerDay is the share of the evidence to keep each day if rates drift: evidence of 69 days ago
// counts half.
const KeepPerDay = 0.99

// ForgetDays is Forget with keepPerDay to the power of days.
func (g *Grid) ForgetDays(days, keepPerDay float64) {
	if days > 0 {
		g.Forget(math.Pow(min(max(keepPerDay, 0), 1), days))
	}
}

// Grid returns the likelihood of grouped intervals over the grid.
func (g Grouped) Grid() Grid {
	var l Grid
	l.Add(g)
	return l
}

// Add observes grouped intervals.
func (g *Grid) Add(intervals Grouped) {
	g.observe(1, intervals.Unchanged, false)
	for _, changed := range intervals.Changed {
		if changed.Count > 0 {
			g.observe(changed.Count, changed.Days, true)
		}
	}
}

// GridFromHistory returns the likelihood of the intervals of FromHistory.
func GridFromHistory(h sitegraph.History) Grid { return FromHistory(h).Grid() }

// Posterior returns the distribution of the rate given a prior and the visits.
func (g *Grid) Posterior(prior *Rates) Rates {
	posterior, _ := g.posterior(prior)
	return posterior
}

// LogEvidence returns the log probability of the visits under a prior, averaged over the rate:
// larger for the prior that predicted them better.
func (g *Grid) LogEvidence(prior *Rates) float64 {
	_, evidence := g.posterior(prior)
	return evidence
}

func (g *Grid) posterior(prior *Rates) (posterior Rates, logEvidence float64) {
	most := math.Inf(-1)
	for i, w := range &prior.Weight {
		if w > 0 {
			most = max(most, g.Log[i])
		}
	}
	sum := 0.0
	for i, w := range &prior.Weight {
		if w > 0 {
			x := w * math.Exp(g.Log[i]-most)
			posterior.Weight[i] = x
			sum += x
		}
	}
	if !(sum > 0) { // a prior that allows no rate
		return FlatRates(), math.Inf(-1)
	}
	for i := range &posterior.Weight {
		posterior.Weight[i] /= sum
	}
	return posterior, most + math.Log(sum)
}
