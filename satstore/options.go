package satstore

import (
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

// Options configure a store. Unit and Horizon are fixed when it is created. Later they may be zero,
// and must be the same otherwise. The others may change with each opening.
type Options struct {
	FS   vfs.FS        // default: the operating system's
	Unit time.Duration // u, the step of time in whole seconds; default 1h
	// Horizon is how far after the clock a record may be due; default 400 days. It becomes longer
	// if its last slot needs that to be whole: levelsFor.
	Horizon time.Duration
	// BufferBytes bounds the records that wait to be written as runs; default 64 MiB. The index and
	// Pebble's memory come on top.
	BufferBytes int
	PageBytes   int // size of a read by Load; default 8 KiB, half of the engine's
	// LogBytes is the length after which a new log begins. It bounds the reads of Open after a
	// crash. Default 16 MiB.
	LogBytes int64
	// Now sets the clock of a new store, from 1970 on; the zero time: the present.
	Now time.Time
	// Apply changes a record by its messages, in order of arrival. It must depend on its arguments
	// alone: a record that is loaded and not saved gets its messages again. nil: messages change no
	// record, and wait for Answered.
	Apply func(r *sitegraph.Record, messages [][]byte)
	// ReadOnly opens an existing store and writes nothing but the lock.
	ReadOnly bool
	// Progress receives the progress of Restore, in entries of its pages, and of Checkpoint, in
	// bytes. Its error ends that work.
	Progress directory.Func

	tune func(o *engine.Options) // for tests
}

const (
	defaultUnit    = time.Hour
	defaultHorizon = 400 * 24 * time.Hour
	// defaultPageBytes holds 47 records of 170 bytes. A block takes 28 bytes in memory, up to 1.5
	// for each record; with 4 KiB it is up to 3.3, and with 16 KiB Load takes a third longer.
	defaultPageBytes = 8 << 10
)

func (o Options) withDefaults() (Options, error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	switch {
	case o.Unit < 0 || o.Unit%time.Second != 0:
		return o, fmt.Errorf("unit %v is not a whole number of seconds above 0", o.Unit)
	case o.Horizon < 0:
		return o, fmt.Errorf("horizon %v is negative", o.Horizon)
	case !o.Now.IsZero() && o.Now.Unix() < 0:
		return o, fmt.Errorf("clock %v is before 1970", o.Now)
	}
	return o, nil
}

// levelsFor returns slots for a unit and a horizon: by the unit, the minute, the hour and the day,
// if each is a multiple of the one before and the horizon has two of it. Each level except the last
// covers the current and the next slot above it: an hour of units takes 48 slots for two days and
// 402 for the days.
func levelsFor(unit, horizon time.Duration) []engine.Level {
	widths := []time.Duration{unit}
	for _, w := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour} {
		if below := widths[len(widths)-1]; w > below && w%below == 0 && horizon >= 2*w {
			widths = append(widths, w)
		}
	}
	var levels []engine.Level
	for i, w := range widths {
		slots := 2 + max(1, (horizon+w-1)/w)
		if i+1 < len(widths) {
			slots = max(3, 2*widths[i+1]/w)
		}
		levels = append(levels, engine.Level{Units: int64(w / unit), Slots: int64(slots)})
	}
	return levels
}

// horizonOf returns how far the last level reaches.
func horizonOf(unit time.Duration, levels []engine.Level) time.Duration {
	top := levels[len(levels)-1]
	return time.Duration((top.Slots-2)*top.Units) * unit
}

func (o *Options) runs() engine.Options {
	if o.PageBytes == 0 {
		o.PageBytes = defaultPageBytes
	}
	r := engine.Options{
		FS:          o.FS,
		Unit:        int64(o.Unit / time.Second),
		BufferBytes: o.BufferBytes,
		PageBytes:   o.PageBytes,
		LogBytes:    o.LogBytes,
		ReadOnly:    o.ReadOnly,
	}
	if o.tune != nil {
		o.tune(&r)
	}
	return r
}
