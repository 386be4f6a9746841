package engine

import (
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options of a store. Unit, Levels and Base are fixed when a store is created: later they
// may be left zero, and must agree otherwise. The others may change from one opening to the next.
type Options struct {
	FS     vfs.FS  // default: the operating system's
	Unit   int64   // seconds of a unit, kept for the reader's information; default 3600
	Levels []Level // default HoursAndDays
	Base   int64   // the clock of a new store, not negative
	// BufferBytes bounds the pages of all slots together; default 64 MiB. The pages of the
	// slot being handed out, and one frame above the bound, come on top.
	BufferBytes int
	// PageBytes of a block, and so of what Load reads; default 16 KiB. Fewer pages in the
	// buffer than slots make the blocks small and many.
	PageBytes int
	// PartBytes: a commit that adds at least so much to the near or the far slots writes
	// those as a run at once; less is logged and stays in the buffer. Default 1 MiB.
	PartBytes int64
	// LogBytes is the length after which the log begins anew, with a checkpoint of the index; at
	// least twice the size of that. It bounds what a crash makes Open read. Default 16 MiB.
	LogBytes int64
	// MaxFiles bounds the run files, from 60; the log, the index and two more come on top. It holds
	// up to 16 GiB x MaxFiles of live data: where that is more than MaxFiles/4 GiB, files are
	// longer. Default 560.
	MaxFiles int
	// GarbageBytes of stale copies that could not be given back to the disk are left alone;
	// above it, and above a quarter of what is live, files are written anew. Default 16 MiB.
	GarbageBytes int64
	// DirectIO writes runs past the page cache, where the system can; elsewhere it does nothing.
	DirectIO bool
	// ReadOnly opens an existing store and writes nothing but the lock.
	ReadOnly bool
	// Locked says that the caller holds the lock of the directory (directory.LockFor).
	Locked bool
	// Used says that there was a store. If it has no log it is damaged then, and not made anew.
	Used bool

	// CopyFS is what CopyTo writes a copy through, of the same disk; default FS.
	CopyFS vfs.FS

	// Apply gets what Attach took, in order, once it is durable: during Commit, and during Open
	// what was committed since the log began, again. Of a payload applied twice, with those
	// that followed, nothing may be seen.
	Apply func(payload []byte) error
	// Flush makes durable what Apply got: the log is about to forget it.
	Flush func() error
	// Lost gets the records that were deleted because their block is damaged, during Advance,
	// Commit, Checkpoint or CopyTo. It must not call the store.
	Lost func(seqs []uint32)
}

func (o Options) withDefaults() (Options, error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.CopyFS == nil {
		o.CopyFS = o.FS
	}
	orInt := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	orInt64 := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	orInt(&o.BufferBytes, 64<<20)
	orInt(&o.PageBytes, 16<<10)
	orInt(&o.MaxFiles, 560)
	orInt64(&o.PartBytes, 1<<20)
	orInt64(&o.LogBytes, 16<<20)
	orInt64(&o.GarbageBytes, 16<<20)
	switch {
	case o.Unit < 0:
		return o, fmt.Errorf("unit of %d seconds", o.Unit)
	case o.Base < 0 || o.Base > maxUnit:
		return o, fmt.Errorf("base %d is outside 0 to %d", o.Base, int64(maxUnit))
	case o.PageBytes < 128 || o.PageBytes > 64<<10:
		return o, fmt.Errorf("page bytes %d is outside 128 to 65536", o.PageBytes)
	case o.BufferBytes < o.PageBytes:
		return o, fmt.Errorf("buffer bytes %d is less than one page of %d",
			o.BufferBytes, o.PageBytes)
	case o.PartBytes < 0 || o.LogBytes < 0 || o.GarbageBytes < 0:
		return o, fmt.Errorf(
			"part bytes %d, log bytes %d or garbage bytes %d is negative",
			o.PartBytes,
			o.LogBytes,
			o.GarbageBytes,
		)
	case o.MaxFiles < 60 || o.MaxFiles > maxFiles/2:
		return o, fmt.Errorf("max files %d is outside 60 to %d", o.MaxFiles, maxFiles/2)
	}
	return o, nil
}

// maxUnit bounds the clock, so that sums of units do not overflow.
const maxUnit = 1 << 60

// adoptFixed makes the fixed options those of a store.
func (o *Options) adoptFixed(unit int64, levels []Level) error {
	if o.Unit != 0 && o.Unit != unit {
		return fmt.Errorf("its unit is %d seconds, not %d: it cannot be changed", unit, o.Unit)
	}
	if o.Levels != nil && !slices.Equal(o.Levels, levels) {
		return fmt.Errorf("its levels are %v, not %v: they cannot be changed", levels, o.Levels)
	}
	o.Unit, o.Levels = unit, levels
	return nil
}
