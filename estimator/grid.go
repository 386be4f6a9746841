package estimator

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// GridSize is the number of rates of a Grid: from 0.0001 a day, a change in 27 years, to 24 a
// day, each 1.49 times the one before. A page needs some ten changes to tell two
// neighbours apart.
const GridSize = 32

const slowestGrid, fastestGrid = 1e-4, 24.0

// gridStep is the logarithm of the ratio of neighbouring rates.
var gridStep = math.Log(fastestGrid/slowestGrid) / (GridSize - 1)

// gridRates are the rates, per day.
var gridRates = func() (r [GridSize]float64) {
	for i := range r {
		r[i] = slowestGrid * math.Exp(float64(i)*gridStep)
	}
	return r
}()

// GridRate is the i-th rate of every Grid, per day.
func GridRate(i int) float64 { return gridRates[i] }

// Grid is what was seen of a page, for a posterior without a shape given in advance: the
// log-likelihood of each rate. The zero value has seen nothing. It takes
// the censored and irregular intervals as they are: the order does not matter, only Forget does.
type Grid struct {
	Log [GridSize]float64 // at most 0
}

// longestDays bounds one interval, as FromDays does.
const longestDays = 200 * 365

// Observe adds an interval: -rate * days where the page did not change, ln(1 - exp(-rate *
// days)) where it did. days may be effective ones (Profile.Exposure). Days that are not
// positive tell nothing; those beyond 200 years count as 200 years.
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

// Forget scales what was seen by keep in [0, 1]: as if only that share of the intervals had
// been seen (power prior). Where rates drift, ForgetDays comes before each Observe.
func (g *Grid) Forget(keep float64) {
	if !(keep < 1) { // also NaN
		return
	}
	keep = max(keep, 0)
	for i := range &g.Log {
		g.Log[i] *= keep
	}
}

// KeepPerDay is the share of the past to keep each day where rates drift: what was seen 69
// days ago counts half.
const KeepPerDay = 0.99

// ForgetDays is Forget of keepPerDay to the power of days.
func (g *Grid) ForgetDays(days, keepPerDay float64) {
	if days > 0 {
		g.Forget(math.Pow(min(max(keepPerDay, 0), 1), days))
	}
}

// Grid is the likelihood of grouped intervals over the grid.
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

// GridFromHistory is the likelihood of the intervals that FromHistory tells.
func GridFromHistory(h sitegraph.History) Grid { return FromHistory(h).Grid() }

// Posterior is the distribution of the rate given a prior and what was seen.
func (g *Grid) Posterior(prior *Rates) Rates {
	posterior, _ := g.posterior(prior)
	return posterior
}

// LogEvidence is the logarithm of the probability of what was seen under a prior, its rate
// averaged out: larger for the prior that foretold it better.
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
