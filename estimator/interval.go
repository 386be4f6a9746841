package estimator

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Limits bound an estimated interval: the paper's [u, T*u].
type Limits struct {
	Min, Max time.Duration // 0 < Min <= Max
}

// DefaultLimits are those of the evaluation in [SAT 4]: one day to 400 days.
var DefaultLimits = Limits{Min: Day, Max: 400 * Day}

// neverChangedGrowth lengthens the interval of a page that never changed. [SAT eq. 1] is not
// defined there (U = T); the factor is the usual one of interval-doubling crawlers.
const neverChangedGrowth = 1.5

// Interval estimates the mean time between changes by [SAT eq. 1]:
//
//	tc / ln(T/U),  tc = sqrt(tc_min * tc_avg),  tc_avg = (T - U) / m,  for 0 < U < T.
//
// For U = 0 (every visit saw a change) it is limits.Min. For U = T (none did) it is previous * 1.5,
// where previous is the interval used until now. For a page visited once it is previous. All
// results are clamped to the limits. previous may be 0: none.
func Interval(h sitegraph.History, previous time.Duration, limits Limits) Estimate {
	e := Estimate{Method: "interval", Observations: max(int(h.Visits)-1, 0)}
	t, u := h.Elapsed(), time.Duration(h.Stable)*time.Second
	var interval time.Duration
	switch {
	case t <= 0:
		interval, e.Warning = previous, "visited once: the interval is the one it was given"
	case h.Changes == 0 || u >= t:
		interval = time.Duration(neverChangedGrowth * float64(max(previous, limits.Min)))
		e.Warning = "never seen to change: the interval grows by half at each visit"
	case u <= 0:
		interval, e.Warning = limits.Min,
			"changed at every visit: the interval is the shortest allowed"
	default:
		interval = FromDays(
			meanInterval(
				Days(t),
				Days(u),
				float64(h.Changes),
				Days(time.Duration(h.MinInterval)*time.Second),
			),
		)
	}
	e.Interval = min(max(interval, limits.Min), limits.Max)
	e.RatePerDay = 1 / Days(e.Interval)
	e.Low, e.High = e.RatePerDay, e.RatePerDay
	return e
}

// meanInterval returns [SAT eq. 1] itself; all arguments positive, u < t.
func meanInterval(t, u, m, shortest float64) float64 {
	average := (t - u) / m
	return math.Sqrt(shortest*average) / math.Log(t/u)
}

// At adds to an estimate the probability of a change within age, for a Poisson process of its rate:
// 1 - exp(-rate * age).
func (e Estimate) At(age time.Duration) Estimate {
	e.Probability = -math.Expm1(-e.RatePerDay * Days(max(age, 0)))
	return e
}
