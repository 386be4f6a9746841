package trees

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/estimator/logodds/logoddstest"
)

// someForest has trees of at most depth questions over 39 features.
func someForest(r *rand.Rand, trees, depth int, same bool) *Forest {
	f := &Forest{Features: 39, Start: -1}
	for range trees {
		var t Tree
		n := depth
		if !same {
			n = r.IntN(depth + 1)
		}
		for range n {
			t.Questions = append(t.Questions, Question{uint8(r.IntN(39)), float32(r.NormFloat64())})
		}
		for range 1 << n {
			t.Leaves = append(t.Leaves, float32(r.NormFloat64()))
			t.Shares = append(t.Shares, 1)
		}
		f.Trees = append(f.Trees, t)
	}
	return f
}

// someRow has thresholds themselves among its numbers, zeros and infinities.
func someRow(r *rand.Rand, f *Forest) []float32 {
	row := make([]float32, f.Features)
	for i := range row {
		row[i] = []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)),
			float32(math.Inf(-1)), float32(r.NormFloat64()), 1e-30, float32(math.NaN())}[r.IntN(7)]
	}
	for i := range f.Trees {
		for _, ask := range f.Trees[i].Questions {
			if r.IntN(4) == 0 {
				row[ask.Feature] = ask.Threshold
			}
		}
	}
	return row
}

// The fast form gives the same log odds, to the bit, also at thresholds, zeros and infinities.
func TestFast(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, same := range []bool{true, false} {
		for depth := 0; depth <= MaxDepth; depth++ {
			f := someForest(r, 30, depth, same)
			q := f.Fast()
			for range 200 {
				row := someRow(r, f)
				if got, want := q.LogOdds(row), f.LogOdds(row); got != want {
					t.Fatalf("depth %d, same %v: log odds %v, want %v", depth, same, got, want)
				}
			}
		}
	}
}

// Rows at once get the same log odds as one by one, to the bit, whatever the processor can.
func TestLogOddsOf(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	for _, trees := range []int{0, 1, 7, 40} {
		f := someForest(r, trees, MaxDepth, false)
		q := f.Fast()
		for range 200 {
			columns := make([]logodds.Column, f.Features)
			var want, got, plain logodds.Column
			var rows [logodds.Lanes][]float32
			for lane := range want {
				rows[lane] = someRow(r, f)
				want[lane], plain[lane] = f.LogOdds(rows[lane]), f.Start
			}
			logodds.Put(columns, &rows)
			q.LogOddsOf(columns, &got)
			q.addLeavesPlainly(columns, &plain)
			if !logoddstest.Same(got, want) || !logoddstest.Same(plain, want) {
				t.Fatalf("%d trees: log odds %v, plainly %v, want %v", trees, got, plain, want)
			}
		}
	}
}

// BenchmarkLogOdds compares the two forms on rows that differ.
func BenchmarkLogOdds(b *testing.B) {
	r := rand.New(rand.NewPCG(4, 4))
	f := someForest(r, 80, 5, true)
	logoddstest.Benchmark(b, f, f.Fast(), f.Features, r.NormFloat64)
}

func TestTooFewColumns(t *testing.T) {
	f := someForest(rand.New(rand.NewPCG(1, 1)), 3, MaxDepth, true)
	logoddstest.RefusesTooFew(t, f.Fast(), f.Features)
}
