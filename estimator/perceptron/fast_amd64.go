package perceptron

import "golang.org/x/sys/cpu"

var hasAVX = cpu.X86.HasAVX

// weigh is weighPlainly, to the bit, eight units at a time where the processor can.
func weigh(sums *[blockUnits]float32, x []float32, weights [][blockUnits]float32) {
	if hasAVX {
		weighAVX(sums, &x[0], len(x), &weights[0])
	} else {
		weighPlainly(sums, x, weights)
	}
}

// weighAVX reads n inputs and as many rows of weights; n is 1 or more.
//
//go:noescape
func weighAVX(sums *[blockUnits]float32, x *float32, n int, weights *[blockUnits]float32)
