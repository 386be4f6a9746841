package trees

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/estimator/logodds"
)

// Examples of a rule are learnt, and each feature's contributions add up to the log odds.
func TestLearn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	e := logodds.Examples{Features: 3}
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
		if abs := math.Abs(float64(row[0]) - 0.5); abs < 0.05 ||
			math.Abs(float64(row[1])-0.3) < 0.05 {
			continue // beside a threshold
		}
		if p := float64(logodds.Probability(f.LogOdds(row))); math.Abs(p-truth(row)) > 0.06 {
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
