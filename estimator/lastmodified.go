package estimator

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// LastModified returns the rate of a page that sends the time of its last change [Cho 2003, last
// date of change]: X'/T. X is changes, the accesses of N intervals that showed a change. T, quiet,
// sums the days in which the page did not change: whole intervals without a change, and in the
// others the days between the last modification and the access. X' removes the bias:
//
//	X' = (X - 1) - X / (N * ln(1 - X/N)),  X - 1 at X = N, 0 at X = 0.
//
// Even a page that changed at every visit has a finite rate. If quiet is 0, the page changed in the
// second of each visit: FastestRate if X' > 0. One changed access alone (X = N = 1) shows nothing:
// 0.
func LastModified(changes, intervals int, quiet float64) float64 {
	changes, intervals = regular(changes, intervals)
	x, n := float64(changes), float64(intervals)
	var corrected float64
	switch {
	case changes == 0:
		return 0
	case changes == intervals:
		corrected = x - 1
	default:
		corrected = max((x-1)-x/(n*math.Log1p(-x/n)), 0)
	}
	if corrected == 0 {
		return 0
	}
	if !positive(quiet) {
		return FastestRate
	}
	return min(corrected/quiet, FastestRate)
}

// LastModifiedEstimate is LastModified for a history whose page sent Last-Modified at every visit:
// then its Stable is the sum T. Otherwise the days after the modification are missing from T, and
// the rate is too high; says selects the case. The interval is that of X changes in T days under
// the Jeffreys prior, which is the likelihood of such data.
func LastModifiedEstimate(h sitegraph.History, says bool) Estimate {
	intervals := max(int(h.Visits)-1, 0)
	changes, _ := regular(int(h.Changes), intervals)
	quiet := Days(min(seconds(h.Stable), max(h.Elapsed(), 0)))
	e := ofRate("last-modified", LastModified(changes, intervals, quiet), intervals)
	if intervals == 0 || h.Elapsed() <= 0 {
		e = ofRate("last-modified", 0, 0)
		return e.unknown()
	}
	switch {
	case !says:
		e.Warning = "changes are not dated by the page: comes out high"
	case changes == 0:
		e.Warning = "never seen to change: the rate is 0"
	case changes == 1 && intervals == 1:
		e.Warning = "one access: no rate is free of bias"
	}
	if quiet <= 0 {
		return e.between(0, math.Inf(1))
	}
	return e.between(poissonInterval(float64(changes), quiet))
}
