package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/satstore/paper"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Run measures engines in turn, Repeat times, each time starting with another one. It fails,
// without any time, if an engine visits or keeps other records than the plan. It always removes its
// files.
func Run(ctx context.Context, o Options) (result *Result, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Tick == nil {
		o.Tick = func(string, int, int) {}
	}
	w, err := paper.NewWorkload(o.Workload)
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
	plan, err := planned(ctx, o, w)
	if err != nil {
		return nil, err
	}
	result = &Result{
		Records:     w.Records,
		Unit:        w.Unit.String(),
		Units:       o.Units,
		MaxUnits:    w.MaxUnits,
		FixedBytes:  w.FixedBytes,
		BufferBytes: o.Settings.BufferBytes,
		PageBytes:   o.Settings.PageBytes,
		Messages:    o.Messages,
		Repeat:      o.Repeat,
		Due:         plan.Total,
		Left:        left,
	}
	_, result.Golden = paper.Golden(o.Workload, o.Units)
	for _, n := range plan.Bytes {
		result.PayloadBytes += n
	}
	result.LoadAverage[0] = machine.LoadAverage()
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
	result.LoadAverage[1] = machine.LoadAverage()
	return result, nil
}

// planned makes the plan, which must have due records, and as many as a known workload.
func planned(ctx context.Context, o Options, w *paper.Workload) (*paper.Plan, error) {
	plan, err := w.Plan(ctx, o.Units)
	if err != nil {
		return nil, err
	}
	if golden, known := paper.Golden(o.Workload, o.Units); known && golden != plan.Total {
		return nil, fmt.Errorf("the workload has %d due records, and must have %d",
			plan.Total, golden)
	}
	if plan.Total == 0 {
		return nil, fmt.Errorf(
			"%w: of %d records, in the units 1 to %d of one %v",
			ErrNothingDue,
			w.Records,
			o.Units,
			w.Unit,
		)
	}
	return plan, nil
}

// measurement is the common state of all runs.
type measurement struct {
	o       Options
	plan    *paper.Plan
	dir     string
	applied []int // deferred requests that the visits of each unit apply
	ends    map[bool]paper.Tally
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
		result.Engines[i].summarize(result.PayloadBytes, result.Records, &result.Engines[0])
	}
	return nil
}

// Options of a measurement.
type Options struct {
	Workload paper.WorkloadOptions
	Units    int      // 1 or more
	Engines  []string // one or more; ratios are to the first
	Repeat   int      // 1 or more
	Messages float64  // requests before each unit, as a share of its due records; not negative
	Settings Settings
	Dir      string // parent of the temporary directory; "": the system's default
	// DiskBytes limits the files for the measurement of the disk; 0: none.
	DiskBytes int64
	// Tick gets the current step and its progress; it may be nil.
	Tick func(what string, done, total int)
}

// usualUnits extend over the end of a day, where coarse buckets are split.
var usualUnits = map[paper.Unit]int{paper.Minute: 90, paper.Hour: 26, paper.Day: 8}

// For returns the options for a number of records. Defaults are the usual number of units, all
// engines for "all", and caches of a tenth of the data, like the paper's machine.
func (o Options) For(records int) Options {
	o.Workload.Records = records
	o.Settings.CacheBytes = max(records*(o.Workload.FixedBytes+64)/10, 8<<20)
	if o.Units == 0 {
		o.Units = usualUnits[o.Workload.Unit]
	}
	if slices.Contains(o.Engines, "all") {
		o.Engines = Names()
	}
	return o
}

// Settings limit the memory of engines.
type Settings struct {
	BufferBytes int // write buffers of runs and of the paper's forms
	PageBytes   int // page of the paper's forms
	CacheBytes  int // caches of Pebble
	// TreePageBytes is the page size of bbolt; 0: the system's.
	TreePageBytes int
}

// ErrNoEngine is returned if no engine can do what was requested. Engines with a file for each unit
// refuse too many units, and those without an index refuse requests.
var ErrNoEngine = words.Hint(errors.New("none of the engines can do this"),
	"forms with a file for each unit need fewer --max-units; SAT/Basic and Pebble by time have no "+
		"index by id and take no --messages", words.ExitFailed)

// ErrNothingDue is returned if no record is due.
var ErrNothingDue = words.Hint(errors.New("no record is due"),
	"take more --records or more --units", words.ExitFailed)

// check returns an error for invalid options.
func (o Options) check() error {
	switch {
	case o.Units < 1:
		return fmt.Errorf("%d units: want 1 or more", o.Units)
	case o.Repeat < 1:
		return fmt.Errorf("%d repetitions: want 1 or more", o.Repeat)
	case !(o.Messages >= 0):
		return fmt.Errorf("%v requests a due record: want 0 or more", o.Messages)
	case len(o.Engines) == 0:
		return errors.New("no engine was named")
	case o.DiskBytes < 0:
		return fmt.Errorf("%d bytes to measure the disk: want 0 or more", o.DiskBytes)
	}
	return nil
}

// kinds returns the engines to measure, and the names of those that cannot take part.
func (o Options) kinds(w *paper.Workload) (kinds []Kind, left []string, err error) {
	left = []string{}
	for _, name := range o.Engines {
		k, ok := KindOf(name)
		switch {
		case !ok:
			return nil, nil, fmt.Errorf("no engine %q", name)
		case o.Messages > 0 && !k.requests && k.Name != seqlogKind.Name, k.fits != nil &&
			!k.fits(w):
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

// RoomError is returned if the disk is too small for a measurement.
type RoomError struct {
	Dir        string
	Need, Free int64
}

func (e *RoomError) Error() string {
	return fmt.Sprintf("%s has %.1f GB free, and about %.1f GB are needed", e.Dir,
		float64(e.Free)/1e9, float64(e.Need)/1e9)
}

// Hint returns what to do.
func (e *RoomError) Hint() string { return "take fewer --records, or another disk with --dir" }

// ExitCode returns the exit status of the command.
func (e *RoomError) ExitCode() int { return words.ExitFailed }

// roomFrame is the most space that logs and files add to a record.
const roomFrame = 16

// Room estimates the disk space in bytes of the largest engine; only one exists at a time. Besides
// its records each may rewrite those of two units before it drops the old ones: as much again with
// short intervals.
func Room(o Options, w *paper.Workload, kinds []Kind) int64 {
	mean, n := w.MeanBytes(), float64(w.Records)
	units := 2 * n * w.DueShare() * (mean + roomFrame)
	most := 0.0
	for _, k := range kinds {
		most = max(most, float64(k.roomBytes)+k.bytesPerRecord(mean)*n+units)
	}
	return int64(max(most, float64(2*o.DiskBytes)) * 5 / 4)
}

func checkRoom(o Options, w *paper.Workload, kinds []Kind) error {
	dir := o.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	have, err := directory.Free(dir)
	if err != nil {
		return fmt.Errorf("room in %s: %w", dir, err)
	}
	if need := Room(o, w, kinds); need > have {
		return &RoomError{dir, need, have}
	}
	return nil
}
