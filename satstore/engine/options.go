package engine

import (
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options configure a store. Unit, Levels and Base are fixed when it is created. Later they may be
// zero, and must be the same otherwise. The others may change with each opening.
type Options struct {
	FS     vfs.FS  // default: the operating system's
	Unit   int64   // seconds of a unit, which only readers use; default 3600
	Levels []Level // default HoursAndDays
	Base   int64   // clock of a new store, at least 0
	// BufferBytes bounds the pages of all slots together; default 64 MiB. Pages of the slot being
	// handed out, and one frame beyond the bound, come on top.
	BufferBytes int
	// PageBytes is the size of a block, and so of a read by Load; default 16 KiB. If the buffer has
	// fewer pages than slots, blocks are small and many.
	PageBytes int
	// PartBytes is the least number of bytes that a commit adds to the near or to the far slots and
	// writes as a run at once. Fewer are logged and stay in the buffer. Default 1 MiB.
	PartBytes int64
	// LogBytes is the length after which a checkpoint of the index starts a new log; it is at least
	// twice as long as the checkpoint. It bounds the reads of Open after a crash. Default 16 MiB.
	LogBytes int64
	// MaxFiles bounds the run files, at least 60; the log, the index and two more come on top. They
	// hold up to 16 GiB x MaxFiles of live data: beyond MaxFiles/4 GiB the files become longer.
	// Default 560.
	MaxFiles int
	// GarbageBytes of stale copies are tolerated if the disk cannot take their space back. Above
	// it, and above a quarter of the live bytes, files are rewritten. Default 16 MiB.
	GarbageBytes int64
	// DirectIO writes runs past the page cache, if the system can.
	DirectIO bool
	// ReadOnly opens an existing store and writes nothing but the lock.
	ReadOnly bool
	// Locked is set if the caller holds the lock of the directory (directory.LockFor).
	Locked bool
	// Used is set if the directory had a store. Without a log it then counts as damaged, and is not
	// made anew.
	Used bool

	// CopyFS writes the copy of CopyTo, to the same disk; default FS.
	CopyFS vfs.FS

	// Apply receives the payloads of Attach in order, once they are durable. It is called during
	// Commit, and during Open again for those committed since the log began. Applying a payload and
	// its successors twice must have no effect.
	Apply func(payload []byte) error
	// Flush makes durable what Apply received, before the log forgets it.
	Flush func() error
	// Lost receives the records that were deleted because their block is damaged, during Advance,
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
		return o, fmt.Errorf("unit of %d seconds: want 1 or more", o.Unit)
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

// adoptFixed sets the fixed options to those of a store.
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
