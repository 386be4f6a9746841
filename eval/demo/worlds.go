package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// journey has the visits of a world: the crawl of the web at the base, the sweeps, each from the
// base, and the weeks after the base.
type journey struct {
	crawl, weeks []step
	sweeps       []swept
}

// swept is one sweep of a method: its sites and visits.
type swept struct {
	SweepCount
	steps []step
}

// visits returns the number of all visits.
func (j *journey) visits() int {
	n := len(j.crawl) + len(j.weeks)
	for _, s := range j.sweeps {
		n += len(s.steps)
	}
	return n
}

// overHTTP makes the journey over HTTP, with the store on disk.
func (s *show) overHTTP(ctx context.Context, p plan) (j journey, result HTTPResult, err error) {
	dir := s.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "recrawl-demo-"); err != nil {
			return j, result, err
		}
		defer os.RemoveAll(dir)
	}
	count := newHTTPCount()
	clock := crawl.NewVirtualClock(s.corpus.Base.Add(-24 * time.Hour))
	kept, err := openArchive(s.archive, clock)
	if err != nil {
		return j, result, err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	world, err := timetravel.NewWorld(s.web, clock,
		timetravel.Visitor{UserAgent: agent, Log: count.log, Take: taking(kept)})
	if err != nil {
		return j, result, err
	}
	defer world.Close()
	started := time.Now()
	stage := eval.Stage{Graph: sitegraph.NewGraph(), Fetcher: archiving{world, kept}, Clock: clock,
		Forecast: true}
	base, data := filepath.Join(dir, KeptBase), filepath.Join(dir, KeptData)
	err = onDisk(base, s.corpus.Base, &stage, func(*satstore.Store) (err error) {
		if j.crawl, err = s.crawl(ctx, &stage); err != nil {
			return err
		}
		j.sweeps, err = s.sweepsOverHTTP(ctx, stage, p, count)
		return err
	})
	if err != nil {
		return j, result, err
	}
	if err := os.CopyFS(data, os.DirFS(base)); err != nil {
		return j, result, fmt.Errorf("copy the store of the base: %w", err)
	}
	err = onDisk(data, s.corpus.Base, &stage, func(store *satstore.Store) (err error) {
		if j.weeks, err = s.weeks(ctx, stage, p, "days over HTTP"); err != nil {
			return err
		}
		result = count.result(j.visits(), time.Since(started), store.Stats())
		result.Policy = p.policy
		return nil
	})
	if err == nil {
		result.Archive, err = keptIn(s.archive, kept)
	}
	return j, result, err
}

// Stores that a demo keeps, by their folders in Options.Keep: after the crawl of the base, and
// after the weeks.
const (
	KeptBase = "base"
	KeptData = "data"
)

// Occupied returns the first existing file or folder among the stores to keep in a directory and an
// archive, which may be an empty directory; "" if all are free. The directory "" means none.
func Occupied(keep, archive string) string {
	if keep != "" {
		for _, part := range []string{KeptBase, KeptData} {
			path := filepath.Join(keep, part)
			if _, err := os.Lstat(path); err == nil {
				return path
			}
		}
	}
	if archive != "" {
		entries, err := os.ReadDir(archive)
		if len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return archive
		}
	}
	return ""
}

// onDisk calls do on a stage with the store of a directory.
func onDisk(dir string, base time.Time, stage *eval.Stage, do func(*satstore.Store) error) (
	err error) {
	store, err := satstore.Open(dir, satstore.Options{Now: base})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	stage.Store = store
	return do(store)
}

// sweepsOverHTTP sweeps a month after the base. Its visitor differs from that of the weeks, and
// knows nothing of later months.
func (s *show) sweepsOverHTTP(
	ctx context.Context, stage eval.Stage, p plan, count *httpCount,
) ([]swept, error) {
	clock := crawl.NewVirtualClock(s.corpus.Base)
	count.rewind()
	defer count.rewind()
	world, err := timetravel.NewWorld(s.web, clock,
		timetravel.Visitor{UserAgent: agent, Log: count.log})
	if err != nil {
		return nil, err
	}
	defer world.Close()
	stage.Fetcher, stage.Clock = world, clock
	return s.sweeps(ctx, stage, p, "sweeps over HTTP")
}

// byReplay makes the journey on the recorded web.
func (s *show) byReplay(ctx context.Context, p plan) (j journey, err error) {
	stage := s.corpus.Empty()
	if j.crawl, err = s.crawl(ctx, &stage); err != nil {
		return j, err
	}
	later := stage
	later.Clock = crawl.NewVirtualClock(s.corpus.Base)
	if j.sweeps, err = s.sweeps(ctx, later, p, "sweeps by replay"); err != nil {
		return j, err
	}
	j.weeks, err = s.weeks(ctx, stage, p, "days by replay")
	return j, err
}

// crawl discovers the web at the base.
func (s *show) crawl(ctx context.Context, stage *eval.Stage) (steps []step, err error) {
	bar := s.progress("crawling", len(s.corpus.Pages))
	defer bar.End()
	stage.Log = func(e *crawl.Event) { steps = append(steps, stepOf(e)); bar.Step() }
	if err := s.corpus.Crawl(ctx, *stage); err != nil {
		return nil, err
	}
	return steps, stage.Remember()
}

// sweeps sweeps the web by each method.
func (s *show) sweeps(ctx context.Context, stage eval.Stage, p plan, what string) ([]swept, error) {
	bar := s.progress(what, len(p.sweeps))
	defer bar.End()
	var sweeps []swept
	for _, method := range p.sweeps {
		var one swept
		stage.Log = func(e *crawl.Event) { one.steps = append(one.steps, stepOf(e)) }
		r, err := s.corpus.SweepOn(ctx, stage, p.snapshot(), method)
		if err != nil {
			return nil, fmt.Errorf("sweep by method %s: %w", method, err)
		}
		one.SweepCount = countSites(&stage, method)
		one.Fetched, one.Changed = r.Fetched, r.ChangedFetched
		sweeps = append(sweeps, one)
		bar.Step()
	}
	return sweeps, nil
}

// weeks keeps the web fresh.
func (s *show) weeks(ctx context.Context, stage eval.Stage, p plan, what string) (
	steps []step, err error) {
	bar := s.progress(what, 7*p.stream.Weeks)
	defer bar.End()
	stage.Log = func(e *crawl.Event) { steps = append(steps, stepOf(e)) }
	_, err = s.corpus.StreamOn(ctx, stage, p.stream, p.policy, bar.Step)
	return steps, err
}
