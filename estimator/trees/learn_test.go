package trees

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/estimator/logodds"
)

// Sums of rows are the same, to the bit, whatever the processor can.
func TestAddRows(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	for _, n := range []int{0, 1, 7, 3000} {
		rows, leaf, at := make([]sums, n), make([]uint8, n), make([][abreast]uint8, n)
		for i := range rows {
			rows[i] = sums{g: r.NormFloat64(), h: r.Float64(), w: r.Float64()}
			leaf[i] = uint8(r.IntN(4))
			for k := range at[i] {
				at[i][k] = uint8(r.IntN(bins))
			}
		}
		got, want := make([]table, 4), make([]table, 4)
		addRows(got, rows, leaf, at)
		addRowsPlainly(want, rows, leaf, at)
		if !slices.Equal(got, want) {
			t.Errorf("%d rows: the sums differ", n)
		}
		all := 0.0
		for k := range want {
			for _, bin := range want[k][0] {
				all += bin.h
			}
		}
		sum := 0.0
		for _, row := range rows {
			sum += row.h
		}
		if d := all - sum; d > 1e-6 || d < -1e-6 {
			t.Errorf("%d rows: the bins hold %g in all, want %g", n, all, sum)
		}
	}
}

// BenchmarkLearn fits a forest as it is learnt in place: 12,288 rows of 52 features, of which a
// third have few values.
func BenchmarkLearn(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	e := logodds.Examples{Features: 52}
	row := make([]float32, e.Features)
	for range 12288 {
		for f := range row {
			row[f] = r.Float32()
			if f%3 == 0 {
				row[f] = float32(r.IntN(3))
			}
		}
		e.Add(row, r.Float32() < row[1]*row[2], 1)
	}
	for b.Loop() {
		Learn(&e, Options{Trees: 40, Depth: 3, Rate: 0.15, Lambda: 10, LeastWeight: 25}, nil)
	}
}

func TestSorted(t *testing.T) {
	for _, n := range []int{0, 1, 100, 5000} {
		var values []float32
		for i := range n {
			x := float32(math.Sin(float64(i)))
			values = append(values, x, -x, x*1e30, -x*1e-40,
				float32(i%3-1)*float32(math.Inf(1-i%2)))
			if i%7 == 0 {
				values = append(values, 0, float32(math.Copysign(0, -1)))
			}
		}
		values = slices.DeleteFunc(values, func(v float32) bool { return v != v })
		want := slices.Clone(values)
		slices.Sort(want)
		if got := sorted(values); !slices.Equal(got, want) {
			t.Errorf("%d numbers are not sorted", len(values))
		}
	}
}
