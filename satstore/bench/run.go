package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/satstore/workload"
)

// Options of a measurement.
type Options struct {
	Workload workload.Options
	Units    int
	Engines  []string // the first is the floor of the ratios
	Repeat   int
	Messages float64 // requests before each unit, as a share of its due records
	Settings Settings
	Dir      string // where a temporary directory is made; "": where the system makes them
	// DiskBytes bounds the files with which the disk is measured; 0: it is not.
	DiskBytes int64
	// Tick is told what is being done, and how far that is. It may be nil.
	Tick func(what string, done, total int)
}

// ErrNoEngine is told where none of the engines can do what was asked: those with a file
// for each unit refuse too many, those without index refuse requests.
var ErrNoEngine = errors.New("none of the engines can do this")

// Run measures engines one after the other, Repeat times over, each time beginning with
// another one. It fails before it tells any time if an engine visits other records than the
// plan has. What it writes is removed in any case.
func Run(ctx context.Context, o Options) (result *Result, err error) {
	if o.Tick == nil {
		o.Tick = func(string, int, int) {}
	}
	w, err := workload.New(o.Workload)
	if err != nil {
		return nil, err
	}
	kinds, left, err := o.kinds(w)
	if err != nil {
		return nil, err
	}
	if err := checkRoom(o, w, kinds); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Dir, "recrawl-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o.Tick("planning", 0, 1)
	plan, err := w.Plan(ctx, o.Units)
	if err != nil {
		return nil, err
	}
	result = &Result{Records: w.Records, Unit: w.Unit.String(), Units: o.Units, MaxUnits: w.MaxUnits, FixedBytes: w.FixedBytes,
		BufferBytes: o.Settings.BufferBytes, PageBytes: o.Settings.PageBytes, Messages: o.Messages, Repeat: o.Repeat, Due: plan.Total, Left: left}
	for _, n := range plan.Bytes {
		result.PayloadBytes += n
	}
	golden, known := workload.Golden(o.Workload, o.Units)
	if result.Golden = known; known && golden != plan.Total {
		return nil, fmt.Errorf("the workload has %d due records, and must have %d", plan.Total, golden)
	}
	result.LoadAverage[0] = LoadAverage()
	if o.DiskBytes > 0 {
		o.Tick("measuring the disk", 0, 1)
		size := min(o.DiskBytes, int64(float64(w.Records)*w.MeanBytes()))
		if result.Disk, err = measureDisk(ctx, dir, size); err != nil {
			return nil, fmt.Errorf("measure the disk: %w", err)
		}
	}
	m := &measurement{o: o, plan: plan, dir: dir, applied: plan.Applied(o.Messages)}
	if err := m.all(ctx, kinds, result); err != nil {
		return nil, err
	}
	result.LoadAverage[1] = LoadAverage()
	return result, nil
}

// kinds are the engines to measure, and the names of those that cannot take part.
func (o Options) kinds(w *workload.Workload) (kinds []Kind, left []string, err error) {
	left = []string{}
	for _, name := range o.Engines {
		k, ok := KindOf(name)
		switch {
		case !ok:
			return nil, nil, fmt.Errorf("no engine %q", name)
		case o.Messages > 0 && !k.requests && k.Name != seqlogKind.Name, k.fits != nil && !k.fits(w):
			left = append(left, name)
		case !slices.ContainsFunc(kinds, func(have Kind) bool { return have.Name == name }):
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 {
		return nil, nil, fmt.Errorf("%w: %s", ErrNoEngine, strings.Join(left, ", "))
	}
	return kinds, left, nil
}

// measurement is what all runs share.
type measurement struct {
	o       Options
	plan    *workload.Plan
	dir     string
	applied []int // requests that each unit's visits find
}

func (m *measurement) all(ctx context.Context, kinds []Kind, result *Result) error {
	for _, k := range kinds {
		result.Engines = append(result.Engines, Measure{Engine: k.Name, About: k.About})
	}
	for rep := range m.o.Repeat {
		for i := range kinds {
			i = (i + rep) % len(kinds)
			r, err := m.run(ctx, kinds[i], rep)
			if err != nil {
				return fmt.Errorf("engine %s: %w", kinds[i].Name, err)
			}
			result.Engines[i].Runs = append(result.Engines[i].Runs, r)
		}
	}
	for i := range result.Engines {
		result.Engines[i].summarize(result.PayloadBytes, &result.Engines[0])
	}
	return nil
}

// run loads an engine and lets it do all units, in a directory of its own.
func (m *measurement) run(ctx context.Context, k Kind, rep int) (r Trial, err error) {
	what := fmt.Sprintf("%s, %d of %d", k.Name, rep+1, m.o.Repeat)
	dir := filepath.Join(m.dir, k.Name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	debug.FreeOSMemory() // what the engine before left
	before, _ := resident()
	started := now()
	e, err := k.open(dir, m.plan, m.o.Settings)
	if err != nil {
		return r, err
	}
	closed := false
	defer func() {
		if !closed {
			err = errors.Join(err, e.Close())
		}
	}()
	if err := e.Load(ctx, m.plan, func(n int) { m.o.Tick(what+": loading", n, m.plan.Records) }); err != nil {
		return r, fmt.Errorf("load: %w", err)
	}
	r.LoadSeconds = now().at.Sub(started.at).Seconds()
	debug.FreeOSMemory()
	resetPeak()
	for t := 1; t <= m.o.Units; t++ {
		m.o.Tick(what+": units", t-1, m.o.Units)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		c, err := m.unit(e, dir, t, &r)
		if err != nil {
			return r, fmt.Errorf("unit %d: %w", t, err)
		}
		r.Units = append(r.Units, c)
	}
	_, peak := resident()
	r.Memory = max(peak-before, 0)
	if r.Files, r.Stored, err = occupied(dir); err != nil {
		return r, err
	}
	closed = true
	last := now()
	err = e.Close()
	r.BesideCPU += (now().cpu - last.cpu).Seconds()
	return r, err
}
