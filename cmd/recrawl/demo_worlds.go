package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// journey is what a world showed, visit by visit: the crawl of the web at the base, the
// sweeps, each from the base, and the weeks after the base.
type journey struct {
	crawl, weeks []step
	sweeps       []swept
}

// swept is one sweep of a method: the sites it went by, and what it saw.
type swept struct {
	sweepCount
	steps []step
}

// visits is the number of all visits.
func (j *journey) visits() int {
	n := len(j.crawl) + len(j.weeks)
	for _, s := range j.sweeps {
		n += len(s.steps)
	}
	return n
}

// demoHTTP makes the journey over HTTP, with the store on disk.
func (p *program) demoHTTP(ctx context.Context, web timetravel.Web, corpus *eval.Corpus, plan demoPlan, result *httpResult) (j journey, err error) {
	dir := p.config.Demo.Keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "recrawl-demo-"); err != nil {
			return j, err
		}
		defer os.RemoveAll(dir)
	}
	count := newHTTPCount()
	clock := cycle.NewVirtualClock(corpus.Base.Add(-24 * time.Hour))
	world, err := timetravel.NewWorld(web, clock, demoAgent, count.log)
	if err != nil {
		return j, err
	}
	defer world.Close()
	started := time.Now()
	stage := eval.Stage{Graph: sitegraph.NewGraph(), Fetcher: world, Clock: clock, Forecast: true}
	at := func(part string) string { return filepath.Join(dir, part) }
	err = onDisk(at(keptBase), corpus.Base, &stage, func(*satstore.Store) (err error) {
		if j.crawl, err = p.demoCrawl(ctx, corpus, &stage); err != nil {
			return err
		}
		j.sweeps, err = p.sweepsOverHTTP(ctx, web, corpus, stage, plan, count)
		return err
	})
	if err != nil {
		return j, err
	}
	if err := os.CopyFS(at(keptData), os.DirFS(at(keptBase))); err != nil {
		return j, fmt.Errorf("copy the store of the base: %w", err)
	}
	err = onDisk(at(keptData), corpus.Base, &stage, func(store *satstore.Store) (err error) {
		if j.weeks, err = p.demoWeeks(ctx, corpus, stage, plan, "days over HTTP"); err != nil {
			return err
		}
		*result = count.result(j.visits(), time.Since(started), store.Stats())
		result.Policy = plan.policy
		return nil
	})
	return j, err
}

// The stores of a demo: as after the base crawl, and as after the weeks.
const keptBase, keptData = "base", "data"

// unused refuses to keep stores where there are some.
func unused(keep string) error {
	if keep == "" {
		return nil
	}
	for _, part := range []string{keptBase, keptData} {
		path := filepath.Join(keep, part)
		if _, err := os.Lstat(path); err == nil {
			return usageError{fmt.Errorf("--keep %s: %s is there already", keep, path), "give a new directory, or remove that one"}
		}
	}
	return nil
}

// onDisk does something on a stage with the store of a directory.
func onDisk(dir string, base time.Time, stage *eval.Stage, do func(*satstore.Store) error) (err error) {
	store, err := satstore.Open(dir, satstore.Options{Now: base})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	stage.Store = store
	return do(store)
}

// sweepsOverHTTP sweeps a month after the base. The visitor is another one than that of the
// weeks, which knows nothing of later months.
func (p *program) sweepsOverHTTP(ctx context.Context, web timetravel.Web, corpus *eval.Corpus, stage eval.Stage, plan demoPlan, count *httpCount) ([]swept, error) {
	clock := cycle.NewVirtualClock(corpus.Base)
	count.rewind()
	defer count.rewind()
	world, err := timetravel.NewWorld(web, clock, demoAgent, count.log)
	if err != nil {
		return nil, err
	}
	defer world.Close()
	stage.Fetcher, stage.Clock = world, clock
	return p.demoSweeps(ctx, corpus, stage, plan, "sweeps over HTTP")
}

// demoReplay makes the journey on the recorded web.
func (p *program) demoReplay(ctx context.Context, corpus *eval.Corpus, plan demoPlan) (j journey, err error) {
	stage := corpus.Empty()
	if j.crawl, err = p.demoCrawl(ctx, corpus, &stage); err != nil {
		return j, err
	}
	later := stage
	later.Clock = cycle.NewVirtualClock(corpus.Base)
	if j.sweeps, err = p.demoSweeps(ctx, corpus, later, plan, "sweeps by replay"); err != nil {
		return j, err
	}
	j.weeks, err = p.demoWeeks(ctx, corpus, stage, plan, "days by replay")
	return j, err
}

// demoCrawl discovers the web as it stands at the base.
func (p *program) demoCrawl(ctx context.Context, corpus *eval.Corpus, stage *eval.Stage) (steps []step, err error) {
	bar := p.progress("crawling", len(corpus.Pages))
	defer bar.end()
	stage.Log = func(e *cycle.Event) { steps = append(steps, stepOf(e)); bar.step() }
	if err := corpus.Crawl(ctx, *stage); err != nil {
		return nil, err
	}
	return steps, stage.Remember()
}

// demoSweeps sweeps the web by each method.
func (p *program) demoSweeps(ctx context.Context, corpus *eval.Corpus, stage eval.Stage, plan demoPlan, what string) ([]swept, error) {
	bar := p.progress(what, len(plan.sweeps))
	defer bar.end()
	var sweeps []swept
	for _, method := range plan.sweeps {
		var s swept
		stage.Log = func(e *cycle.Event) { s.steps = append(s.steps, stepOf(e)) }
		r, err := corpus.SweepOn(ctx, stage, plan.snapshot(), method)
		if err != nil {
			return nil, fmt.Errorf("sweep by method %s: %w", method, err)
		}
		s.sweepCount = countSites(&stage, method)
		s.Fetched, s.Changed = r.Fetched, r.ChangedFetched
		sweeps = append(sweeps, s)
		bar.step()
	}
	return sweeps, nil
}

// demoWeeks keeps the web fresh.
func (p *program) demoWeeks(ctx context.Context, corpus *eval.Corpus, stage eval.Stage, plan demoPlan, what string) (steps []step, err error) {
	bar := p.progress(what, 7*plan.stream.Weeks)
	defer bar.end()
	stage.Log = func(e *cycle.Event) { steps = append(steps, stepOf(e)) }
	_, err = corpus.StreamOn(ctx, stage, plan.stream, plan.policy, bar.step)
	return steps, err
}
