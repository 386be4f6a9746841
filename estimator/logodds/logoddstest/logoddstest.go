// Package logoddstest is what the tests of models of log odds have in common. No program uses it.
package logoddstest

import (
	"math"
	"testing"

	"github.com/recrawl/recrawl/estimator/logodds"
)

// Plain is a model that answers for a row.
type Plain interface{ LogOdds(row []float32) float32 }

// Fast is one that answers for several at once, too.
type Fast interface {
	Plain
	LogOddsOf(columns []logodds.Column, sums *logodds.Column)
}

// Same reports whether two columns are the same to the bit.
func Same(a, b logodds.Column) bool {
	for lane := range a {
		if math.Float32bits(a[lane]) != math.Float32bits(b[lane]) {
			return false
		}
	}
	return true
}

// RefusesTooFew tests that columns that are too few are refused, whatever lies behind them.
func RefusesTooFew(t *testing.T, f Fast, features int) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var sums logodds.Column
	f.LogOddsOf(make([]logodds.Column, features-1, features), &sums)
}

// Benchmark compares two forms of a model on rows that differ, made of such numbers; an operation
// is one row.
func Benchmark(b *testing.B, plain Plain, fast Fast, features int, number func() float64) {
	const n = 1024
	rows := make([][]float32, n)
	for i := range rows {
		for range features {
			rows[i] = append(rows[i], float32(number()))
		}
	}
	b.Run("plain", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			plain.LogOdds(rows[i%n])
		}
	})
	b.Run("fast", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			fast.LogOdds(rows[i%n])
		}
	})
	columns := make([]logodds.Column, features)
	logodds.Put(columns, (*[logodds.Lanes][]float32)(rows))
	b.Run("eight", func(b *testing.B) { // nothing in it hangs on the rows
		var sums logodds.Column
		for i := 0; b.Loop(); i++ {
			if i%logodds.Lanes == 0 {
				fast.LogOddsOf(columns, &sums)
			}
		}
	})
}
