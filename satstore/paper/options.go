package paper

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Form is one of the three structures that the paper compares. The zero Form is none.
type Form int

const (
	Basic Form = 1 + iota // buckets and write buffers alone [SAT 3.3]
	SAT                   // and access by id [SAT 3.5]
	Naive                 // SAT with at most one page a buffer [SAT 4.2]
)

func (f Form) String() string {
	switch f {
	case Basic:
		return "SAT/Basic"
	case SAT:
		return "SAT"
	case Naive:
		return "SAT/Naive"
	}
	return "unknown"
}

// Delivery is how requests meet their records when a bucket is opened.
type Delivery int

const (
	// Sorted keeps messages among the records and sorts the bucket by id (step 0.5).
	Sorted Delivery = iota
	// Hashed keeps them in a file of their own, of which a table is made: the alternative
	// of [SAT footnote 3].
	Hashed
)

// Level is a digit of the mixed radix [SAT 3.6]: Count buckets, each Width units wide.
type Level struct{ Width, Count int }

// Options of a store. Form, Units, Levels and Delivery are fixed when it is made and must
// be the same later.
type Options struct {
	FS    vfs.FS // default: the operating system's
	Form  Form
	Units int // T: a record is due 1 to T units after the clock; default 400
	// Levels, finest first, replace the T buckets of one unit each; nil: they do not. A
	// bucket above the first level is split when its time comes near.
	Levels      []Level
	Delivery    Delivery
	BufferBytes int   // of all write buffers; default 32 MiB [SAT 4.1]
	PageBytes   int   // default 4096 [SAT 4.1]
	SortBytes   int   // memory of the sort; default 1 MiB [SAT 4.1]
	IndexBits   int   // of an entry of the bucket index, 16 or 24; default 16, or 24 if T needs it
	NoLog       bool  // nothing survives a crash, only Close saves
	LogBytes    int64 // the log begins anew when it is so long; default 256 MiB
	OpenFiles   int   // default 256
	// SequenceCacheBytes is the block cache of the sequence index; default 8 MiB.
	SequenceCacheBytes int64

	logChunk int // bytes of a chunk of the log; small in tests, so that crashes fall between them
}

// maxUnits is what 24 bits of the bucket index hold, with room to move its base.
const maxUnits = 1<<24 - 2

// withDefaults fills in zeros and refuses what cannot work.
func (o Options) withDefaults() (Options, error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	o.Units = orElse(o.Units, 400)
	o.BufferBytes = orElse(o.BufferBytes, 32<<20)
	o.PageBytes = orElse(o.PageBytes, 4096)
	o.SortBytes = orElse(o.SortBytes, 1<<20)
	o.LogBytes = orElse(o.LogBytes, 256<<20)
	o.OpenFiles = orElse(o.OpenFiles, 256)
	o.SequenceCacheBytes = orElse(o.SequenceCacheBytes, 8<<20)
	o.logChunk = orElse(o.logChunk, chunkBytes)
	if o.IndexBits == 0 {
		o.IndexBits = 16
		if o.Units > 1<<16-2 {
			o.IndexBits = 24
		}
	}
	switch {
	case o.Form < Basic || o.Form > Naive:
		return o, fmt.Errorf("form %d is unknown", o.Form)
	case o.Units < 1 || o.Units > maxUnits:
		return o, fmt.Errorf("units %d are outside 1 to %d", o.Units, maxUnits)
	case o.IndexBits != 16 && o.IndexBits != 24:
		return o, fmt.Errorf("index of %d bits is neither 16 nor 24", o.IndexBits)
	case o.Units > 1<<o.IndexBits-2:
		return o, fmt.Errorf("units %d do not fit an index of %d bits", o.Units, o.IndexBits)
	case o.PageBytes < 64 || o.PageBytes > 1<<20:
		return o, fmt.Errorf("page bytes %d are outside 64 to %d", o.PageBytes, 1<<20)
	case o.BufferBytes < o.PageBytes:
		return o, fmt.Errorf("buffer bytes %d are less than a page of %d",
			o.BufferBytes, o.PageBytes)
	case o.SortBytes < 0, o.LogBytes < 0, o.OpenFiles < 1, o.Delivery < Sorted, o.Delivery > Hashed:
		return o, fmt.Errorf("options %+v are out of range", o)
	}
	if len(o.Levels) == 0 {
		o.Levels = []Level{{1, o.Units + 1}} // the bucket being read, and T ahead
	}
	return o, o.checkLevels()
}

func orElse[T int | int64](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// checkLevels refuses levels that do not fit into each other or do not reach T.
func (o Options) checkLevels() error {
	for k, l := range o.Levels {
		switch last := k == len(o.Levels)-1; {
		case l.Width < 1 || l.Count < 1, k == 0 && l.Width != 1:
			return fmt.Errorf("level %d: %d buckets of %d units", k, l.Count, l.Width)
		case last && l.Count*l.Width < o.Units+l.Width:
			return fmt.Errorf(
				"levels reach %d units, less than %d and a bucket more",
				l.Count*l.Width,
				o.Units,
			)
		case !last && (o.Levels[k+1].Width <= l.Width || o.Levels[k+1].Width%l.Width != 0 ||
			l.Count*l.Width%o.Levels[k+1].Width != 0):
			return fmt.Errorf(
				"level %d, %d buckets of %d units, does not fill buckets of %d",
				k,
				l.Count,
				l.Width,
				o.Levels[k+1].Width,
			)
		}
	}
	return nil
}
