package learn

import (
	"context"
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/estimator/perceptron"
	"github.com/recrawl/recrawl/estimator/trees"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/value"
)

// Options of learning.
type Options struct {
	Folds  int // 0 or 1: one model from all servers
	Rounds int // of runs, each by what was learnt from those before; 0 stands for 1
	Seed   uint64
	Trees  trees.Options
	Net    perceptron.Options
	// Variants are policies of planner.Ablations that get parameters of their own: learnt from the
	// same examples, of which the denied evidence is masked. Runs for examples are made by value
	// alone, which saves the time of runs by each variant.
	Variants []string
	// Kinds is how many kinds of web there are to learn from, each by runs of its own; 0 stands
	// for 1.
	Kinds int
	// Open returns the histories of a kind as a corpus, with its base so many weeks after their
	// start, so many weeks before it shown, and what policies go by.
	Open func(kind, base, history int, by *eval.Learnt) (*eval.Corpus, error)
	// Window is how many weeks the histories of a kind tell of: what they do not tell is not that
	// nothing changed. Nil stands for 60.
	Window func(kind int) int
	// Tick is told how many of the steps are done, and what is at work; it may be nil.
	Tick func(done, steps int, what string)
	// Log is told what came of each step; it may be nil.
	Log func(format string, args ...any)
}

// Parameters are what was learnt, by policy and fold.
type Parameters struct {
	folds  int
	models map[value.Without][]*value.Model
}

// Of is what a policy goes by on a server: learnt on the servers of other folds. A variant
// without parameters of its own goes by those of value.
func (p *Parameters) Of(policy, server string) *value.Model {
	models := p.models[value.WithoutOf(policy)]
	if models == nil {
		models = p.models[value.WithoutNothing]
	}
	return models[eval.Fold(server, p.folds)]
}

// Models learns parameters: for each fold of the servers, by eval.Fold, from the others; with
// one fold from all servers.
func Models(ctx context.Context, o Options) (*Parameters, error) {
	o.Rounds, o.Folds, o.Kinds = max(o.Rounds, 1), max(o.Folds, 1), max(o.Kinds, 1)
	l := &learner{Options: o}
	l.sweep.Features, l.stream.Features = value.Features, value.Features
	l.sweep.mode, l.stream.mode = planner.Sweep, planner.Stream
	kinds := []value.Without{value.WithoutNothing}
	for _, v := range o.Variants {
		if w := value.WithoutOf(v); w.Masks() {
			kinds = append(kinds, w)
		}
	}
	for kind := range o.Kinds {
		l.steps += o.Rounds * len(streams(l.window(kind)))
		if kind == sweepKind {
			l.steps += o.Rounds * len(sweeps(l.window(kind)))
		}
	}
	l.steps += 2*gatherFolds*(o.Rounds-1) + 2*o.Folds*len(kinds)
	rule := value.NewModel()
	by := &eval.Learnt{ModelOf: func(_, _ string) *value.Model { return rule }}
	var before *Parameters
	for round := range o.Rounds {
		if err := l.gather(ctx, by, round); err != nil {
			return nil, err
		}
		if round < o.Rounds-1 {
			p, err := l.fitAll(ctx, before, gatherFolds, kinds[:1])
			if errors.As(err, new(tooFew)) {
				continue // the rule goes on
			}
			if err != nil {
				return nil, err
			}
			before, by = p, &eval.Learnt{ModelOf: p.Of}
		}
	}
	return l.fitAll(ctx, before, o.Folds, kinds)
}

// gatherFolds is in how many parts the servers are learnt from for the runs of later rounds, so
// that these are made by what was learnt on other servers than they visit.
const gatherFolds = 3

// learner is at work.
type learner struct {
	Options
	sweep, stream examples
	done, steps   int
}

// step tells of one more step.
func (l *learner) step(what string) {
	l.done++
	if l.Tick != nil {
		l.Tick(l.done, l.steps, what)
	}
}

func (l *learner) log(format string, args ...any) {
	if l.Log != nil {
		l.Log(format, args...)
	}
}

// fitAll learns the blends of all folds for each kind of evidence to be without, and the curves of
// sweeps for what the examples of the last round were made by; nil: a rule, and no curve.
func (l *learner) fitAll(
	ctx context.Context,
	by *Parameters,
	folds int,
	kinds []value.Without,
) (*Parameters, error) {
	p := &Parameters{folds: folds, models: map[value.Without][]*value.Model{}}
	curves := make([]value.Curve, folds) // the same for all kinds
	for fold := range curves {
		if by != nil {
			curves[fold] = l.curve(&l.sweep, by, fold, folds)
		}
	}
	for _, w := range kinds {
		for fold := range folds {
			m := value.NewModel()
			var err error
			if m.Sweep, err = l.fit(ctx, "sweeps", &l.sweep, fold, folds, w); err != nil {
				return nil, err
			}
			if m.Stream, err = l.fit(ctx, "streams", &l.stream, fold, folds, w); err != nil {
				return nil, err
			}
			m.SweepCurve = curves[fold]
			p.models[w] = append(p.models[w], m)
		}
	}
	return p, nil
}

// tooFew says that a fold has nothing to learn from.
type tooFew struct{ fold, folds int }

func (e tooFew) Error() string {
	return fmt.Sprintf(
		"learn for fold %d of %d: no other fold has a server with pages to learn from",
		e.fold+1,
		e.folds,
	)
}
