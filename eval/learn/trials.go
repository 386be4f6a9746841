package learn

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/cores"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/value"
)

// window is how many weeks the histories of a kind tell of.
func (l *learner) window(kind int) int {
	if l.Window == nil {
		return eval.WindowWeeks
	}
	return min(l.Window(kind), eval.WindowWeeks)
}

// trial is one run to learn from.
type trial struct {
	base, history int
	weeks         int     // of a sweep, or a stream
	budget        float64 // of a stream; 0: a sweep
}

func sweeps(window int) (all []trial) {
	for _, base := range []int{9, 18, 27} {
		for _, history := range []int{0, min(base, 12)} {
			for _, weeks := range []int{2, 4, 8, 12, 24} {
				if base+weeks <= window {
					all = append(all, trial{base, history, weeks, 0})
				}
			}
		}
	}
	return all
}

// sweepKind is the kind of web that sweeps are learnt from. A sweep knows little of its pages, so
// what holds on one kind of web misleads it on another.
const sweepKind = 0

// streams begin early or late in the window. They end with it, at the latest.
func streams(window int) (all []trial) {
	const usual, least = 40, 4 // weeks
	for _, base := range []int{4, 14} {
		weeks := min(usual, window-base)
		if weeks < least {
			continue
		}
		for _, budget := range []float64{0.01, 0.02, 0.05} {
			all = append(all, trial{base, 0, weeks, budget})
		}
	}
	return all
}

// gather makes the runs of a round and keeps their examples.
func (l *learner) gather(ctx context.Context, by *eval.Learnt, round int) error {
	l.sweep.before, l.stream.before = l.sweep.Len(), l.stream.Len()
	for kind := range l.Kinds {
		if kind == sweepKind {
			if err := l.try(ctx, by, kind, round, sweeps(l.window(kind)), &l.sweep); err != nil {
				return err
			}
		}
		if err := l.try(ctx, by, kind, round, streams(l.window(kind)), &l.stream); err != nil {
			return err
		}
	}
	l.log("round %d: %d examples of sweeps, %d of streams", round+1, l.sweep.Len(), l.stream.Len())
	return nil
}

// try makes runs and keeps their examples in the order of the trials. Those of one base and
// history are neighbours and share a corpus, and are made at once.
func (l *learner) try(ctx context.Context, by *eval.Learnt, kind, round int, trials []trial,
	into *examples) error {
	var told sync.Mutex
	for from := 0; from < len(trials); {
		first := trials[from]
		n := slices.IndexFunc(
			trials[from:],
			func(t trial) bool { return t.base != first.base || t.history != first.history },
		)
		if n < 0 {
			n = len(trials) - from
		}
		corpus, err := l.Open(kind, first.base, first.history, by)
		if err != nil {
			return err
		}
		parts := make([]examples, n)
		err = cores.Try(n, func(i int) error {
			parts[i].Features = value.Features
			err := l.run(ctx, corpus, trials[from+i], kind, round, from+i, &parts[i])
			told.Lock()
			defer told.Unlock()
			l.step("replaying")
			return err
		})
		if err != nil {
			return err
		}
		for i := range parts {
			e := &parts[i]
			for k, server := range e.servers {
				into.add(kind, server, e.Row(k), e.Changed[k], e.chosen[k])
			}
		}
		from += n
	}
	return nil
}

// run makes one trial, the n-th of its protocol.
func (l *learner) run(
	ctx context.Context,
	corpus *eval.Corpus,
	t trial,
	kind, round, n int,
	e *examples,
) (err error) {
	seed := uint64(round*1000 + kind*100 + n)
	if t.budget > 0 {
		share := 0.15 * 0.01 / t.budget // as many examples of each budget
		_, err = corpus.Stream(
			ctx,
			eval.StreamOptions{Weeks: t.weeks, Budget: t.budget, New: 0.25, Seed: l.Seed + seed,
				Watch: l.watch(e, kind, seed, share, share, 0.03)},
			[]string{"value"},
			nil,
		)
		return err
	}
	explore := []float64{0.7, 0.3}[(n+round)%2]
	if round > 0 && t.history > 0 {
		explore = 0.05
	}
	_, err = corpus.Snapshot(ctx, eval.SnapshotOptions{Weeks: t.weeks, Seed: l.Seed + seed,
		Watch: l.watch(e, kind, seed, 0.05, 0.12, explore)}, []string{"value"}, nil)
	return err
}

// watch makes what looks over a policy's shoulder.
func (l *learner) watch(into *examples, kind int, seed uint64, chosen, drawn,
	explore float64) eval.Watch {
	return func(p planner.Policy, corpus *planner.Corpus, oracle policy.Oracle) planner.Policy {
		k, ok := p.(knower)
		if !ok {
			return p
		}
		k.ScoreAll()
		return &collector{
			knower:  k,
			kind:    kind,
			corpus:  corpus,
			oracle:  oracle,
			random:  rand.New(rand.NewPCG(l.Seed, seed)),
			chosen:  chosen,
			drawn:   drawn,
			explore: explore,
			add:     into.add,
		}
	}
}
