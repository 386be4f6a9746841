package estimator

import "math"

// Freshness is the share of time in which a copy is as its page is, for visits at even intervals
// and x expected changes in each: (1 - exp(-x)) / x, 1 for x = 0 (Cho and Garcia-Molina 2003).
func Freshness(x float64) float64 {
	switch {
	case x <= 0:
		return 1
	case math.IsInf(x, 1):
		return 0
	}
	return -math.Expm1(-x) / x
}

// FreshAt is the x at which 1 - (1+x) exp(-x) is y, in (0, 1): the root of x - log(1+x) =
// -log(1-y). That is what one more visit in the mean time between changes adds to the freshness of
// a page with x changes between visits.
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
