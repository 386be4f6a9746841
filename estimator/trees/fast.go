package trees

import (
	"math"

	"github.com/recrawl/recrawl/estimator/logodds"
)

// Fast is a forest for many rows: the same answers to the bit, several times as quick. All its
// trees are of one size, in one piece of memory, and no answer is a jump. It is used by many
// goroutines.
type Fast struct {
	features int
	start    float32
	trees    []fastTree
}

type fastTree struct {
	above  [MaxDepth]float32
	ask    [MaxDepth]uint8
	leaves [1 << MaxDepth]float32
}

// Fast returns the forest in that form. Trees with fewer questions than others get some whose
// answer is always no.
func (f *Forest) Fast() *Fast {
	q := &Fast{features: f.Features, start: f.Start, trees: make([]fastTree, len(f.Trees))}
	for i := range q.trees {
		t := &q.trees[i]
		for k := range t.above {
			t.above[k] = float32(math.Inf(1))
		}
		for k, question := range f.Trees[i].Questions {
			t.ask[k], t.above[k] = question.Feature, question.Threshold
		}
		copy(t.leaves[:], f.Trees[i].Leaves)
	}
	return q
}

// LogOdds of a row of Features numbers.
func (q *Fast) LogOdds(row []float32) float32 {
	sum := q.start
	for i := range q.trees {
		t := &q.trees[i]
		place := yes(row[t.ask[0]], t.above[0]) |
			yes(row[t.ask[1]], t.above[1])<<1 |
			yes(row[t.ask[2]], t.above[2])<<2 |
			yes(row[t.ask[3]], t.above[3])<<3 |
			yes(row[t.ask[4]], t.above[4])<<4
		sum += t.leaves[place]
	}
	return sum
}

// LogOddsOf fills in the log odds of logodds.Lanes rows, given by their Features columns: the same
// to the bit as one by one.
func (q *Fast) LogOddsOf(columns []logodds.Column, sums *logodds.Column) {
	for lane := range sums {
		sums[lane] = q.start
	}
	q.addLeaves(columns[:q.features:len(columns)], sums)
}

func (q *Fast) addLeavesPlainly(columns []logodds.Column, sums *logodds.Column) {
	for i := range q.trees {
		t := &q.trees[i]
		for lane := range sums {
			var place uint8
			for k, ask := range t.ask {
				place |= yes(columns[ask][lane], t.above[k]) << k
			}
			sums[lane] += t.leaves[place]
		}
	}
}

// yes is 1 if x is above the threshold, else 0: without a jump.
func yes(x, threshold float32) (bit uint8) {
	if x > threshold {
		bit = 1
	}
	return bit
}
