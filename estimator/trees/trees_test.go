package trees

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Examples of a rule are learnt, and each feature's contributions add up to the log odds.
func TestLearn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	e := Examples{Features: 3}
	truth := func(row []float32) float64 {
		if row[0] > 0.5 && row[1] > 0.3 {
			return 0.9
		}
		return 0.1
	}
	for range 20000 {
		row := []float32{r.Float32(), r.Float32(), r.Float32()}
		e.Add(row, r.Float64() < truth(row), 1)
	}
	f := Learn(&e, Options{Trees: 40, Depth: 3, Rate: 0.2, Lambda: 1, LeastWeight: 20}, nil)
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		row := []float32{r.Float32(), r.Float32(), r.Float32()}
		if abs := math.Abs(float64(row[0]) - 0.5); abs < 0.05 || math.Abs(float64(row[1])-0.3) < 0.05 {
			continue // beside a threshold
		}
		if p := float64(Probability(f.LogOdds(row))); math.Abs(p-truth(row)) > 0.06 {
			t.Errorf("row %v: probability %.3f, the rule has %.1f", row, p, truth(row))
		}
		parts := make([]float32, 3)
		sum := f.Explain(row, parts)
		for _, c := range parts {
			sum += c
		}
		if want := f.LogOdds(row); math.Abs(float64(sum-want)) > 1e-3 {
			t.Errorf("row %v: contributions add up to %g, want %g", row, sum, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { f.LogOdds([]float32{1, 0, 0}) }); n != 0 {
		t.Errorf("%g allocations, want none", n)
	}
}

// The mean of two forests answers the mean.
func TestAdd(t *testing.T) {
	a := &Forest{Features: 1, Start: 1, Trees: []Tree{{Questions: []Question{{0, 5}}, Leaves: []float32{-1, 1}, Shares: []float32{0.5, 0.5}}}}
	b := &Forest{Features: 1, Start: 2, Trees: []Tree{{Questions: []Question{{0, 7}}, Leaves: []float32{-3, 3}, Shares: []float32{0.5, 0.5}}}}
	mean := &Forest{Features: 1}
	mean.Add(a, 0.5)
	mean.Add(b, 0.5)
	for _, x := range []float32{4, 6, 8} {
		row := []float32{x}
		if got, want := mean.LogOdds(row), (a.LogOdds(row)+b.LogOdds(row))/2; got != want {
			t.Errorf("of %g %g, want %g", x, got, want)
		}
	}
	if a.Trees[0].Leaves[0] != -1 {
		t.Error("the forest that was added has changed")
	}
}
