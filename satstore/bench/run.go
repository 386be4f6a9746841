package bench

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/satstore/workload"
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
	_, result.Golden = workload.Golden(o.Workload, o.Units)
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
func planned(ctx context.Context, o Options, w *workload.Workload) (*workload.Plan, error) {
	plan, err := w.Plan(ctx, o.Units)
	if err != nil {
		return nil, err
	}
	if golden, known := workload.Golden(o.Workload, o.Units); known && golden != plan.Total {
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
	plan    *workload.Plan
	dir     string
	applied []int // deferred requests that each unit's visits find
	ends    map[bool]workload.Tally
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
