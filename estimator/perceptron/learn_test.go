package perceptron

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/estimator/logodds"
)

// drawn makes examples of three features, of which the third tells nothing.
func drawn(n int, logOdds func(a, b float64) float64) *logodds.Examples {
	r := rand.New(rand.NewPCG(1, 1))
	e := &logodds.Examples{Features: 3}
	for range n {
		a, b := r.NormFloat64(), r.NormFloat64()
		e.Add([]float32{float32(a), float32(b), float32(r.NormFloat64())},
			r.Float64() < 1/(1+math.Exp(-logOdds(a, b))), 1)
	}
	return e
}

var (
	plain3  = []Input{{Feature: 0}, {Feature: 1}, {Feature: 2}}
	options = Options{Units: 8, Epochs: 20, Rate: 0.01, Decay: 0.01, Seed: 1}
)

// What two features tell together only is learnt, and the third is left out.
func TestLearn(t *testing.T) {
	truth := func(a, b float64) float64 {
		if a*b > 0 {
			return 2
		}
		return -2
	}
	n := Learn(drawn(20_000, truth), plain3, options, nil)
	if err := n.Check(); err != nil {
		t.Fatal(err)
	}
	for _, x := range [][]float32{{1, 1, 0}, {-1, -1, 1}, {1, -1, -1}, {-1, 1, 0}} {
		near(t, "log odds", float64(n.LogOdds(x)), truth(float64(x[0]), float64(x[1])), 0.7)
	}
	for _, third := range []float32{-2, 2} {
		near(t, "log odds by what tells nothing", float64(n.LogOdds([]float32{1, 1, third})),
			float64(n.LogOdds([]float32{1, 1, 0})), 0.7)
	}
}

// What is known beforehand is not learnt again, and weights count.
func TestLearnOffsets(t *testing.T) {
	e := drawn(20_000, func(a, _ float64) float64 { return 2*a - 1 })
	for i := range e.Len() {
		e.Offsets = append(e.Offsets, 2*e.Row(i)[0])
	}
	for _, a := range []float32{-1, 0, 1} {
		near(t, "log odds beyond what is known",
			float64(Learn(e, plain3, options, nil).LogOdds([]float32{a, 0, 0})), -1, 0.4)
	}
	e = &logodds.Examples{Features: 3}
	for range 1000 {
		e.Add([]float32{0, 0, 0}, true, 1.5)
		e.Add([]float32{0, 0, 0}, false, 0.5)
	}
	near(t, "log odds by weights",
		float64(Learn(e, plain3, options, nil).LogOdds([]float32{0, 0, 0})), math.Log(3), 0.05)
}

// A rare change stays rare, however few examples there are; and one row without a number spoils
// nothing.
func TestLearnRare(t *testing.T) {
	for _, n := range []int{200, 1000, 20_000} {
		e := drawn(n, func(_, _ float64) float64 { return -4 })
		e.Rows[0] = float32(math.NaN())
		share, learnt := 0.0, 0.0
		net := Learn(e, plain3, Options{Units: 16, Epochs: 3, Rate: 0.005, Decay: 0.3}, nil)
		for i := range n {
			if e.Changed[i] {
				share++
			}
			learnt += float64(logodds.Probability(net.LogOdds(e.Row(i))))
		}
		near(t, "learnt share", learnt/float64(n), share/float64(n), 0.01)
		if net.Inputs[0].Factor < 0.5 {
			t.Errorf("one row without a number makes the factor %g", net.Inputs[0].Factor)
		}
	}
}

// Promise 4, and the end when asked to.
func TestLearnAgain(t *testing.T) {
	e := drawn(5000, func(a, b float64) float64 { return a + b })
	text := func(o Options) string {
		b, err := json.Marshal(Learn(e, plain3, o, func() bool { return true }))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	other := options
	other.Seed = 2
	if a := text(options); a != text(options) || a == text(other) {
		t.Error("the same seed differs, or another one does not")
	}
	asked := 0
	if n := Learn(e, plain3, options, func() bool { asked++; return asked < 3 }); n != nil ||
		asked != 3 {
		t.Errorf("asked %d times to go on; a net after no: %v", asked, n != nil)
	}
}

// However few examples there are, and however little they tell, what is learnt is a number.
func TestLearnLittle(t *testing.T) {
	for _, row := range [][]float32{{0, 0, 0}, {1e30, -1e30, 5},
		{float32(math.NaN()), float32(math.Inf(1)), 1}} {
		for n := 1; n <= 40; n += 13 {
			e := &logodds.Examples{Features: 3}
			for i := range n {
				e.Add(row, i%2 == 0, 1)
			}
			net := Learn(e, plain3, options, nil)
			for _, x := range [][]float32{row, {0, 0, 0}, {3, -3, 1e9}} {
				if got := net.LogOdds(x); got != got || math.IsInf(float64(got), 0) {
					t.Errorf("%d examples of %v: log odds %v of %v", n, row, got, x)
				}
			}
			if _, err := json.Marshal(net); err != nil {
				t.Error(err)
			}
		}
	}
}

// BenchmarkLearn is one epoch.
func BenchmarkLearn(b *testing.B) {
	e := drawn(50_000, func(a, b float64) float64 { return a * b })
	o := options
	o.Units, o.Epochs = 16, 1
	for b.Loop() {
		Learn(e, plain3, o, nil)
	}
}
