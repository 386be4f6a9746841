package logodds

import "testing"

// someRows have a number of their own in each place, and one more than there are columns.
func someRows(features int) (rows [Lanes][]float32) {
	for lane := range rows {
		for i := range features + 1 {
			rows[lane] = append(rows[lane], float32(100*i+lane))
		}
	}
	return rows
}

func TestPut(t *testing.T) {
	for _, features := range []int{0, 1, 44} {
		columns, rows := make([]Column, features), someRows(features)
		Put(columns, &rows)
		for i, c := range columns {
			for lane, x := range c {
				if want := float32(100*i + lane); x != want {
					t.Errorf("feature %d of row %d: %g, want %g", i, lane, x, want)
				}
			}
		}
	}
}

func BenchmarkPut(b *testing.B) {
	columns, rows := make([]Column, 44), someRows(44)
	for b.Loop() {
		Put(columns, &rows)
	}
}
