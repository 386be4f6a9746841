package learn

import (
	"context"
	"math"

	"github.com/recrawl/recrawl/estimator/trees"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner"
)

// scaleFolds is in how many parts the servers learnt from are split, to see how far what is learnt
// on some can be believed on others.
const scaleFolds = 3

// fit learns the forest of a fold from the examples of the others, and its scale from what forests
// of some of these servers say of the rest.
func (l *learner) fit(ctx context.Context, what string, e *examples, fold int, without planner.Without) (*trees.Forest, planner.Scale, error) {
	scale := planner.Scale{Slope: 1}
	of := func(server string) bool { return l.Folds > 1 && eval.Fold(server, l.Folds) == fold }
	train, test := e.split(of, func(string) bool { return false }, without)
	if train.Len() == 0 {
		return nil, scale, errTooFew(fold, l.Folds)
	}
	learn := func(train *trees.Examples) (*trees.Forest, error) {
		f := trees.Learn(train, l.Trees, func() bool { return ctx.Err() == nil })
		if f == nil {
			return nil, ctx.Err()
		}
		return f, nil
	}
	f, err := learn(train)
	if err != nil {
		return nil, scale, err
	}
	var unseen judged
	for part := range scaleFolds {
		// Other parts than those of the folds: else one of them would be empty.
		in := func(server string) bool { return eval.Fold("part of "+server, scaleFolds) == part }
		some, rest := e.split(in, of, without)
		if some.Len() == 0 || rest.Len() == 0 {
			continue
		}
		g, err := learn(some)
		if err != nil {
			return nil, scale, err
		}
		unseen.add(g, rest)
	}
	scale = unseen.scale()
	l.step("fitting trees")
	if l.Folds > 1 {
		l.log("%s, fold %d: log loss %.4f over %d examples, %.4f over %d of the fold; slope %.2f", what, fold+1, loss(f, train, planner.Scale{Slope: 1}), train.Len(), loss(f, test, scale), test.Len(), scale.Slope)
	} else {
		l.log("%s: log loss %.4f over %d examples; slope %.2f", what, loss(f, train, planner.Scale{Slope: 1}), train.Len(), scale.Slope)
	}
	return f, scale, nil
}

// judged are log odds with what came of them.
type judged struct {
	odds    []float64
	changed []bool
	weights []float64
}

func (u *judged) add(f *trees.Forest, e *trees.Examples) {
	for i, w := range e.Weights {
		u.odds = append(u.odds, float64(f.LogOdds(e.Row(i))+e.Offsets[i]))
		u.changed = append(u.changed, e.Changed[i])
		u.weights = append(u.weights, float64(w))
	}
}

// scale fits slope and shift by Newton's method on the log loss, with a little pull toward 1 and 0.
func (u *judged) scale() planner.Scale {
	slope, shift := 1.0, 0.0
	if len(u.odds) == 0 {
		return planner.Scale{Slope: 1}
	}
	const pull = 1.0
	for range 50 {
		g0, g1 := -pull*shift, -pull*(slope-1)
		h00, h01, h11 := pull, 0.0, pull
		for i, x := range u.odds {
			p := 1 / (1 + math.Exp(-(slope*x + shift)))
			y := 0.0
			if u.changed[i] {
				y = 1
			}
			w := u.weights[i]
			g0 += w * (y - p)
			g1 += w * (y - p) * x
			v := w * p * (1 - p)
			h00 += v
			h01 += v * x
			h11 += v * x * x
		}
		det := h00*h11 - h01*h01
		d0, d1 := (h11*g0-h01*g1)/det, (h00*g1-h01*g0)/det
		d0, d1 = max(min(d0, 1), -1), max(min(d1, 0.5), -0.5)
		shift += d0
		slope = min(max(slope+d1, 0.05), 5)
		if math.Abs(d0)+math.Abs(d1) < 1e-7 {
			break
		}
	}
	return planner.Scale{Slope: float32(slope), Shift: float32(shift)}
}

// split parts examples into those of servers to be tested and others to learn from, and leaves some
// servers out. Each server counts by the root of its examples; weights of those to learn from have mean 1.
func (e *examples) split(tested, left func(server string) bool, without planner.Without) (train, test *trees.Examples) {
	count := map[string]int{}
	for _, s := range e.servers {
		count[s]++
	}
	train, test = &trees.Examples{Features: e.Features}, &trees.Examples{Features: e.Features}
	var row [planner.Features]float32
	for i, s := range e.servers {
		to := train
		switch {
		case left(s):
			continue
		case tested(s):
			to = test
		}
		copy(row[:], e.Row(i))
		without.Mask(&row)
		to.Add(row[:], e.Changed[i], float32(1/math.Sqrt(float64(count[s]))))
		to.Offsets = append(to.Offsets, planner.Offset(e.mode, &row))
	}
	scale(train.Weights)
	return train, test
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
func loss(f *trees.Forest, e *trees.Examples, scale planner.Scale) float64 {
	if e.Len() == 0 {
		return math.NaN()
	}
	var sum, all float64
	for i, w := range e.Weights {
		x := float64(scale.Slope*(f.LogOdds(e.Row(i))+e.Offsets[i]) + scale.Shift)
		if e.Changed[i] {
			x = -x
		}
		sum += float64(w) * math.Log1p(math.Exp(min(x, 500)))
		all += float64(w)
	}
	return sum / all
}
