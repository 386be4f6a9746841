package value

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What is given and what came of it, worked out by hand: two bins that fall are one block.
func TestCurveByHand(t *testing.T) {
	var o Outcomes
	for range 80 {
		o.Add(0.525, true, 1) // the middle of its bin
	}
	for i := range 80 {
		o.Add(0.575, i < 20, 1)
	}
	c := o.Curve()
	// Beside 20 believed visits each: (80+10.5)/100 = 0.905 and (20+11.5)/100 = 0.315, which are
	// pooled: 0.61.
	for _, given := range []float32{0.525, 0.55, 0.575} {
		if at := c.At(given); math.Abs(float64(at)-0.61) > 1e-4 {
			t.Errorf("%g became %g, want 0.61; of %v", given, at, c)
		}
	}
	if at := c.At(0.475); math.Abs(float64(at)-0.475) > 1e-4 {
		t.Errorf("0.475 became %g", at)
	}
	if len(c) != outcomeBins {
		t.Errorf("%d knots, want one for each of %d bins but two for the two in a pool",
			len(c), outcomeBins)
	}
	if err := c.check(); err != nil {
		t.Error(err)
	}
}

// Without outcomes nothing changes; at all times a curve rises, from 0 to 1, and check agrees.
func TestCurveRises(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for try := range 200 {
		var o Outcomes
		for range rng.IntN(2000) {
			p := rng.Float32()
			o.Add(p, rng.Float32() < p*p, float64(rng.IntN(5)))
		}
		c := o.Curve()
		if try == 0 {
			c = nil
		}
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
		last := float32(-1)
		for i := range 1001 {
			p := float32(i) / 1000
			at := c.At(p)
			if at <= last || at < 0 || at > 1 {
				t.Fatalf("of %g %g, after %g", p, at, last)
			}
			if c == nil && at != p {
				t.Fatalf("an empty curve makes %g of %g", at, p)
			}
			last = at
		}
		if c.At(0) != 0 || c.At(1) != 1 {
			t.Fatalf("ends at %g and %g", c.At(0), c.At(1))
		}
	}
}

// Probabilities that are too sure come out right once enough was seen, and again after the world
// changed.
func TestCalibrator(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var c calibrator
	sure := func(p float32) float32 { return p * p }
	timid := func(p float32) float32 { return float32(math.Sqrt(float64(p))) }
	for _, truth := range []func(float32) float32{sure, timid} {
		for range 200_000 {
			p := rng.Float32()
			c.see(p, rng.Float32() < truth(p), 0)
		}
		for _, p := range []float32{0.1, 0.3, 0.5, 0.7, 0.9} {
			if got, want := c.of(p), truth(p); math.Abs(float64(got-want)) > 0.06 {
				t.Errorf("%g became %.3f, want %.3f", p, got, want)
			}
		}
	}
}

func TestBadCurves(t *testing.T) {
	for _, c := range []Curve{
		{{0.5, 0.5}, {0.5, 0.6}}, {{0.5, 0.5}, {0.6, 0.5}}, {{0.5, 1}}, {{1, 0.5}}, {{0, 0.1}},
		{{0.1, 0}},
		{{float32(math.NaN()), 0.5}}, {{0.5, float32(math.NaN())}}, {{0.5, 1.5}},
	} {
		if c.check() == nil {
			t.Errorf("%v passed", c)
		}
	}
}
