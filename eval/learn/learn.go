package learn

import (
	"context"
	"fmt"

	"github.com/recrawl/recrawl/estimator/trees"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner"
)

// Options of learning.
type Options struct {
	Folds  int // 0 or 1: one model from all servers
	Rounds int // of runs, each by what was learnt from those before; 0 stands for 1
	Seed   uint64
	Trees  trees.Options
	// Variants are policies of planner.Ablations that get parameters of their own: learnt from the
	// same examples, of which the denied evidence is masked. Runs for examples are made by value
	// alone, which saves the time of runs by each variant.
	Variants []string
	// Open returns the histories as a corpus, with its base so many weeks after their start, so
	// many weeks before it shown, and what policies go by.
	Open func(base, history int, by *eval.Learnt) (*eval.Corpus, error)
	// Tick is told how many of the steps are done, and what is at work; it may be nil.
	Tick func(done, steps int, what string)
	// Log is told what came of each step; it may be nil.
	Log func(format string, args ...any)
}

// Parameters are what was learnt, by policy and fold.
type Parameters struct {
	folds  int
	models map[planner.Without][]*planner.Model
}

// Of is what a policy goes by on a server: learnt on the servers of other folds. A variant
// without parameters of its own goes by those of value.
func (p *Parameters) Of(policy, server string) *planner.Model {
	models := p.models[planner.WithoutOf(policy)]
	if models == nil {
		models = p.models[planner.WithoutNothing]
	}
	return models[eval.Fold(server, p.folds)]
}

// Models learns parameters: for each fold of the servers, by eval.Fold, from the others; with
// one fold from all servers.
func Models(ctx context.Context, o Options) (*Parameters, error) {
	o.Rounds, o.Folds = max(o.Rounds, 1), max(o.Folds, 1)
	l := &learner{Options: o}
	l.sweep.Features, l.stream.Features = planner.Features, planner.Features
	l.sweep.mode, l.stream.mode = planner.Sweep, planner.Stream
	kinds := []planner.Without{planner.WithoutNothing}
	for _, v := range o.Variants {
		// What value-probe knows is what value knows, only later.
		if w := planner.WithoutOf(v); w != planner.WithoutNothing && w != planner.WithoutProbe {
			kinds = append(kinds, w)
		}
	}
	forests := 2 * o.Folds
	l.steps = o.Rounds*(len(sweeps())+len(streams())+forests) + (len(kinds)-1)*forests
	rule := planner.NewModel()
	by := &eval.Learnt{ModelOf: func(_, _ string) *planner.Model { return rule }}
	p := &Parameters{folds: o.Folds, models: map[planner.Without][]*planner.Model{}}
	for round := range o.Rounds {
		if err := l.gather(ctx, by, round); err != nil {
			return nil, err
		}
		if round < o.Rounds-1 {
			if err := l.fitAll(ctx, p, kinds[:1]); err != nil {
				return nil, err
			}
			by = &eval.Learnt{ModelOf: p.Of}
			p = &Parameters{folds: o.Folds, models: map[planner.Without][]*planner.Model{}}
		}
	}
	return p, l.fitAll(ctx, p, kinds)
}

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

// fitAll learns the forests of all folds for each kind of evidence to be without.
func (l *learner) fitAll(ctx context.Context, p *Parameters, kinds []planner.Without) error {
	for _, w := range kinds {
		p.models[w] = nil
		for fold := range l.Folds {
			m := planner.NewModel()
			var err error
			if m.Sweep, m.SweepScale, err = l.fit(ctx, "sweeps", &l.sweep, fold, w); err != nil {
				return err
			}
			if m.Stream, m.StreamScale, err = l.fit(ctx, "streams", &l.stream, fold, w); err != nil {
				return err
			}
			p.models[w] = append(p.models[w], m)
		}
	}
	return nil
}

// errTooFew says that a fold has nothing to learn from.
func errTooFew(fold, folds int) error {
	return fmt.Errorf("learn for fold %d of %d: no other fold has a server with pages to learn from", fold+1, folds)
}
