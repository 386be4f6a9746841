package estimator

import "math"

// Freshness returns the share of time in which a copy equals its page, for visits at even intervals
// with x expected changes in each. It is (1 - exp(-x)) / x, 1 for x = 0 (Cho and Garcia-Molina
// 2003).
func Freshness(x float64) float64 {
	switch {
	case x <= 0:
		return 1
	case math.IsInf(x, 1):
		return 0
	}
	return -math.Expm1(-x) / x
}

// FreshAt returns the x at which 1 - (1+x) exp(-x) is y, in (0, 1): the root of x - log(1+x) =
// -log(1-y). For a page with x changes between visits, y is the freshness that one more visit in
// the mean time between changes adds.
func FreshAt(y float64) float64 {
	l := -math.Log1p(-y)
	x := l + math.Sqrt(2*l) // above the root; Newton's steps on a convex function stay there
	for range 60 {
		step := (x - math.Log1p(x) - l) * (1 + x) / x
		x -= step
		if !(step > 1e-14*x) {
			break
		}
	}
	return x
}
