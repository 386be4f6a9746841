package estimator

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Observed is one access interval of a page and its outcome: whether the page had changed, once or
// more often, since the visit before. Every estimator ignores an interval without a positive,
// finite number of days.
type Observed struct {
	Days    float64
	Changed bool
}

// FastestRate bounds every rate: one change a second, the resolution of visit times.
const FastestRate = 24 * 60 * 60

// Level is the confidence of the intervals in an Estimate.
const Level = 0.95

const tail = (1 - Level) / 2

// Naive returns the seen changes by the watched days, X/T. It is too low for pages that change more
// often than they are visited, since a visit sees at most one change. At the rate r and equal
// intervals I it tends to (1 - exp(-r*I)) / I [Cho 2003]. It is 0 without changes or days.
func Naive(changes, intervals int, days float64) float64 {
	changes, intervals = regular(changes, intervals)
	if intervals == 0 || !positive(days) {
		return 0
	}
	return min(float64(changes)/days, FastestRate)
}

// NaiveEstimate returns Naive with the interval of a Poisson count under the Jeffreys prior, which
// is right if no interval hid a second change.
func NaiveEstimate(changes, intervals int, days float64) Estimate {
	changes, intervals = regular(changes, intervals)
	e := ofRate("naive", Naive(changes, intervals, days), intervals)
	switch {
	case intervals == 0 || !positive(days):
		return e.unknown()
	case changes == 0:
		e.Warning = "never seen to change: the rate is 0"
	case changes == intervals:
		e.Warning = "changed at every visit: the rate is that of the visits, the least it can be"
	}
	return e.between(poissonInterval(float64(changes), days))
}

// BiasReduced returns the rate from visits at equal intervals of I = T/n days, less biased than
// -ln(1 - X/n) / I and finite at X = n [Cho 2003, regular access]:
//
//	-ln((n - X + 0.5) / (n + 0.5)) / I.
//
// At X = 0 it is 0. For unequal intervals it uses their mean, and is too low: use Grouped.MLE.
func BiasReduced(changes, intervals int, days float64) float64 {
	changes, intervals = regular(changes, intervals)
	if intervals == 0 || !positive(days) {
		return 0
	}
	x, n := float64(changes), float64(intervals)
	return min(-math.Log1p(-x/(n+0.5))*n/days, FastestRate)
}

// BiasReducedEstimate returns BiasReduced with the Jeffreys interval of the share of intervals with
// a change (Brown, Cai, DasGupta 2001), open if all or none had one.
func BiasReducedEstimate(changes, intervals int, days float64) Estimate {
	changes, intervals = regular(changes, intervals)
	e := ofRate("bias-reduced", BiasReduced(changes, intervals, days), intervals)
	if intervals == 0 || !positive(days) {
		return e.unknown()
	}
	low, high := 0.0, math.Inf(1)
	// quantile returns that of the share of intervals with a change, a beta distribution.
	quantile := func(p float64) float64 {
		return mathext.InvRegIncBeta(float64(changes)+0.5, float64(intervals-changes)+0.5, p)
	}
	perDay := func(p float64) float64 { return -math.Log1p(-p) * float64(intervals) / days }
	if changes == 0 {
		e.Warning = "never seen to change: the rate is 0"
	} else {
		low = perDay(quantile(tail))
	}
	if changes == intervals {
		e.Warning = "changed at every visit: the rate is a convention, and any faster one is " +
			"possible"
	} else {
		high = perDay(quantile(1 - tail))
	}
	return e.between(low, high)
}

// regular returns possible counts: 0 <= changes <= intervals.
func regular(changes, intervals int) (int, int) {
	intervals = max(intervals, 0)
	return min(max(changes, 0), intervals), intervals
}

// positive reports whether a number of days can be an interval.
func positive(days float64) bool { return days > 0 && !math.IsInf(days, 1) }

// poissonInterval returns the interval of a Poisson rate by changes and days, under the Jeffreys
// prior; from 0 if there were no changes.
func poissonInterval(changes, days float64) (low, high float64) {
	if changes > 0 {
		low = gammaQuantile(changes+0.5, days, tail)
	}
	return low, gammaQuantile(changes+0.5, days, 1-tail)
}

// ofRate returns an estimate without uncertainty.
func ofRate(method string, rate float64, observations int) Estimate {
	return Estimate{
		Method:       method,
		RatePerDay:   rate,
		Low:          rate,
		High:         rate,
		Interval:     FromDays(1 / rate),
		Observations: observations,
	}
}

// unknown returns the estimate of a page without data.
func (e Estimate) unknown() Estimate {
	e.Low, e.High = 0, FastestRate
	e.Warning = "visited once: nothing is known"
	return e
}

// between adds an interval, widened to contain the rate and cut at FastestRate.
func (e Estimate) between(low, high float64) Estimate {
	e.Low = min(max(low, 0), e.RatePerDay)
	e.High = max(min(high, FastestRate), e.RatePerDay)
	return e
}
