package logodds

import (
	"math"
	"testing"
)

func TestProbability(t *testing.T) {
	for logOdds, want := range map[float32]float64{0: 0.5, float32(math.Log(3)): 0.75, -1000: 0,
		1000: 1} {
		if got := float64(Probability(logOdds)); math.Abs(got-want) > 1e-6 {
			t.Errorf("probability %g of %g, want %g", got, logOdds, want)
		}
	}
}
