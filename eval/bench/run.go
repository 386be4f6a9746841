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

// Run measures engines one after the other, Repeat times over, each time beginning with
// another one. It fails before it tells any time if an engine visits or keeps other records
// than the plan has. What it writes is removed in any case.
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

// planned makes the plan, which must have something due, and as much as is known.
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

// measurement is what all runs share.
type measurement struct {
	o       Options
	plan    *paper.Plan
	dir     string
	applied []int // deferred requests that each unit's visits find
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
	Engines  []string // one or more; the first is the floor of the ratios
	Repeat   int      // 1 or more
	Messages float64  // requests before each unit, as a share of its due records; not negative
	Settings Settings
	Dir      string // where a temporary directory is made; "": where the system makes them
	// DiskBytes bounds the files with which the disk is measured; 0: it is not.
	DiskBytes int64
	// Tick is told what is being done, and how far that is. It may be nil.
	Tick func(what string, done, total int)
}

// usualUnits reach over the end of a day, where coarse buckets are split.
var usualUnits = map[paper.Unit]int{paper.Minute: 90, paper.Hour: 26, paper.Day: 8}

// For returns the options for so many records, complete: without units the usual number of them,
// for the engine "all" all there are, caches of a tenth of the data, as the paper's machine had.
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

// Settings bound the memory of engines.
type Settings struct {
	BufferBytes int // of the write buffers of runs and of the paper's forms
	PageBytes   int // of a page of the paper's forms
	CacheBytes  int // of the caches of Pebble
	// TreePageBytes is the page of bbolt; 0: that of the system's memory.
	TreePageBytes int
}

// ErrNoEngine says that none of the engines can do what was asked. Those with a file for each unit
// refuse too many units, and those without an index refuse requests.
var ErrNoEngine = words.Hint(errors.New("none of the engines can do this"),
	"forms with a file for each unit need fewer --max-units; SAT/Basic and Pebble by time have no "+
		"index by id and take no --messages", words.ExitFailed)

// ErrNothingDue says that there would be nothing to measure.
var ErrNothingDue = words.Hint(errors.New("no record is due"),
	"take more --records or more --units", words.ExitFailed)

// check refuses what cannot be run.
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

// kinds are the engines to measure, and the names of those that cannot take part.
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

// RoomError says that the disk is too small for a measurement.
type RoomError struct {
	Dir        string
	Need, Free int64
}

func (e *RoomError) Error() string {
	return fmt.Sprintf("%s has %.1f GB free, and about %.1f GB are needed", e.Dir,
		float64(e.Free)/1e9, float64(e.Need)/1e9)
}

// Hint says what to do.
func (e *RoomError) Hint() string { return "take fewer --records, or another disk with --dir" }

// ExitCode is that of the command that fails by it.
func (e *RoomError) ExitCode() int { return words.ExitFailed }

// roomFrame is what is kept with a record in logs and files, at most.
const roomFrame = 16

// Room estimates the bytes on disk that the largest of some engines needs: there is never
// more than one at a time. Beside what it keeps, each may write two units' records anew
// before it gives up the old ones: with short intervals that is as much again.
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
