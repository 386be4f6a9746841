package estimator

import "math"

// likelihood is that of a Poisson rate. It needs the sum of the intervals without a change, and the
// number of changed intervals of each length. It ignores groups without a count or a positive,
// finite length.
type likelihood struct {
	unchanged float64 // days
	changed   []Group
}

// halfChiSquare is half the 95 % point of the chi-square distribution with one degree of freedom:
// the drop of the log likelihood at the ends of a likelihood interval.
const halfChiSquare = 3.841458820694124 / 2

// sums returns the days of unchanged intervals, the number of changed ones, and their days.
func (l likelihood) sums() (unchanged, changes, changed float64) {
	if positive(l.unchanged) {
		unchanged = l.unchanged
	}
	for _, g := range l.changed {
		if g.Count > 0 && positive(g.Days) {
			changes += g.Count
			changed += g.Count * g.Days
		}
	}
	return unchanged, changes, changed
}

// root returns the rate of maximum likelihood. The logarithm of pull is convex, so Newton's method
// from below does not pass the root; X/T is below.
func (l likelihood) root() float64 {
	unchanged, changes, changed := l.sums()
	if changes == 0 {
		return 0
	}
	if unchanged <= 0 {
		return FastestRate
	}
	rate := min(changes/(unchanged+changed), FastestRate)
	for range 100 { // 5 to 10 for ordinary pages
		pull, slope := l.pull(rate)
		step := math.Log(unchanged/pull) * pull / slope
		if !(step > 0) { // also NaN: no further progress
			break
		}
		rate += step
		if rate >= FastestRate {
			return FastestRate
		}
		if step < 1e-12*rate {
			break
		}
	}
	return rate
}

// pull returns the left side of the equation of MLE, and its derivative by the rate.
func (l likelihood) pull(rate float64) (sum, slope float64) {
	for _, g := range l.changed {
		if g.Count > 0 && positive(g.Days) {
			e := math.Expm1(rate * g.Days)
			term := g.Count * g.Days / e
			sum += term
			slope -= term * g.Days * (1 + 1/e)
		}
	}
	return sum, slope
}

// log returns the log-likelihood of a positive rate.
func (l likelihood) log(rate float64) float64 {
	sum := 0.0
	if positive(l.unchanged) {
		sum -= rate * l.unchanged
	}
	for _, g := range l.changed {
		if g.Count > 0 && positive(g.Days) {
			sum += g.Count * logChanged(rate*g.Days)
		}
	}
	return sum
}

// logChanged returns the log probability of a change if x are expected.
func logChanged(x float64) float64 { return math.Log(-math.Expm1(-x)) }

// interval returns the likelihood interval around the rate of maximum likelihood.
func (l likelihood) interval(rate float64) (low, high float64) {
	unchanged, changes, _ := l.sums()
	if changes == 0 {
		if unchanged <= 0 {
			return 0, FastestRate
		}
		return 0, min(halfChiSquare/unchanged, FastestRate)
	}
	const slowest = 1e-12 // a day; slower than any page
	least := l.log(rate) - halfChiSquare
	low = l.climb(slowest, least, unchanged)
	if unchanged <= 0 {
		return low, FastestRate
	}
	return low, l.descend(least, unchanged)
}

// climb returns the first rate above `rate` at which the log-likelihood reaches `least`. It is
// concave in the logarithm of the rate, so Newton's method from below does not pass that rate.
func (l likelihood) climb(rate, least, unchanged float64) float64 {
	for range 100 { // 4 to 8 steps
		pull, _ := l.pull(rate)
		step := (least - l.log(rate)) / (rate * (pull - unchanged))
		if !(step > 1e-12) {
			break
		}
		rate *= math.Exp(min(step, 50))
	}
	return rate
}

// descend returns the last rate below FastestRate at which the log-likelihood reaches `least`. It
// is concave in the rate itself.
func (l likelihood) descend(least, unchanged float64) float64 {
	rate := float64(FastestRate)
	for range 100 {
		pull, _ := l.pull(rate)
		step := (l.log(rate) - least) / (pull - unchanged)
		if !(step > 1e-12*rate) {
			break
		}
		rate -= step
	}
	return rate
}
