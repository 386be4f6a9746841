package trees

import "math"

// Fast is a forest for many rows: the same answers, several times as quick. Questions ask whole
// numbers in the order of the floats, so that no answer is a jump. It is used by many goroutines.
type Fast struct {
	start  float32
	depth  int // questions of each tree
	ask    []uint8
	above  []int32 // thresholds
	leaves []float32
}

// Row is one for Fast: numbers by Ordered, in the order of the features.
type Row [256]int32

// Ordered is a whole number for each float; of two floats the larger has the larger one. NaN is
// below all.
func Ordered(x float32) int32 {
	if x != x {
		return math.MinInt32
	}
	b := int32(math.Float32bits(x + 0)) // + 0: no negative zero
	return b ^ int32(uint32(b>>31)>>1)
}

// Fast returns the forest in that form. Trees with fewer questions than others get some whose
// answer is always no.
func (f *Forest) Fast() *Fast {
	q := &Fast{start: f.Start}
	for i := range f.Trees {
		q.depth = max(q.depth, len(f.Trees[i].Questions))
	}
	for i := range f.Trees {
		t := &f.Trees[i]
		for k := range q.depth {
			if k < len(t.Questions) {
				q.ask = append(q.ask, t.Questions[k].Feature)
				q.above = append(q.above, Ordered(t.Questions[k].Threshold))
			} else {
				q.ask = append(q.ask, 0)
				q.above = append(q.above, math.MaxInt32)
			}
		}
		q.leaves = append(q.leaves, t.Leaves...)
		q.leaves = append(q.leaves, make([]float32, 1<<q.depth-len(t.Leaves))...)
	}
	return q
}

// LogOdds of a row.
func (q *Fast) LogOdds(row *Row) float32 {
	sum := q.start
	ask, above, leaves := q.ask, q.above, q.leaves
	if q.depth == 5 {
		for len(ask) >= 5 && len(above) >= 5 && len(leaves) >= 32 {
			place := yes(row[ask[0]], above[0]) | yes(row[ask[1]], above[1])<<1 | yes(row[ask[2]], above[2])<<2 |
				yes(row[ask[3]], above[3])<<3 | yes(row[ask[4]], above[4])<<4
			sum += leaves[place&31]
			ask, above, leaves = ask[5:], above[5:], leaves[32:]
		}
		return sum
	}
	for n := 1 << q.depth; len(leaves) > 0; leaves = leaves[n:] {
		place := uint64(0)
		for k := range q.depth {
			place |= yes(row[ask[k]], above[k]) << k
		}
		sum += leaves[place]
		ask, above = ask[q.depth:], above[q.depth:]
	}
	return sum
}

// yes is 1 if x is above the threshold, else 0.
func yes(x, threshold int32) uint64 { return uint64(int64(threshold)-int64(x)) >> 63 }
