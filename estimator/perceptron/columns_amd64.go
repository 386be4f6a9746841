package perceptron

import (
	"golang.org/x/sys/cpu"

	"github.com/recrawl/recrawl/estimator/logodds"
)

var hasAVX2 = cpu.X86.HasAVX2

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
		to, first, in, n := &x[begin], &columns[0], &f.inputs[begin], end-begin
		switch Form(form) {
		case Plain:
			plainAVX2(to, first, in, n)
		case Count:
			countAVX2(to, first, in, n)
		case Rate:
			rateAVX2(to, first, in, n)
		case Odds:
			oddsAVX2(to, first, in, n)
		case Missing:
			missingAVX2(to, first, in, n)
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

// Sizes that the assembly goes by.
var (
	_ [8]struct{}  = [logodds.Lanes]struct{}{}
	_ [32]struct{} = [blockUnits]struct{}{}
)

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

// addUnitsAVX2 adds what the units of a block say of eight rows of n inputs, 1 or more.
//
//go:noescape
func addUnitsAVX2(sums, x *logodds.Column, n int, weights *[blockUnits]float32, layer *block)
