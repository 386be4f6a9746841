package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// opened is a planner as its data directory holds it.
type opened struct {
	store  *satstore.Store
	corpus *planner.Corpus
	plan   *planner.Planner
}

var errNoData = usageError{
	errors.New("no data directory given"),
	"say where the planner's store is: --data DIRECTORY",
}

// sourceShare is the share of a budget that visits to feeds and sitemaps may take: enough for one
// of each server a day where ten of its pages are visited.
const sourceShare = 0.1

// againShare is the share of a budget that looks at pages which left may take.
const againShare = 0.05

// open reads a data directory. An existing one is required to read only.
func (p *program) open(readOnly bool) (*opened, error) {
	c := &p.config
	if c.Data == "" {
		return nil, errNoData
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
	o := &opened{store: store}
	lost := 0
	build := func() (*planner.Planner, error) {
		o.corpus, lost = planner.NewCorpus(sitegraph.NewGraph()), 0
		err := store.Restore(o.corpus.Graph, func(r *sitegraph.Record) {
			if r.Reason == satstore.ReasonLost {
				lost++
			}
			o.corpus.Remember(r)
		})
		if err != nil {
			return nil, err
		}
		return p.newPlanner(o.corpus)
	}
	plan, why, err := cycle.RecallAll(store, build)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	p.warnOfDamage(store.Damage(), lost)
	if why != nil {
		fmt.Fprintf(p.stderr, "recrawl: warning: %v; it begins anew\n", why)
	}
	o.plan = plan
	return o, nil
}

// newPlanner makes a planner by the settings.
func (p *program) newPlanner(corpus *planner.Corpus) (*planner.Planner, error) {
	c := &p.config
	corpus.SetWeights(c.weights())
	ranking, err := policy.New(c.Policy, policy.Settings{
		Corpus:    corpus,
		Mode:      planner.Stream,
		Seed:      c.Seed,
		Alpha:     c.Alpha,
		GoneWorth: c.Gone,
		Objective: c.objective(),
		PerDay:    c.pace(corpus),
	})
	if err != nil {
		return nil, usageError{err, "recrawl run --help lists the policies"}
	}
	ages, _ := planner.ParseMaxAges(c.MaxAge) // checked before
	return planner.New(corpus, ranking, planner.Options{
		Name:         c.Policy,
		MaxAges:      ages,
		Pause:        c.Delay,
		NewShare:     c.New,
		SourceShare:  sourceShare,
		Leftover:     true,
		LeastRefetch: planner.FirstWorth,
		LeastValue:   c.Least,
		Turns:        true,
		AgainShare:   againShare,
		Limits:       c.limits(),
		MostBytes:    c.mostBytes(),
	}), nil
}

// openStore opens the store of --data for reading.
func (p *program) openStore() (*satstore.Store, error) {
	if p.config.Data == "" {
		return nil, errNoData
	}
	return satstore.Open(p.config.Data, satstore.Options{ReadOnly: true})
}

// warnOfDamage says what is damaged, and what that cost.
func (p *program) warnOfDamage(damage []*satstore.DamageError, lost int) {
	for _, d := range damage {
		fmt.Fprintf(p.stderr, "recrawl: warning: %v\n", d.Error())
	}
	switch {
	case lost > 0:
		fmt.Fprintf(p.stderr, "recrawl: warning: of %s the address alone is known; run begins anew with them\n",
			report.Plural(lost, "page"))
	case len(damage) > 0:
		fmt.Fprintln(p.stderr, "recrawl: warning: no page was lost by this damage")
	}
}

// dryRun plans what run would do now, and lists at most so many visits.
func (o *opened) dryRun(c *Config, most int) (*cycle.Preview, error) {
	return cycle.DryRun(o.store, o.plan, c.perDay(), c.Round, time.Now(), most)
}
