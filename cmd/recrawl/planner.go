package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// opened is a planner as its data directory holds it.
type opened struct {
	store  *satstore.Store
	corpus *planner.Corpus
	policy planner.Policy
	plan   *planner.Planner
}

// open reads a data directory. An existing one is required to read only.
func (p *program) open(readOnly bool) (*opened, error) {
	c := &p.config
	if c.Data == "" {
		return nil, usageError{errors.New("no data directory given"), "say where the planner's store is: --data DIRECTORY"}
	}
	if readOnly {
		if _, err := os.Stat(c.Data); err != nil {
			return nil, fmt.Errorf("data directory: %w", err)
		}
	}
	store, err := satstore.Open(c.Data, satstore.Options{ReadOnly: readOnly})
	if err != nil {
		return nil, err
	}
	o := &opened{store: store, corpus: planner.NewCorpus(sitegraph.NewGraph())}
	if err := store.Restore(o.corpus.Graph, o.corpus.Remember); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	for _, d := range store.Damage() {
		fmt.Fprintf(p.stderr, "recrawl: warning: %v; that record starts anew\n", d.Error())
	}
	o.policy, err = planner.NewPolicy(c.Policy, planner.Settings{Corpus: o.corpus, Mode: planner.Stream, Seed: c.Seed, PerDay: c.Budget})
	if err != nil {
		return nil, errors.Join(usageError{err, "recrawl run --help lists the policies"}, store.Close())
	}
	o.plan = planner.New(o.corpus, o.policy, planner.Options{NewShare: c.New, Leftover: true})
	return o, nil
}

// upcoming returns the visits that run would make now, in order, at most so many, and the
// round they are of: the current one, with what is left of its budget, or the next one if
// nothing is left to do in it.
func (o *opened) upcoming(c *Config, most int) ([]planner.Visit, planner.Round, error) {
	current, next, err := cycle.Upcoming(o.store, planner.Budget{PerDay: c.Budget}, c.Round, time.Now())
	if err != nil {
		return nil, current, err
	}
	for _, r := range []planner.Round{current, next} {
		o.plan.Begin(r)
		var visits []planner.Visit
		for len(visits) < most {
			v, ok := o.plan.Next()
			if !ok {
				break
			}
			visits = append(visits, v)
		}
		if len(visits) > 0 {
			return visits, r, nil
		}
	}
	return nil, next, nil
}
