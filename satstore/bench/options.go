package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/satstore/workload"
)

// Options of a measurement.
type Options struct {
	Workload workload.Options
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
var usualUnits = map[workload.Unit]int{workload.Minute: 90, workload.Hour: 26, workload.Day: 8}

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

// ErrNoEngine is told where none of the engines can do what was asked: those with a file
// for each unit refuse too many, those without index refuse requests.
var ErrNoEngine = errors.New("none of the engines can do this")

// ErrNothingDue is told where there would be nothing to measure.
var ErrNothingDue = errors.New("no record is due")

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
func (o Options) kinds(w *workload.Workload) (kinds []Kind, left []string, err error) {
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
