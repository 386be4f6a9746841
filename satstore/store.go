package satstore

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

// Store is a store of page records by scheduled access time. Its calls must come from one
// goroutine at a time.
type Store struct {
	fs       vfs.FS
	dir      string
	satDir   string
	o        Options
	readOnly bool
	lock     io.Closer

	unit  int64 // u in seconds
	units int64 // T
	clock int64 // t: everything due in this unit or before it was handed out
	lsn   uint64

	index     []location // by page
	buckets   map[int64]*bucket
	order     []*bucket // by unit
	slots     []*bucket // by slot; nil: free
	freeSlots []uint16
	arena     *arena
	files     files
	doomed    []*bucket // scanned; their files go after the next commit

	log      logWriter
	cat      *catalogue
	batch    *pebble.Batch     // of the transaction
	settings map[string][]byte // of the transaction
	changed  bool              // the transaction holds something

	frame, out, read, scan []byte // scratch
	written                struct{ records, buckets int64 }
	damage                 []DamageError
	damaged                int

	busy   bool // inside a function given to us
	closed bool
	err    error // of the first failed write; every later call returns it
}

// usable returns why the store cannot be used, if so.
func (s *Store) usable() error {
	switch {
	case s.closed:
		return ErrClosed
	case s.err != nil:
		return fmt.Errorf("store failed before, open it again: %w", s.err)
	}
	return nil
}

// writable returns why the store cannot be changed, if so.
func (s *Store) writable() error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.readOnly {
		return ErrReadOnly
	}
	if s.busy {
		return errors.New("store changed from a function that it called")
	}
	return nil
}

// fail remembers the error of a write: what reached the disk is not known any more.
func (s *Store) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = err
	}
	return err
}

// known returns an error for a page that was not added.
func (s *Store) known(p sitegraph.PageID) error {
	if p < 0 || int(p) >= len(s.index) {
		return fmt.Errorf("page %d is not known: there are %d", p, len(s.index))
	}
	return nil
}

// Pages returns the number of pages added.
func (s *Store) Pages() int { return len(s.index) }

// Clock returns the start of the unit up to which records were handed out by Advance.
func (s *Store) Clock() time.Time { return time.Unix(s.clock*s.unit, 0).UTC() }

func (s *Store) unitOf(t time.Time) int64 {
	seconds := t.Unix()
	u := seconds / s.unit
	if seconds%s.unit < 0 {
		u--
	}
	return u
}

// dueUnit is the bucket of a record: that of its due time, but not before the next unit
// and not more than T after the clock (S6).
func (s *Store) dueUnit(due time.Time) int64 {
	return min(max(s.unitOf(due), s.clock+1), s.clock+s.units)
}

// Close ends the use of the store. What was not committed is gone.
func (s *Store) Close() error {
	if s.closed {
		return ErrClosed
	}
	var err error
	if s.err == nil && !s.readOnly && !s.changed && s.log.file != nil && s.log.entries() {
		err = s.fail(s.checkpoint()) // the next Open has nothing to replay
	}
	s.closed = true
	return cmp.Or(err, s.release())
}

// release gives back everything that Open took.
func (s *Store) release() error {
	var errs []error
	if s.batch != nil {
		errs = append(errs, s.batch.Close())
		s.batch = nil
	}
	if s.cat != nil {
		errs = append(errs, s.cat.close())
		s.cat = nil
	}
	for len(s.files.open) > 0 {
		errs = append(errs, s.files.abandon(s.files.open[0]))
	}
	if s.log.file != nil {
		errs = append(errs, s.log.file.Close())
		s.log.file = nil
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
		s.lock = nil
	}
	return cmp.Or(errs...)
}
