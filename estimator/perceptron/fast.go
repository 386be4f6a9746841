package perceptron

import (
	"math"
	"sort"

	"github.com/recrawl/recrawl/estimator/logodds"
)

// Fast is a net for many rows: the same answers but for rounding, several times as quick. It is
// used by many goroutines.
type Fast struct {
	features int
	start    float32
	inputs   []quick    // those of one form together, so that their scale is no question
	ends     [forms]int // of each form
	layer    []block
}

// block is 32 units, whose sums are kept in registers; the last block of a net may have some that
// add nothing.
type block struct {
	bias, out [blockUnits]float32
	weights   [][blockUnits]float32 // by input
}

const blockUnits = 32

// quick is an input whose limits, of its form and of cut, are bounds of the bits of the number that
// its logarithm is made of: bits of numbers above 0 are in the numbers' order, and those below 0
// are below all of them.
type quick struct {
	Input
	least, most int32
	times, plus float32 // makes the bits of a logarithm, or a difference of two, the input
}

// quickly prepares an input.
func (in Input) quickly() quick {
	q := quick{Input: in, times: in.Factor * logOfBit, plus: -in.Mean * in.Factor}
	least, most := float32(0), float32(0)
	switch in.Form {
	case Count:
		least, most = 1, math.MaxFloat32
		q.plus -= logOfOne * in.Factor
	case Rate:
		least, most = leastRate, mostRate
		q.plus -= logOfOne * in.Factor
	case Odds:
		least, most = leastOdds, 1-leastOdds
	default:
		return q
	}
	at := func(b int32) float32 {
		if q.Form == Odds {
			b = oddsBits(b)
		}
		return q.at(b)
	}
	low, high := bits(least), bits(most)
	if from, to := at(low), at(high); from > cut || to < -cut { // all of its form is beyond
		q.times, q.plus = 0, within(from, -cut, cut)
	}
	q.least = low + int32(sort.Search(int(high-low), func(i int) bool {
		return at(low+int32(i)) >= -cut
	}))
	q.most = low + int32(sort.Search(int(high-low), func(i int) bool {
		return at(low+int32(i)) >= cut
	}))
	return q
}

func bits(x float32) int32 { return int32(math.Float32bits(x)) }

// oddsBits are those of the odds of a share, whose bits these are.
func oddsBits(b int32) int32 { return b - bits(1-math.Float32frombits(uint32(b))) }

// number makes what is none, of which the bits may be those of any sign, one above all others.
func number(x float32) float32 {
	if x != x {
		return math.MaxFloat32
	}
	return x
}

// at is the input by the bits of its logarithm: those of the number, of odds the difference of two.
func (q *quick) at(b int32) float32 { return float32(float32(b)*q.times) + q.plus }

func (q *quick) within(b int32) int32 { return min(max(b, q.least), q.most) }

// Fast returns the net in that form.
func (n *Net) Fast() *Fast {
	f := &Fast{
		features: n.Features,
		start:    n.Start,
		layer:    make([]block, (len(n.Units)+blockUnits-1)/blockUnits),
	}
	var from []int // by place in f.inputs: place in n.inputs
	for form := range forms {
		for i, in := range n.Inputs {
			if in.Form == form {
				f.inputs, from = append(f.inputs, in.quickly()), append(from, i)
			}
		}
		f.ends[form] = len(f.inputs)
	}
	for i := range f.layer {
		f.layer[i].weights = make([][blockUnits]float32, len(from))
	}
	for i := range n.Units {
		u, b, lane := &n.Units[i], &f.layer[i/blockUnits], i%blockUnits
		b.bias[lane], b.out[lane] = u.Bias, u.Out
		for k, place := range from {
			b.weights[k][lane] = u.Weights[place]
		}
	}
	return f
}

// LogOdds of a row of Features numbers.
func (f *Fast) LogOdds(row []float32) float32 {
	var room [MaxInputs]float32
	x := room[:len(f.inputs)]
	i := 0
	for ; i < f.ends[Plain]; i++ {
		x[i] = f.inputs[i].of(row)
	}
	for ; i < f.ends[Count]; i++ {
		q := &f.inputs[i]
		x[i] = q.at(q.within(bits(number(row[q.Feature]) + 1)))
	}
	for ; i < f.ends[Rate]; i++ {
		q := &f.inputs[i]
		x[i] = q.at(q.within(bits(number(row[q.Feature]))))
	}
	for ; i < f.ends[Odds]; i++ {
		q := &f.inputs[i]
		x[i] = q.at(oddsBits(q.within(bits(number(row[q.Feature])))))
	}
	for ; i < f.ends[Missing]; i++ {
		x[i] = f.inputs[i].of(row)
	}
	sum := f.start
	for i := range f.layer {
		sum += f.layer[i].sum(x)
	}
	return sum
}

// LogOddsOf fills in the log odds of logodds.Lanes rows, given by their Features columns: the same
// to the bit as one by one.
func (f *Fast) LogOddsOf(columns []logodds.Column, sums *logodds.Column) {
	f.ask(columns[:f.features:len(columns)], sums)
}

func (f *Fast) askPlainly(columns []logodds.Column, sums *logodds.Column) {
	var room [1 << 8]float32 // a feature is a byte
	row := room[:len(columns)]
	for lane := range sums {
		for i := range row {
			row[i] = columns[i][lane]
		}
		sums[lane] = f.LogOdds(row)
	}
}

// sum is what the units add to the log odds.
func (b *block) sum(x []float32) float32 {
	sums := b.bias
	if len(x) > 0 {
		weigh(&sums, x, b.weights)
	}
	var adds [4]float32 // in turns: one would wait for the other
	for i := 0; i < blockUnits; i += 4 {
		for k := range adds {
			if s := sums[i+k]; s > 0 {
				adds[k] += float32(s * b.out[i+k])
			}
		}
	}
	return adds[0] + adds[1] + adds[2] + adds[3]
}

// weighPlainly adds the weighted inputs to the sums of units. Products are rounded before they are
// added, also where the processor could do both at once.
func weighPlainly(sums *[blockUnits]float32, x []float32, weights [][blockUnits]float32) {
	weights = weights[:len(x)]
	for part := 0; part < blockUnits; part += 8 { // as many as there are registers for
		s := (*[8]float32)(sums[part : part+8])
		a0, a1, a2, a3, a4, a5, a6, a7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		for i, v := range x {
			w := (*[8]float32)(weights[i][part : part+8])
			a0 += float32(v * w[0])
			a1 += float32(v * w[1])
			a2 += float32(v * w[2])
			a3 += float32(v * w[3])
			a4 += float32(v * w[4])
			a5 += float32(v * w[5])
			a6 += float32(v * w[6])
			a7 += float32(v * w[7])
		}
		*s = [8]float32{a0, a1, a2, a3, a4, a5, a6, a7}
	}
}
