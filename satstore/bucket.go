package satstore

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// bucket is the records of one due unit: a file and a write buffer, either of which may
// be empty.
type bucket struct {
	unit int64
	slot uint16 // what the index calls it
	live int    // records to which the index points
	path string

	size    int64    // bytes of the file that count; it may be longer
	file    vfs.File // nil: not open
	touched uint64   // when it was last used, to close the file longest idle
	dirty   bool     // written since the last sync

	buf buffer
}

// bucketOf returns the bucket of a unit and makes it if there is none.
func (s *Store) bucketOf(unit int64) *bucket {
	if b := s.buckets[unit]; b != nil {
		return b
	}
	b := &bucket{unit: unit, path: s.bucketPath(unit)}
	if n := len(s.freeSlots); n > 0 {
		b.slot = s.freeSlots[n-1]
		s.freeSlots = s.freeSlots[:n-1]
		s.slots[b.slot] = b
	} else {
		b.slot = uint16(len(s.slots))
		s.slots = append(s.slots, b)
	}
	s.buckets[unit] = b
	i, _ := slices.BinarySearchFunc(s.order, unit, func(b *bucket, unit int64) int { return cmp.Compare(b.unit, unit) })
	s.order = slices.Insert(s.order, i, b)
	return b
}

// forget takes a bucket of which no record is live out of memory.
func (s *Store) forget(b *bucket) {
	if b.live != 0 || b.buf.pages != 0 {
		panic(fmt.Sprintf("satstore: bucket %d forgotten with %d live records and %d pages", b.unit, b.live, b.buf.pages))
	}
	delete(s.buckets, b.unit)
	s.order = slices.DeleteFunc(s.order, func(o *bucket) bool { return o == b })
	s.slots[b.slot] = nil
	s.freeSlots = append(s.freeSlots, b.slot)
}

// maxOpenFiles bounds the bucket files held open: well below the usual limit of 1024.
const maxOpenFiles = 256

// files opens and closes bucket files as they are needed.
type files struct {
	fs       vfs.FS
	satDir   string
	readOnly bool
	fail     func(error) error // remembers a failed write, also where a read led to it
	most     int               // files held open
	open     []*bucket
	clock    uint64
	made     bool // a file was created since the last sync of the directory
}

func (f *files) get(b *bucket) (vfs.File, error) {
	f.clock++
	b.touched = f.clock
	if b.file != nil {
		return b.file, nil
	}
	if len(f.open) >= f.most {
		oldest := slices.MinFunc(f.open, func(a, b *bucket) int { return cmp.Compare(a.touched, b.touched) })
		if err := f.close(oldest); err != nil {
			return nil, err
		}
	}
	var err error
	if f.readOnly {
		b.file, err = f.fs.Open(b.path)
	} else {
		b.file, err = f.fs.OpenReadWrite(b.path, vfs.WriteCategoryUnspecified)
		f.made = f.made || b.size == 0
	}
	if err != nil {
		b.file = nil
		return nil, fmt.Errorf("open bucket %d: %w", b.unit, err)
	}
	f.open = append(f.open, b)
	return b.file, nil
}

// sync makes what was written to a bucket file, and its name, durable.
func (f *files) sync(b *bucket) error {
	if b.dirty {
		file, err := f.get(b)
		if err != nil {
			return err
		}
		if err := file.SyncData(); err != nil {
			return fmt.Errorf("sync bucket %d: %w", b.unit, err)
		}
		b.dirty = false
	}
	if f.made {
		if err := syncDir(f.fs, f.satDir); err != nil {
			return err
		}
		f.made = false
	}
	return nil
}

// close closes the file of a bucket. What was written is synced first: an error of the
// later write-back might not be told to whoever opens the file next.
func (f *files) close(b *bucket) error {
	if b.file == nil {
		return nil
	}
	if b.dirty {
		if err := b.file.SyncData(); err != nil {
			return f.fail(fmt.Errorf("sync bucket %d: %w", b.unit, err))
		}
		b.dirty = false
	}
	return f.abandon(b)
}

// abandon closes the file of a bucket whose bytes no longer matter.
func (f *files) abandon(b *bucket) error {
	if b.file == nil {
		return nil
	}
	file := b.file
	b.file = nil
	f.open = slices.DeleteFunc(f.open, func(o *bucket) bool { return o == b })
	if err := file.Close(); err != nil {
		return fmt.Errorf("close bucket %d: %w", b.unit, err)
	}
	return nil
}
