package perceptron

import (
	"math"
	"math/rand/v2"

	"github.com/recrawl/recrawl/estimator/logodds"
)

// Options of learning.
type Options struct {
	Units  int     // 1 to MaxUnits
	Epochs int     // how often each example is learnt from
	Rate   float64 // the first step, of a weight; it falls to 0 by the cosine
	Decay  float64 // share of a weight that each step takes from it, times the step
	Seed   uint64
}

// A step is made by the mean gradient of a batch: of so many examples that an epoch has leastSteps,
// within limits. What is left of an epoch is in no batch.
const (
	mostBatch  = 1024
	leastBatch = 16
	leastSteps = 200
)

// Adam's memory of gradients and of their squares, and what is added to a deviation.
const (
	memory        = 0.9
	squaresMemory = 0.999
	tiny          = 1e-8
)

// weights of a net, and all that is kept beside each: by input and unit, then biases, outs and the
// start.
type weights struct {
	inputs, units  int
	at             []float32
	gradient       []float32 // of the batch
	mean, variance []float32 // of gradients
}

func newWeights(inputs, units int) *weights {
	n := inputs*units + 2*units + 1
	return &weights{
		inputs:   inputs,
		units:    units,
		at:       make([]float32, n),
		gradient: make([]float32, n),
		mean:     make([]float32, n),
		variance: make([]float32, n),
	}
}

// parts of a slice of weights.
func (w *weights) parts(all []float32) (weights, bias, out []float32, start *float32) {
	n := w.inputs * w.units
	return all[:n], all[n : n+w.units], all[n+w.units : n+2*w.units], &all[n+2*w.units]
}

// Learn fits a net with these inputs, of which Feature and Form are given, to examples, of which
// there must be some. There are at most MaxInputs of these and MaxUnits. goOn is asked now and
// then; once it says no, Learn returns nil. It may be nil.
func Learn(e *logodds.Examples, inputs []Input, o Options, goOn func() bool) *Net {
	n := &Net{Features: e.Features, Inputs: scaled(e, inputs)}
	random := rand.New(rand.NewPCG(o.Seed, 0))
	w := newWeights(len(inputs), o.Units)
	first, _, out, _ := w.parts(w.at)
	for i := range first {
		first[i] = float32(random.NormFloat64() / math.Sqrt(float64(len(inputs))))
	}
	_, _, _, start := w.parts(w.at)
	*start = e.Start()
	for i := range out {
		out[i] = float32(0.1 * random.NormFloat64() / math.Sqrt(float64(o.Units)))
	}
	batch := min(max(e.Len()/leastSteps, leastBatch), mostBatch, e.Len())
	steps := o.Epochs * (e.Len() / batch)
	step := 0
	for range o.Epochs {
		order := random.Perm(e.Len())
		for ; len(order) >= batch; order = order[batch:] {
			w.learn(n, e, order[:batch])
			step++
			w.move(step, o.Rate*(1+math.Cos(math.Pi*float64(step)/float64(steps)))/2, o.Decay)
			if goOn != nil && step%64 == 0 && !goOn() {
				return nil
			}
		}
	}
	w.into(n)
	return n
}

// scaled are inputs by their means and deviations over all examples.
func scaled(e *logodds.Examples, inputs []Input) []Input {
	all := make([]Input, len(inputs))
	for i, in := range inputs {
		var sum, squares, count float64
		for k := range e.Len() {
			// no number, or an infinite one
			if x := e.Row(k)[in.Feature]; !(abs(x) <= math.MaxFloat32) {
				continue
			}
			x := float64(in.Form.of(e.Row(k)[in.Feature]))
			sum, squares, count = sum+x, squares+x*x, count+1
		}
		mean := sum / max(count, 1)
		deviation := math.Sqrt(max(squares/max(count, 1)-mean*mean, 0))
		all[i] = Input{in.Feature, in.Form, float32(mean),
			float32(1 / max(deviation, 1/mostFactor))}
		if deviation < max(1e-5*math.Abs(mean), 1/mostFactor) {
			all[i].Factor = 0 // it is the same, or nearly, in all that it is learnt from
		}
		if math.Abs(mean) > mostWeight { // so that no sum overflows
			all[i].Mean, all[i].Factor = 0, 0
		}
	}
	return all
}

// learn makes the gradient of a batch of examples: that of the mean log loss.
func (w *weights) learn(n *Net, e *logodds.Examples, batch []int) {
	clear(w.gradient)
	from, bias, out, start := w.parts(w.at)
	toWeights, toBias, toOut, toStart := w.parts(w.gradient)
	var units, back [MaxUnits]float32
	for _, i := range batch {
		x := n.inputs(e.Row(i))
		values := units[:w.units]
		copy(values, bias)
		for k := range w.inputs {
			add(values, from[k*w.units:], x[k])
		}
		sum := *start
		if len(e.Offsets) > 0 {
			sum += e.Offsets[i]
		}
		for h, v := range values {
			sum += out[h] * max(v, 0)
		}
		slope := logodds.Probability(sum)
		if e.Changed[i] {
			slope--
		}
		slope *= e.Weights[i] / float32(len(batch))
		*toStart += slope
		down := back[:w.units]
		for h, v := range values {
			down[h] = 0
			if v > 0 {
				toOut[h] += slope * v
				down[h] = slope * out[h]
			}
		}
		add(toBias, down, 1)
		for k := range w.inputs {
			add(toWeights[k*w.units:(k+1)*w.units], down, x[k])
		}
	}
}

// add adds x times the first of b to a.
func add(a, b []float32, x float32) {
	b = b[:len(a)]
	for i := range a {
		a[i] += x * b[i]
	}
}

// move makes a step by the gradient.
func (w *weights) move(step int, rate, decay float64) {
	first, _, out, _ := w.parts(w.at)
	scale := rate / (1 - math.Pow(memory, float64(step)))
	square := 1 / (1 - math.Pow(squaresMemory, float64(step)))
	keep := float32(1 - rate*decay)
	for i := range first {
		first[i] *= keep
	}
	for i := range out {
		out[i] *= keep
	}
	for i, g := range w.gradient {
		w.mean[i] += (1 - memory) * (g - w.mean[i])
		w.variance[i] += (1 - squaresMemory) * (g*g - w.variance[i])
		w.at[i] -= float32(scale * float64(w.mean[i]) / (math.Sqrt(square*float64(w.variance[i])) +
			tiny))
	}
}

// into makes the weights those of a net.
func (w *weights) into(n *Net) {
	from, bias, out, start := w.parts(w.at)
	n.Start = *start
	n.Units = make([]Unit, w.units)
	for h := range n.Units {
		u := &n.Units[h]
		*u = Unit{Bias: bias[h], Out: out[h], Weights: make([]float32, w.inputs)}
		for k := range u.Weights {
			u.Weights[k] = from[k*w.units+h]
		}
	}
}
