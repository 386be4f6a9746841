package planner

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// NthLargest equals the result of sorting.
func TestNthLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 2, 100, 5000} {
		all := make([]float32, size)
		for i := range all {
			all[i] = float32(math.Floor(r.ExpFloat64()*100) / 7) // some are equal
		}
		sorted := slices.Sorted(slices.Values(all))
		slices.Reverse(sorted)
		for _, n := range []int{-1, 0, 1, 2, 50, size, size + 1} {
			got, want := NthLargest(n, slices.Values(all)), math.NaN()
			if n > 0 && size > 0 {
				want = float64(sorted[min(n, size)-1])
			}
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("number %d of %d is %v, want %v", n, size, got, want)
			}
		}
	}
}
