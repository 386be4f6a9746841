package workload

import (
	"math"
	"slices"
)

// The shares that make the figures of [SAT fig. 2]: see the promises of this package.
const (
	dailyShare = 0.075
	rising     = 0.85 // of the daily, spread rising over the hours; the rest evenly
	decay      = -0.5 // exponent of the days above one
)

// hourShares and dayShares are cumulative: of intervals of 1 to 24 hours among the daily,
// and of 2 to 400 days among the others.
var hourShares, dayShares = cumulative(
	24,
	func(i int) float64 { return rising*float64(i+1)/300 + (1-rising)/24 },
),
	cumulative(longestDays-1, func(i int) float64 { return math.Pow(float64(i+2), decay) })

// cumulative returns running sums, the last of which is 1.
func cumulative(n int, weight func(i int) float64) []float64 {
	sums, sum := make([]float64, n), 0.0
	for i := range sums {
		sum += weight(i)
		sums[i] = sum
	}
	for i := range sums {
		sums[i] /= sum
	}
	return sums
}

// intervalHours is tau in hours, 1 to 9600.
func intervalHours(i uint32) int {
	// Below the last of the sums, whatever rounding did to it.
	at := share(draw(i, drawLength)) * 0.9999999
	if share(draw(i, drawSpread)) < dailyShare {
		n, _ := slices.BinarySearch(hourShares, at)
		return 1 + n
	}
	n, _ := slices.BinarySearch(dayShares, at)
	return (n+1)*24 + 1 + int(draw(i, drawHour)%24)
}

// Interval is tau of a record in units, 1 to Options.MaxUnits.
func (w *Workload) Interval(i uint32) int {
	tau := intervalHours(i)
	switch w.Unit {
	case Day:
		tau = (tau + 23) / 24
	case Minute:
		tau = (tau-1)*60 + 1 + int(draw(i, drawMinute)%60)
	}
	return min(tau, w.MaxUnits)
}

// First is when a record is due first.
func (w *Workload) First(i uint32) int { return w.first(i, w.Interval(i)) }

func (w *Workload) first(i uint32, tau int) int { return 1 + int(draw(i, drawFirst)%uint64(tau)) }
