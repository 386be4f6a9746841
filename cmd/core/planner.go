package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/watch"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// opened is a planner from its data directory.
type opened struct {
	store  *satstore.Store
	pages  *planner.Pages
	plan   *planner.Planner
	rules  *view.Rules
	listed *preferences.Listed // weights of --weights; nil: none
}

var errNoData = UsageError(
	errors.New("no data directory given"),
	"say where the planner's store is: --data DIRECTORY",
)

// open reads a data directory. readOnly requires an existing one.
func (p *Program) open(ctx context.Context, readOnly bool) (*opened, error) {
	c := &p.config
	if c.Data == "" {
		return nil, errNoData
	}
	if err := findPrograms(p.programs(ctx, true), c.Policy); err != nil {
		return nil, err
	}
	if readOnly {
		if _, err := os.Stat(c.Data); err != nil {
			return nil, fmt.Errorf("data directory: %w", err)
		}
	}
	stages := p.stages(ctx)
	defer stages.End()
	store, err := satstore.Open(c.Data, satstore.Options{ReadOnly: readOnly, Progress: stages.Tell})
	if err != nil {
		return nil, err
	}
	dir := c.Data // for the scratch file
	if readOnly {
		dir = p.scratch
	}
	o := &opened{store: store}
	watched, err := p.watched()
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if o.listed, err = p.listed(); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if o.rules, err = view.OpenRules(store, append(watched.Weights(), c.Weight...),
		o.listed); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	build := func() (*planner.Planner, error) {
		file, err := arena.Open(dir)
		if err != nil {
			return nil, err
		}
		o.pages = planner.NewPages(sitegraph.NewGraphIn(file))
		if err := store.Restore(o.pages.Graph, o.pages.Remember); err != nil {
			return nil, err
		}
		return p.newPlanner(ctx, o.pages, o.rules)
	}
	plan, why, err := crawl.RecallImage(store, dir,
		func(pages *planner.Pages) (*planner.Planner, error) {
			return p.newPlanner(ctx, pages, o.rules)
		})
	if why != nil {
		p.Warn(why.Error() + "; all records are read instead")
	}
	if plan == nil && err == nil {
		if plan, why, err = crawl.RecallAll(store, build); why != nil {
			p.Warn(why.Error() + "; it begins anew")
		}
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	store.EndProgress()
	p.warnOfDamage(store.Damage(), store.AddressAlone())
	o.plan, o.pages = plan, plan.Pages
	c.KnownPages = o.pages.Count()
	return o, nil
}

// newPlanner makes a planner by the settings.
func (p *Program) newPlanner(ctx context.Context, pages *planner.Pages, rules *view.Rules) (
	*planner.Planner, error) {
	c := &p.config
	c.KnownPages = pages.Count()
	live := planner.LiveOptions()
	if _, err := p.watched(); err != nil {
		return nil, err
	}
	if err := watch.Plan(p.rules, c.MaxAge, c.Round, &live); err != nil {
		return nil, err
	}
	pages.SetWeights(rules.Weights())
	ranking, err := policy.New(c.Policy, policy.Settings{
		Pages:     pages,
		Mode:      planner.Stream,
		Seed:      c.Seed,
		Alpha:     c.Alpha,
		Sample:    c.Sample,
		GoneWorth: c.Gone,
		Objective: c.VisitsFor(),
		Lag:       c.SearchLag,
		PerDay:    pages.Pace(c.Limits()),
		Programs:  p.programs(ctx, true),
	})
	if err != nil {
		return nil, UsageError(err, "recrawl run --help lists the policies")
	}
	live.Name, live.Pause, live.NewShare = c.Policy, c.Delay, c.New
	live.LeastValue, live.Limits, live.MostBytes = c.Least, c.Limits(), fetch.MostBytes(c.MaxBody)
	live.Skip = rules.Skip(pages.Graph)
	return planner.New(pages, ranking, live), nil
}

// listed reads the weights of --weights; nil: none.
func (p *Program) listed() (*preferences.Listed, error) {
	if p.config.Weights == "" {
		return nil, nil
	}
	f, err := os.Open(p.config.Weights)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	l, err := preferences.ReadListed(f)
	if err != nil {
		return nil, UsageError(fmt.Errorf("%s: %w", p.config.Weights, err),
			"recrawl corpus weigh writes such a file")
	}
	return l, nil
}

// openStore opens the store of --data for reading.
func (p *Program) openStore() (*satstore.Store, error) {
	if p.config.Data == "" {
		return nil, errNoData
	}
	return satstore.Open(p.config.Data, satstore.Options{ReadOnly: true})
}

// warnOfDamage reports the damage, and its effect.
func (p *Program) warnOfDamage(damage []*satstore.DamageError, lost int) {
	for _, d := range damage {
		p.Warn(d.Error())
	}
	switch {
	case lost > 0:
		p.Warn("of " + words.Plural(lost, "page") + " the address alone is known; run begins " +
			"anew with them")
	case len(damage) > 0:
		p.Warn("no page was lost by this damage")
	}
}

// dryRun plans the next visits of run, and lists at most most of them.
func (o *opened) dryRun(c *config.Config, most int) (*crawl.Preview, error) {
	return crawl.DryRun(o.store, o.plan, c.PerDay(), c.Round, time.Now(), most)
}

// hasSpace returns why no visit may begin: the disk is almost full, so that its results could not
// be kept. It returns no error if the free space is unknown.
func (p *Program) hasSpace() error { return p.SpaceIn(p.config.Data, p.config.Archive) }

// SpaceIn returns why no visit that writes to these directories may begin. It ignores "".
func (p *Program) SpaceIn(dirs ...string) error {
	for _, dir := range dirs {
		if free, err := directory.Free(dir); dir != "" && err == nil && free < p.config.MinFree {
			return fmt.Errorf("the disk of %s has %d bytes free, fewer than --min-free %d",
				dir, free, p.config.MinFree)
		}
	}
	return nil
}
