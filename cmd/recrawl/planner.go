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
	policy planner.Policy
	plan   *planner.Planner

	current, next planner.Round // set by upcoming
	further       int           // visits of the round beyond what upcoming returned
}

var errNoData = usageError{errors.New("no data directory given"), "say where the planner's store is: --data DIRECTORY"}

// sourceShare is the share of a budget that visits to feeds and sitemaps may take: enough for one
// of each server a day where ten of its pages are visited.
const sourceShare = 0.1

// leastRefetch is what a refetch must be worth to go before a new page beyond the share of new pages: one
// change in twenty visits.
const leastRefetch = 0.05

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
	o := &opened{store: store, corpus: planner.NewCorpus(sitegraph.NewGraph())}
	lost := 0
	remember := func(r *sitegraph.Record) {
		if r.Reason == satstore.ReasonLost {
			lost++
		}
		o.corpus.Remember(r)
	}
	if err := store.Restore(o.corpus.Graph, remember); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	p.warnOfDamage(store.Damage(), lost)
	o.corpus.SetWeights(c.weights())
	o.policy, err = policy.New(c.Policy, policy.Settings{Corpus: o.corpus, Mode: planner.Stream, Seed: c.Seed, Alpha: c.Alpha, PerDay: c.pace(o.corpus)})
	if err != nil {
		return nil, errors.Join(usageError{err, "recrawl run --help lists the policies"}, store.Close())
	}
	o.plan = planner.New(o.corpus, o.policy, planner.Options{NewShare: c.New, SourceShare: sourceShare, Leftover: true, LeastRefetch: leastRefetch, Turns: true, AgainShare: againShare, Limits: c.limits(), MostBytes: c.mostBytes()})
	return o, nil
}

// warnOfDamage says what is damaged, and what that cost.
func (p *program) warnOfDamage(damage []*satstore.DamageError, lost int) {
	for _, d := range damage {
		fmt.Fprintf(p.stderr, "recrawl: warning: %v\n", d.Error())
	}
	switch {
	case lost > 0:
		fmt.Fprintf(p.stderr, "recrawl: warning: of %s the address alone is known; run begins anew with them\n", report.Plural(lost, "page"))
	case len(damage) > 0:
		fmt.Fprintln(p.stderr, "recrawl: warning: no page was lost by this damage")
	}
}

// upcoming returns the visits that run would make now, in order, at most so many, and the
// round they are of: the current one, with what is left of its budget, or the next one if
// nothing is left to do in it.
func (o *opened) upcoming(c *Config, most int) ([]planner.Visit, planner.Round, error) {
	current, next, err := cycle.Upcoming(o.store, c.perDay(), c.Round, time.Now())
	if err != nil {
		return nil, current, err
	}
	if err := o.plan.Caps().Load(o.store.Setting); err != nil {
		return nil, current, err
	}
	if _, err := cycle.RestoreHints(o.store, o.corpus); err != nil {
		return nil, current, err
	}
	o.current, o.next = current, next
	for _, r := range []planner.Round{current, next} {
		o.plan.Begin(r)
		var visits []planner.Visit
		o.further = 0
		for v, ok := o.plan.Next(); ok; v, ok = o.plan.Next() {
			if len(visits) < most {
				visits = append(visits, v)
			} else {
				o.further++
			}
		}
		if len(visits) > 0 {
			return visits, r, nil
		}
	}
	return nil, next, nil
}

// known is the number of pages: feeds and sitemaps are none.
func (o *opened) known() int { return o.corpus.Pages() - o.plan.KnownSources() }

// nothing says why upcoming found no visit.
func (o *opened) nothing(c *Config) string {
	waiting, open := 0, 0
	for page := range sitegraph.PageID(o.corpus.Pages()) {
		m := o.corpus.Memory(page)
		if m.State != sitegraph.StateNew && m.State != sitegraph.StateAlive {
			continue
		}
		open++
		if m.Errors > 0 {
			waiting++
		}
	}
	pages := report.Plural(o.known(), "page")
	switch {
	case o.known() == 0:
		return "Nothing to visit: no page is known."
	case open == 0:
		return "Nothing to visit: of " + pages + " known, all are gone, moved or excluded."
	case c.perDay() == 0:
		return "Nothing to visit: the budget is 0."
	case o.current.Budget == 0 && o.next.Budget == 0:
		return fmt.Sprintf("Nothing to visit: the budget of %v a day leaves no fetch for this round and none for the next.", c.perDay())
	case o.next.Budget == 0:
		return fmt.Sprintf("Nothing to visit: this round is done, and the budget of %v a day leaves no fetch for the next.", c.perDay())
	case len(o.plan.Unfit()) > 0:
		return "Nothing to visit: nothing that is wanted fits under the budgets."
	case waiting == open:
		return fmt.Sprintf("Nothing to visit: %s wait after failures, all that could be visited.", report.Plural(waiting, "page"))
	case waiting > 0:
		return fmt.Sprintf("Nothing to visit: of %s, %d wait after failures, and policy %s asks for none of the others.", report.Plural(open, "page"), waiting, c.Policy)
	}
	return fmt.Sprintf("Nothing to visit: %s visited, and policy %s asks for none of them again in these rounds.", report.Plural(open, "page"), c.Policy)
}
