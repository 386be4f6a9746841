package logodds

import (
	"math"
	"testing"
)

func TestProbability(t *testing.T) {
	for logOdds, want := range map[float32]float64{0: 0.5, float32(math.Log(3)): 0.75, -1000: 0, 1000: 1} {
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
	if e.Len() != 2 || e.Row(0)[0] != 1 || e.Row(1)[0] != 5 || e.Row(1)[1] != 2 || !e.Changed[0] || e.Changed[1] || e.Weights[1] != 4 {
		t.Errorf("%+v", e)
	}
}

func TestTurned(t *testing.T) {
	var rows [][]float32
	for i := range 2*Lanes + 3 {
		rows = append(rows, []float32{float32(i), float32(-i)})
	}
	all := Turned(rows)
	if len(all) != 2 {
		t.Fatalf("%d times columns, want 2", len(all))
	}
	for i, columns := range all {
		for lane := range Lanes {
			if x := float32(i*Lanes + lane); columns[0][lane] != x || columns[1][lane] != -x {
				t.Errorf("columns %d, lane %d: %g and %g, want %g and %g", i, lane, columns[0][lane], columns[1][lane], x, -x)
			}
		}
	}
}
