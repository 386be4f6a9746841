package perceptron

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/estimator/logodds/logoddstest"
)

// someNet has random weights over 43 features.
func someNet(r *rand.Rand, inputs, units int) *Net {
	n := &Net{Features: 43, Start: -1}
	for i := range inputs {
		in := Input{uint8(i % 43), Form(r.IntN(int(forms))), float32(r.NormFloat64()),
			float32(r.ExpFloat64())}
		switch r.IntN(10) {
		case 0:
			in.Factor = 0
		case 1:
			in.Factor *= mostFactor / 1000
		}
		n.Inputs = append(n.Inputs, in)
	}
	for range units {
		u := Unit{Bias: float32(r.NormFloat64()), Out: float32(r.NormFloat64())}
		for range inputs {
			u.Weights = append(u.Weights, float32(r.NormFloat64()))
		}
		n.Units = append(n.Units, u)
	}
	return n
}

// someRow has numbers as features have them, and some that none should have.
func someRow(r *rand.Rand) []float32 {
	row := make([]float32, 43)
	for i := range row {
		row[i] = []float32{0, 1, -1, 999, float32(r.Float64()), float32(r.NormFloat64()),
			float32(r.ExpFloat64() * 1e4),
			float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
			math.Float32frombits(0xffc00000), float32(math.Copysign(0, -1))}[r.IntN(12)]
	}
	return row
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// A net by hand: one unit above 0, one below.
func TestLogOddsByHand(t *testing.T) {
	n := &Net{Features: 2, Start: 0.5, Inputs: []Input{{0, Plain, 1, 2}, {1, Count, 0, 1}},
		Units: []Unit{{1, []float32{1, -1}, 3}, {-10, []float32{1, 1}, 100}}}
	// Inputs are (3 - 1) * 2 = 4 and log2(7 + 1) = 3: the first unit is 1 + 4 - 3 = 2, the second
	// -10 + 7.
	near(t, "log odds", float64(n.LogOdds([]float32{3, 7})), 0.5+3*2, 1e-6)
	near(t, "log odds beyond four deviations", float64(n.LogOdds([]float32{1e9, 7})), 0.5+3*2, 1e-6)
	near(t, "log odds of NaN", float64(n.LogOdds([]float32{float32(math.NaN()), 7})), 0.5+3*2, 1e-6)
}

func TestForms(t *testing.T) {
	for _, c := range []struct {
		form    Form
		x, want float32
	}{
		{Plain, -3, -3}, {Count, 0, 0}, {Count, 1, 1}, {Count, 2, 1.5}, {Count, 1023, 10},
		{Count, -1, 0},
		{Rate, 1, 0}, {Rate, 0.25, -2}, {Rate, 0, log(1e-4)}, {Rate, -1, log(1e-4)},
		{Rate, 1e6, log(20)},
		{Odds, 0.5, 0}, {Odds, 0, Odds.of(0.001)}, {Odds, 1, -Odds.of(0)}, {Missing, -1, 1},
		{Missing, 0, 0}, {Missing, 5, 0},
	} {
		near(t, "form", float64(c.form.of(c.x)), float64(c.want), 1e-5)
	}
	for x := float32(1e-3); x < 1e4; x *= 1.01 {
		// the chord of a logarithm
		if got, want := float64(log(x)), math.Log2(float64(x)); got > want+1e-6 ||
			got < want-0.0861 {
			t.Fatalf("log %g is %g, want %g", x, got, want)
		}
		if log(x*1.01) <= log(x) {
			t.Fatalf("log does not rise at %g", x)
		}
	}
}

// The fast form gives the same log odds but for rounding, whatever the row.
func TestFast(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, units := range []int{0, 1, 31, 32, 33, 64, MaxUnits} {
		for _, inputs := range []int{0, 1, 60, MaxInputs} {
			n := someNet(r, inputs, units)
			f := n.Fast()
			for range 100 {
				row := someRow(r)
				got, want := float64(f.LogOdds(row)), float64(n.LogOdds(row))
				near(t, "log odds", got, want, 1e-3*(1+math.Abs(want)))
			}
		}
	}
}

// Rows at once get the same log odds as one by one, to the bit, whatever the processor can.
func TestLogOddsOf(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for _, units := range []int{0, 1, 32, 33, MaxUnits} {
		for _, inputs := range []int{0, 1, 5, 60, MaxInputs} {
			f := someNet(r, inputs, units).Fast()
			columns := make([]logodds.Column, 43)
			for range 100 {
				var want, got, plain logodds.Column
				var rows [logodds.Lanes][]float32
				for lane := range want {
					rows[lane] = someRow(r)
					want[lane] = f.LogOdds(rows[lane])
				}
				logodds.Put(columns, &rows)
				f.LogOddsOf(columns, &got)
				f.askPlainly(columns, &plain)
				if !logoddstest.Same(got, want) || !logoddstest.Same(plain, want) {
					t.Fatalf("%d inputs, %d units: %v, plainly %v, want %v",
						inputs, units, got, plain, want)
				}
			}
		}
	}
}

// Whatever the processor can, sums are the same to the bit. Where it can no more than plain Go,
// there is nothing to compare.
func TestWeigh(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := 1; n <= MaxInputs; n++ {
		x, weights := make([]float32, n), make([][blockUnits]float32, n)
		var got [blockUnits]float32
		for i := range x {
			x[i] = float32(r.NormFloat64())
			for k := range weights[i] {
				weights[i][k] = float32(r.NormFloat64())
			}
		}
		for k := range got {
			got[k] = float32(r.NormFloat64())
		}
		want := got
		weigh(&got, x, weights)
		weighPlainly(&want, x, weights)
		if got != want {
			t.Fatalf("%d inputs: %v, want %v", n, got, want)
		}
	}
}

// Promise 2, and each contribution against the integral of the gradient in small steps.
func TestExplain(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 100 {
		n := someNet(r, 50, 12)
		row := someRow(r)
		parts := make([]float32, n.Features)
		sum := float64(n.Explain(row, parts))
		x := n.inputs(row)
		want := make([]float64, n.Features)
		const steps = 2000
		for s := range steps {
			at := x
			for i := range at {
				at[i] *= (float32(s) + 0.5) / steps
			}
			for _, u := range n.Units {
				if u.at(&at) > 0 {
					for i, w := range u.Weights {
						want[n.Inputs[i].Feature] += float64(u.Out*w*x[i]) / steps
					}
				}
			}
		}
		for f, part := range parts {
			sum += float64(part)
			near(t, "contribution", float64(part), want[f], 0.02)
		}
		near(t, "contributions and start", sum, float64(n.LogOdds(row)), 1e-3)
	}
}

// Promise 1: asking allocates nothing.
func TestAllocates(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	n, row := someNet(r, 60, 32), someRow(r)
	f, parts := n.Fast(), make([]float32, n.Features)
	columns := make([]logodds.Column, n.Features)
	var sums logodds.Column
	if allocs := testing.AllocsPerRun(100, func() {
		n.LogOdds(row)
		f.LogOdds(row)
		f.LogOddsOf(columns, &sums)
		n.Explain(row, parts)
	}); allocs != 0 {
		t.Errorf("%g allocations", allocs)
	}
}

func TestMean(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	a, b := someNet(r, 20, 4), someNet(r, 20, 9)
	b.Inputs, b.Start = a.Inputs, 3
	m := Mean([]*Net{a, b})
	for range 20 {
		row := someRow(r)
		want := float64(a.LogOdds(row)+b.LogOdds(row)) / 2
		near(t, "log odds", float64(m.LogOdds(row)), want, 1e-4*(1+math.Abs(want)))
	}
}

func TestCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	if err := someNet(r, MaxInputs, MaxUnits).Check(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(n *Net){
		"97 inputs":                   func(n *Net) { n.Inputs = make([]Input, 97) },
		"129 units":                   func(n *Net) { n.Units = make([]Unit, 129) },
		"feature 43 of 43":            func(n *Net) { n.Inputs[3].Feature = 43 },
		"form 5 of 5":                 func(n *Net) { n.Inputs[3].Form = forms },
		"factor -1":                   func(n *Net) { n.Inputs[3].Factor = -1 },
		"factor 1e+30":                func(n *Net) { n.Inputs[3].Factor = 1e30 },
		"mean NaN":                    func(n *Net) { n.Inputs[3].Mean = float32(math.NaN()) },
		"unit 2 has a weight of NaN":  func(n *Net) { n.Units[2].Out = float32(math.NaN()) },
		"unit 2 has a weight of 3e+3": func(n *Net) { n.Units[2].Weights[1] = 3e38 },
		"unit 1 has 2 weights for 10": func(n *Net) { n.Units[1].Weights = make([]float32, 2) },
	} {
		n := someNet(r, 10, 3)
		spoil(n)
		if err := n.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// BenchmarkLogOdds compares the two forms on rows that differ, by nets of the size that comes with
// the program.
func BenchmarkLogOdds(b *testing.B) {
	r := rand.New(rand.NewPCG(4, 4))
	net := someNet(r, 70, 32)
	logoddstest.Benchmark(b, net, net.Fast(), net.Features, r.ExpFloat64)
}

func TestTooFewColumns(t *testing.T) {
	n := someNet(rand.New(rand.NewPCG(1, 1)), 20, 8)
	logoddstest.RefusesTooFew(t, n.Fast(), n.Features)
}
