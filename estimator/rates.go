package estimator

import (
	"math"
	"time"

	"gonum.org/v1/gonum/mathext"
)

// Rates is a distribution of change rates over the grid: a prior, or the posterior of a page. Each
// rate covers the rates nearer to it than to its neighbours on a logarithmic scale. The zero value
// allows no rate; a posterior under it is that of FlatRates.
type Rates struct {
	Weight [GridSize]float64 // >= 0, sum 1
}

// FlatRates returns equal weights for all rates of the grid: log-uniform.
func FlatRates() (r Rates) {
	for i := range &r.Weight {
		r.Weight[i] = 1.0 / GridSize
	}
	return r
}

// DefaultRates returns the prior of a page without data: DefaultPrior on the grid, with one page in
// twenty taken from FlatRates. Under a gamma distribution alone, a page that changes daily has a
// probability near zero, and a hundred changes would not outweigh that.
func DefaultRates() Rates {
	const flat = 0.05
	r := DefaultPrior.Rates()
	for i := range &r.Weight {
		r.Weight[i] = (1-flat)*r.Weight[i] + flat/GridSize
	}
	return r
}

// Rates returns a gamma distribution on the grid, whose ends include everything beyond them.
func (g GammaPoisson) Rates() (r Rates) {
	before := 0.0
	for i := range &r.Weight {
		upTo := 1.0
		if i < GridSize-1 {
			upTo = mathext.GammaIncReg(g.Shape, g.Days*gridRates[i]*math.Exp(gridStep/2))
		}
		r.Weight[i] = max(upTo-before, 0)
		before = upTo
	}
	return r
}

// Probability returns the probability of a change within days, averaged over the rate: 1 - sum of
// weight * exp(-rate * days). It is 0 at 0 days and below.
func (r *Rates) Probability(days float64) float64 {
	if !(days > 0) {
		return 0
	}
	days = min(days, longestDays)
	p := 0.0
	for i, w := range &r.Weight {
		p -= w * math.Expm1(-gridRates[i]*days)
	}
	return min(p, 1)
}

// Mean returns the mean rate, in changes a day.
func (r *Rates) Mean() float64 {
	mean := 0.0
	for i, w := range &r.Weight {
		mean += w * gridRates[i]
	}
	return mean
}

// Quantile returns the rate below which the share p in [0, 1] lies, with the weight of each rate
// spread evenly over the neighbouring logarithms.
func (r *Rates) Quantile(p float64) float64 {
	sum := 0.0
	for i, w := range &r.Weight {
		if w > 0 && (sum+w >= p || i == GridSize-1) {
			within := min(max((p-sum)/w, 0), 1)
			return gridRates[i] * math.Exp(gridStep*(within-0.5))
		}
		sum += w
	}
	return gridRates[GridSize-1] * math.Exp(gridStep/2)
}

// Estimate returns the mean rate, its 95 % credible interval, and the probability of a change
// within age. observations is the number of intervals.
func (r *Rates) Estimate(observations int, age time.Duration) Estimate {
	e := ofRate("grid", r.Mean(), max(observations, 0)).between(r.Quantile(tail),
		r.Quantile(1-tail))
	e.Probability = r.Probability(Days(age))
	if observations <= 0 {
		e.Warning = "visited once: the rate is that of its prior"
	}
	return e
}
