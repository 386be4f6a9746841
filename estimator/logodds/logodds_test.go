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

func TestExamples(t *testing.T) {
	e := Examples{Features: 2}
	row := []float32{1, 2}
	e.Add(row, true, 3)
	row[0] = 5 // it was copied
	e.Add(row, false, 4)
	if e.Len() != 2 || e.Row(0)[0] != 1 || e.Row(1)[0] != 5 || e.Row(1)[1] != 2 || !e.Changed[0] ||
		e.Changed[1] || e.Weights[1] != 4 {
		t.Errorf("%+v", e)
	}
}
