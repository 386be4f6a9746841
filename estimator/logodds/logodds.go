// Package logodds is what models of the log odds of a change have in common: the examples that they
// are learnt from, the columns in which they are asked for several rows at once, and the
// probability that log odds stand for.
package logodds

import "math"

// Probability is that of log odds.
func Probability(logOdds float32) float32 {
	return float32(1 / (1 + math.Exp(-float64(logOdds))))
}

// Examples are rows with what came of them.
type Examples struct {
	Features int       // length of a row
	Rows     []float32 // one after the other
	Changed  []bool
	Weights  []float32 // > 0, 1 in the mean
	// Offsets are log odds that are known of each row beforehand: what is learnt is added to
	// them. Empty: none.
	Offsets []float32
}

// Add copies a row.
func (e *Examples) Add(row []float32, changed bool, weight float32) {
	e.Rows = append(e.Rows, row...)
	e.Changed = append(e.Changed, changed)
	e.Weights = append(e.Weights, weight)
}

// Len is the number of rows.
func (e *Examples) Len() int { return len(e.Changed) }

// Row i, not to be changed.
func (e *Examples) Row(i int) []float32 { return e.Rows[i*e.Features : (i+1)*e.Features] }

// Start is what is to be added to the offsets of all rows, so that as many changes are expected as
// there are; by Newton's method.
func (e *Examples) Start() float32 {
	start := 0.0
	for range 30 {
		slope, curve := 0.0, 1e-9
		for i, w := range e.Weights {
			known := float32(0)
			if len(e.Offsets) > 0 {
				known = e.Offsets[i]
			}
			p := float64(Probability(known + float32(start)))
			slope -= float64(w) * p
			if e.Changed[i] {
				slope += float64(w)
			}
			curve += float64(w) * p * (1 - p)
		}
		step := max(min(slope/curve, 2), -2)
		start += step
		if math.Abs(step) < 1e-6 {
			break
		}
	}
	return float32(start)
}
