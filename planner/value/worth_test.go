package value

import (
	"math"
	"testing"
)

// freshShare is the closed form, and half the probability where that is small.
func TestFreshShare(t *testing.T) {
	for x := 1e-5; x < 9; x *= 1.3 {
		p := -math.Expm1(-x)
		want := (1 - (1+x)*math.Exp(-x)) / x
		if got := float64(freshShare(float32(p))); math.Abs(got-want) > 1e-2*want+1e-6 {
			t.Errorf("%g changes expected: %g, want %g", x, got, want)
		}
	}
	for _, p := range []float32{0, 1} {
		if got := freshShare(p); !(got >= 0 && got < 0.2) {
			t.Errorf("probability %g: %g", p, got)
		}
	}
}

// What more visits of a page add to the days for which its copy is fresh is what freshShare says.
func TestFreshShareIsTheDerivative(t *testing.T) {
	const rate = 0.3
	fresh := func(visits float64) float64 { return visits * -math.Expm1(-rate/visits) / rate } // a day, share
	for _, visits := range []float64{0.05, 0.2, 1, 5} {
		const step = 1e-5
		want := (fresh(visits+step) - fresh(visits-step)) / (2 * step)
		age := 1 / visits
		if got := age * float64(freshShare(float32(-math.Expm1(-rate*age)))); math.Abs(got-want) > 2e-2*want {
			t.Errorf("%g visits a day: %g, want %g", visits, got, want)
		}
	}
}

// gainOf is all that a visit is worth.
func gainOf(v *scorer, probability, age, promise float32) float32 {
	gain, _ := v.gain(probability, age, promise)
	return gain
}

// Of two pages that are equally likely to have changed the older copy is worth more; of two of one
// age the likelier; and without a budget copies are worth nothing.
func TestGain(t *testing.T) {
	var v scorer
	if got := gainOf(&v, 0.3, 50, 0); got != 0.3 {
		t.Errorf("no budget known: %g", got)
	}
	v.cycle = 20
	if young, old := gainOf(&v, 0.5, 5, 0), gainOf(&v, 0.5, 50, 0); !(0.5 < young && young < old) {
		t.Errorf("age 5: %g, age 50: %g", young, old)
	}
	last := float32(0)
	for p := float32(0.01); p < 0.8; p += 0.01 {
		if got := gainOf(&v, p, 10, 0); !(got > last) {
			t.Errorf("probability %g: %g after %g", p, got, last)
		} else {
			last = got
		}
	}
	if plain, promising := gainOf(&v, 0.5, 5, 0), gainOf(&v, 0.5, 5, 0.2); !(plain < promising && promising < plain+0.2) {
		t.Errorf("without a promise %g, with one of 0.2 %g", plain, promising)
	}
	if a, b := gainOf(&v, 0.5, 20*mostCycles, 0), gainOf(&v, 0.5, 40*mostCycles, 0); a != b {
		t.Errorf("beyond the bound of the age: %g and %g", a, b)
	}
}
