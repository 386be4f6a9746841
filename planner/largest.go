package planner

import (
	"iter"
	"math"
)

// NthLargest returns the n-th largest of some non-negative numbers, or the least if there are
// fewer; NaN without any. Its memory is constant. It counts the numbers by the upper half of their
// bits, which have the same order, then those of one upper half by the lower half.
func NthLargest(n int, of iter.Seq[float32]) float64 {
	const half = 16
	count := make([]int, 1<<half)
	lastOf := func(n int) (bits uint32, left int) {
		last := uint32(0)
		for bits = 1 << half; bits > 0 && n > 0; {
			bits--
			if count[bits] > 0 {
				last, left = bits, n
				n -= count[bits]
			}
		}
		return last, min(left, count[last])
	}
	all := 0
	for x := range of {
		count[math.Float32bits(x)>>half]++
		all++
	}
	if all == 0 || n <= 0 {
		return math.NaN()
	}
	upper, left := lastOf(n)
	clear(count)
	for x := range of {
		if bits := math.Float32bits(x); bits>>half == upper {
			count[bits&(1<<half-1)]++
		}
	}
	lower, _ := lastOf(left)
	return float64(math.Float32frombits(upper<<half | lower))
}
