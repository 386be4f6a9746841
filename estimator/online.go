package estimator

import "math"

// LLN returns the law-of-large-numbers estimate of Avrachenkov, Patil and Thoppe 2020, for visits
// at random times (a Poisson process) of rate p. The next event is a change rather than a visit
// with probability rate/(rate+p). The share of visits that see a change tends to it, so
//
//	rate = p * X / (n + 1 - X)
//
// for X changes in n intervals. The 1 is their stabiliser a, which need only be small compared with
// n and keeps the rate finite at X = n. They set p; here it is the actual rate, n/days. Without
// changes or days it is 0. For visits at equal intervals I its limit is (exp(rate*I) - 1) / I,
// which is too high: use BiasReduced.
func LLN(changes, intervals int, days float64) float64 {
	changes, intervals = regular(changes, intervals)
	if changes == 0 || !positive(days) {
		return 0
	}
	x, n := float64(changes), float64(intervals)
	return min(n/days*(x/(n+1-x)), FastestRate)
}

// SA is the stochastic-approximation estimator of Avrachenkov, Patil and Thoppe 2020, under the
// same model as LLN. Visit k+1 to a page whose visits have the rate p moves the rate y by
//
//	y += (k+1)^-0.75 * (I * (y + p) - y),   I = 1 if it saw a change, else 0,
//
// whose fixed point is y if I is 1 with probability y/(y+p). It converges with any power above 1/2
// and up to 1; 0.75 is the middle. It needs no count of changes, forgets old visits slowly, and
// depends on their order. The first visit moves it all the way, so a page that never changed has
// rate 0. The zero value is a page visited once.
type SA struct {
	Rate      float64 // changes a day, in [0, FastestRate]
	Intervals int     // k
}

// saPower is the power by which steps of SA shrink.
const saPower = 0.75

// Add adds the outcome of an interval. It ignores visits without a positive, finite rate.
func (s *SA) Add(changed bool, visitsPerDay float64) {
	if !positive(visitsPerDay) {
		return
	}
	target := 0.0
	if changed {
		target = s.Rate + visitsPerDay
	}
	step := math.Pow(float64(max(s.Intervals, 0)+1), -saPower)
	s.Rate = min(max(s.Rate+step*(target-s.Rate), 0), FastestRate)
	s.Intervals = max(s.Intervals, 0) + 1
}
