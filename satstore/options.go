package satstore

import (
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options of a store. Unit and Units are fixed when a store is created: later they may be
// left zero, and must agree otherwise. The others may change from one opening to the next.
type Options struct {
	FS   vfs.FS        // default: the operating system's
	Unit time.Duration // u, the width of a bucket in whole seconds; default 24h
	// Units is T: a record is due between 1 and T units after the clock; default 400.
	Units int
	// BufferBytes bounds the pages of all write buffers together; default 32 MiB as in
	// [SAT 4.1]. Records, the index and Pebble's memory come on top.
	BufferBytes int
	PageBytes   int // of one write buffer page, 64 to 65536; default 4096 [SAT 4.1]
	// LogBytes is the length after which a log segment is replaced: it bounds what a
	// crash makes Open replay. Default 64 MiB.
	LogBytes int64
	// Now sets the clock of a new store; the zero time means the wall's.
	Now time.Time
	// ReadOnly opens an existing store and writes nothing but the lock.
	ReadOnly bool
}

const (
	defaultUnit        = 24 * time.Hour
	defaultUnits       = 400
	defaultBufferBytes = 32 << 20
	defaultPageBytes   = 4096
	defaultLogBytes    = 64 << 20

	// maxUnits: bucket slots are 16 bits, and after a long gap the old and the new
	// buckets exist at once.
	maxUnits = 32000
	// maxPageBytes: a place in a buffer page is 16 bits of a location.
	maxPageBytes = 1 << 16
)

// withDefaults fills in everything but Unit and Units, which an existing store decides.
func (o Options) withDefaults() (Options, error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.BufferBytes == 0 {
		o.BufferBytes = defaultBufferBytes
	}
	if o.PageBytes == 0 {
		o.PageBytes = defaultPageBytes
	}
	if o.LogBytes == 0 {
		o.LogBytes = defaultLogBytes
	}
	switch {
	case o.Unit < 0 || o.Unit%time.Second != 0:
		return o, fmt.Errorf("unit %v is not a whole number of seconds above 0", o.Unit)
	case o.Units < 0 || o.Units > maxUnits:
		return o, fmt.Errorf("units %d is outside 1 to %d", o.Units, maxUnits)
	case o.PageBytes < 64 || o.PageBytes > maxPageBytes:
		return o, fmt.Errorf("page bytes %d is outside 64 to %d", o.PageBytes, maxPageBytes)
	case o.BufferBytes < o.PageBytes:
		return o, fmt.Errorf("buffer bytes %d is less than one page of %d", o.BufferBytes, o.PageBytes)
	case o.LogBytes < 0:
		return o, fmt.Errorf("log bytes %d is negative", o.LogBytes)
	}
	return o, nil
}
