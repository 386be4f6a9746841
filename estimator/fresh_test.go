package estimator

import (
	"math"
	"testing"
)

// FreshAt is the inverse of the slope of the freshness by the rate of visits.
func TestFreshness(t *testing.T) {
	for _, x := range []float64{1e-3, 0.1, 1, 3, 20} {
		const h = 1e-6
		slope := (Freshness(1/(1/x+h)) - Freshness(1/(1/x-h))) / (2 * h)
		if got := FreshAt(slope); x > 0.01 && math.Abs(got/x-1) > 1e-4 {
			t.Errorf("FreshAt(%v), the slope at %v: %v", slope, x, got)
		}
	}
	if Freshness(0) != 1 || Freshness(math.Inf(1)) != 0 ||
		math.Abs(Freshness(1)-0.632120558) > 1e-8 {
		t.Errorf("%v %v %v", Freshness(0), Freshness(math.Inf(1)), Freshness(1))
	}
}
