package tune

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestChance checks that a seed gives the draws of gonum, to the last bit, in all branches.
func TestChance(t *testing.T) {
	ours, theirs := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for _, shape := range []float64{1e-3, 0.05, 0.19, 0.2, 0.7, 1, 1.5, 3, 40, 1e4} {
		for range 2000 {
			want := distuv.Gamma{Alpha: shape, Beta: shape, Src: theirs}.Rand()
			if got := gamma(shape, ours) / shape; got != want {
				t.Fatalf("gamma of shape %v draws %v, want %v", shape, got, want)
			}
		}
	}
	for _, mean := range []float64{1e-6, 0.3, 4, 9.99, 10, 33, 700, 1e6} {
		for range 2000 {
			want := max(distuv.Poisson{Lambda: mean, Src: theirs}.Rand(), 0)
			if got := poisson(mean, ours); got != want {
				t.Fatalf("Poisson of mean %v draws %v, want %v", mean, got, want)
			}
		}
	}
	if got := poisson(0, ours); got != 0 {
		t.Errorf("mean 0 draws %v", got)
	}
}
