package learn

import (
	"context"
	"math"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/estimator/perceptron"
	"github.com/recrawl/recrawl/estimator/trees"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/cores"
	"github.com/recrawl/recrawl/planner/value"
)

// nets are those that one is the mean of: what the luck of its first weights makes of each counts
// less then.
const nets = 2

// fit learns the blend of a fold from the examples of the others.
func (l *learner) fit(
	ctx context.Context,
	what string,
	e *examples,
	fold, folds int,
	without value.Without,
) (*value.Blend, error) {
	of := func(server string) bool { return folds > 1 && eval.Fold(server, folds) == fold }
	train, test := e.split(of, without)
	if train.Len() == 0 {
		return nil, tooFew{fold, folds}
	}
	goOn := func() bool { return ctx.Err() == nil }
	b := &value.Blend{Forest: trees.Learn(train, l.Trees, goOn)}
	if !goOn() {
		return nil, ctx.Err()
	}
	var parts [nets]*perceptron.Net
	cores.Each(nets, func(i int) {
		o := l.Net
		o.Seed = l.Seed*nets + uint64(i)
		parts[i] = perceptron.Learn(train, value.Inputs(), o, goOn)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	b.Net = perceptron.Mean(parts[:])
	l.step("fitting")
	if folds > 1 {
		l.log(
			"%s, fold %d: log loss %.4f over %d examples, %.4f over %d of the fold",
			what,
			fold+1,
			loss(b, train),
			train.Len(),
			loss(b, test),
			test.Len(),
		)
	} else {
		l.log("%s: log loss %.4f over %d examples", what, loss(b, train), train.Len())
	}
	return b, nil
}

// curve learns what came of the probabilities at which pages were chosen in the last round, on
// servers of other folds than this one. Each was given by what was learnt on servers of other folds
// than its own.
func (l *learner) curve(e *examples, by *Parameters, fold, folds int) value.Curve {
	count := map[string]int{}
	of := func(i int) bool {
		return e.chosen[i] && (folds == 1 || eval.Fold(e.servers[i], folds) != fold)
	}
	for i := e.before; i < e.Len(); i++ {
		if of(i) {
			count[e.servers[i]]++
		}
	}
	var o value.Outcomes
	var row value.Row
	for i := e.before; i < e.Len(); i++ {
		if of(i) {
			copy(row[:], e.Row(i))
			o.Add(
				by.Of("value", e.servers[i]).Uncalibrated(e.mode, &row),
				e.Changed[i],
				weightOf(count[e.servers[i]]),
			)
		}
	}
	return o.Curve()
}

// weightOf an example of a server that has so many: each server counts by the root of its examples.
func weightOf(examples int) float64 { return 1 / math.Sqrt(float64(examples)) }

// split parts examples into those of servers to be tested and others to learn from, whose weights
// have mean 1.
func (e *examples) split(
	tested func(server string) bool,
	without value.Without,
) (train, test *logodds.Examples) {
	count := map[string]int{}
	for _, s := range e.servers {
		count[s]++
	}
	train, test = &logodds.Examples{Features: e.Features}, &logodds.Examples{Features: e.Features}
	var row value.Row
	var kinds []int // of train
	for i, s := range e.servers {
		to := train
		if tested(s) {
			to = test
		} else {
			kinds = append(kinds, e.kinds[i])
		}
		copy(row[:], e.Row(i))
		without.Mask(&row)
		to.Add(row[:value.Features], e.Changed[i], float32(weightOf(count[s])))
		to.Offsets = append(to.Offsets, value.Offset(e.mode, &row))
	}
	balance(train.Weights, kinds)
	return train, test
}

// balance gives all kinds of web the same weight in all.
func balance(weights []float32, kinds []int) {
	sums := map[int]float64{}
	for i, w := range weights {
		sums[kinds[i]] += float64(w)
	}
	for i := range weights {
		weights[i] /= float32(sums[kinds[i]])
	}
	scale(weights)
}

// scale makes the mean of weights 1.
func scale(weights []float32) {
	sum := 0.0
	for _, w := range weights {
		sum += float64(w)
	}
	for i := range weights {
		weights[i] *= float32(float64(len(weights)) / sum)
	}
}

// loss is the mean log loss, in nats; NaN for none.
func loss(m interface{ LogOdds(row []float32) float32 }, e *logodds.Examples) float64 {
	if e.Len() == 0 {
		return math.NaN()
	}
	var sum, all float64
	for i, w := range e.Weights {
		x := float64(m.LogOdds(e.Row(i)) + e.Offsets[i])
		if e.Changed[i] {
			x = -x
		}
		sum += float64(w) * math.Log1p(math.Exp(min(x, 500)))
		all += float64(w)
	}
	return sum / all
}
