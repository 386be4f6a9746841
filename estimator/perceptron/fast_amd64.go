package perceptron

import (
	"golang.org/x/sys/cpu"

	"github.com/recrawl/recrawl/estimator/logodds"
)

var hasAVX, hasAVX2 = cpu.X86.HasAVX, cpu.X86.HasAVX2

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

// ask is askPlainly, to the bit, eight rows at a time where the processor can.
func (f *Fast) ask(columns []logodds.Column, sums *logodds.Column) {
	if !hasAVX2 || len(f.inputs) == 0 {
		f.askPlainly(columns, sums)
		return
	}
	var x [MaxInputs]logodds.Column
	begin := 0
	for form, end := range f.ends {
		if begin == end {
			continue
		}
		x, first, in, n := &x[begin], &columns[0], &f.inputs[begin], end-begin
		switch Form(form) {
		case Plain:
			plainAVX2(x, first, in, n)
		case Count:
			countAVX2(x, first, in, n)
		case Rate:
			rateAVX2(x, first, in, n)
		case Odds:
			oddsAVX2(x, first, in, n)
		case Missing:
			missingAVX2(x, first, in, n)
		}
		begin = end
	}
	for lane := range sums {
		sums[lane] = f.start
	}
	for i := range f.layer {
		b := &f.layer[i]
		addUnitsAVX2(sums, &x[0], len(f.inputs), &b.weights[0], b)
	}
}

// Inputs of one form, n of them, 1 or more.

//go:noescape
func plainAVX2(x, columns *logodds.Column, inputs *quick, n int)

//go:noescape
func countAVX2(x, columns *logodds.Column, inputs *quick, n int)

//go:noescape
func rateAVX2(x, columns *logodds.Column, inputs *quick, n int)

//go:noescape
func oddsAVX2(x, columns *logodds.Column, inputs *quick, n int)

//go:noescape
func missingAVX2(x, columns *logodds.Column, inputs *quick, n int)

// addUnitsAVX2 adds what the units of a block say of eight rows of n inputs.
//
//go:noescape
func addUnitsAVX2(sums, x *logodds.Column, n int, weights *[blockUnits]float32, layer *block)
