package value

import (
	"math"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/estimator/perceptron"
	"github.com/recrawl/recrawl/estimator/trees"
)

// handMade is a blend of a forest that asks for the age and a net that adds it.
func handMade() *Blend {
	return &Blend{
		Forest: &trees.Forest{Features: Features, Start: 1,
			Trees: []trees.Tree{{Questions: []trees.Question{{Feature: fAge, Threshold: 5}},
				Leaves: []float32{-2, 2}, Shares: []float32{0.5, 0.5}}}},
		Net: &perceptron.Net{Features: Features, Start: 3,
			Inputs: []perceptron.Input{{Feature: fAge, Mean: 5, Factor: 1},
				{Feature: fDepth, Factor: 1}},
			Units: []perceptron.Unit{{Bias: 1, Weights: []float32{1, 0}, Out: 2}}},
	}
}

// A blend is the mean of both, and says of each feature what it adds in both.
func TestBlend(t *testing.T) {
	b := handMade()
	if err := b.check(); err != nil {
		t.Fatal(err)
	}
	var row, parts [Features]float32
	row[fAge] = 7
	want := (float32(1+2) + (3 + 2*(1+2))) / 2
	if got := b.LogOdds(row[:]); got != want {
		t.Errorf("log odds %g, want %g", got, want)
	}
	start := b.Explain(row[:], parts[:])
	if start != (1+3+2)/2. || parts[fAge] != (2+4)/2. || parts[fDepth] != 0 {
		t.Errorf("start %g, of the age %g, of the depth %g; want 3, 3 and 0",
			start, parts[fAge], parts[fDepth])
	}
	var columns [Features]logodds.Column
	var sums logodds.Column
	if n := testing.AllocsPerRun(100, func() {
		b.LogOdds(row[:])
		b.LogOddsOf(columns[:], &sums)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestBlendCheck(t *testing.T) {
	for want, spoil := range map[string]func(b *Blend){
		"not there":                func(b *Blend) { b.Net = nil },
		"a net over 3":             func(b *Blend) { b.Net.Features = 3 },
		"a forest over 3 features": func(b *Blend) { b.Forest.Features = 3 },
		"unit 0 has 1 weights": func(b *Blend) {
			b.Net.Units[0].Weights = b.Net.Units[0].Weights[:1]
		},
		"tree 0 has a leaf of NaN": func(b *Blend) {
			b.Forest.Trees[0].Leaves[1] = float32(math.NaN())
		},
		"tree 0 has 1 questions, 1 l": func(b *Blend) {
			b.Forest.Trees[0].Leaves = b.Forest.Trees[0].Leaves[:1]
		},
	} {
		b := handMade()
		spoil(b)
		if err := b.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Each feature has a scale on which nets see it, and no more inputs than they take.
func TestInputs(t *testing.T) {
	seen := map[uint8]bool{}
	for _, in := range Inputs() {
		seen[in.Feature] = true
	}
	if len(seen) != Features || len(Inputs()) > perceptron.MaxInputs {
		t.Errorf("%d of %d features, %d inputs", len(seen), Features, len(Inputs()))
	}
	if math.IsNaN(float64(DefaultModel().Stream.LogOdds(make([]float32, Features)))) {
		t.Error("the parameters that come with the program make no number of zeros")
	}
}
