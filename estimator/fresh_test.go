package estimator

import (
	"math"
	"testing"
)

// The marginal value is the slope of the freshness, and FreshAt its inverse.
func TestFreshness(t *testing.T) {
	for _, x := range []float64{1e-3, 0.1, 1, 3, 20} {
		const h = 1e-6
		// By the rate of visits r = 1/x, at one change in the unit of time.
		slope := (Freshness(1/(1/x+h)) - Freshness(1/(1/x-h))) / (2 * h)
		if got := MarginalFreshness(x); math.Abs(got-slope) > 1e-4*math.Max(slope, 1e-2) {
			t.Errorf("marginal at %v: %v, slope %v", x, got, slope)
		}
		if got := FreshAt(MarginalFreshness(x)); math.Abs(got/x-1) > 1e-6 {
			t.Errorf("FreshAt(MarginalFreshness(%v)) = %v", x, got)
		}
	}
	if Freshness(0) != 1 || Freshness(math.Inf(1)) != 0 || math.Abs(Freshness(1)-0.632120558) > 1e-8 {
		t.Errorf("%v %v %v", Freshness(0), Freshness(math.Inf(1)), Freshness(1))
	}
}
