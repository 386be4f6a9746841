package satstore

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

// Store is a store of page records by scheduled access time. Its calls must come from one
// goroutine at a time.
type Store struct {
	fs  vfs.FS
	dir string
	o   Options
	// copies is fs for the files of copies, and reports their progress.
	copies *copyFS
	locks  []io.Closer
	unit   int64 // u in seconds

	runs *engine.Store // records and messages
	cat  *catalogue    // addresses, links, settings

	batch    *pebble.Batch // of the transaction
	batches  uint64        // number of the last one
	replayed int           // batches that the log gave the catalogue at its opening
	had      uint64        // number of the catalogue's last batch before that; 0: it is open
	flushed  uint64        // as in DIR/EPOCH
	settings map[string][]byte
	removed  map[sitegraph.PageID]bool // in the transaction: removed, or no longer
	changed  bool                      // the transaction is not empty

	// applied counts the messages that Load applied to a record without a Save since.
	applied map[sitegraph.PageID]int
	// addressAlone counts the pages of which Restore found only the address.
	addressAlone int
	touching     touching
	lost         []sitegraph.PageID // records that the runs lost; each gets a fresh one

	frame, body []byte // scratch
	damage      []*DamageError
	busy        bool // inside a callback
	used        bool // when it was opened: wasUsed
	closed      bool
	err         error // of the first failed write; every later call returns it
}

// ID returns the random identifier that the store got when it was made. Copies keep it.
func (s *Store) ID() [16]byte { return s.runs.ID() }

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
	if s.o.ReadOnly {
		return ErrReadOnly
	}
	if s.busy {
		return errors.New("store changed from a function that it called")
	}
	return nil
}

// fail keeps the error of a write: the content of the disk is unknown then.
func (s *Store) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = err
	}
	return err
}

// known returns an error for a page that was not added.
func (s *Store) known(p sitegraph.PageID) error {
	if p < 0 || int(p) >= s.Pages() {
		return fmt.Errorf("page %d is not known: there are %d", p, s.Pages())
	}
	return nil
}

// Pages returns the number of added pages, including removed ones.
func (s *Store) Pages() int { return int(s.runs.Next()) }

// Clock returns the start of the unit up to which Advance handed out records.
func (s *Store) Clock() time.Time { return s.timeOf(s.runs.Clock()) }

func (s *Store) timeOf(unit int64) time.Time { return time.Unix(unit*s.unit, 0).UTC() }

// unitOf returns the unit of a time, below zero before 1970.
func (s *Store) unitOf(t time.Time) int64 {
	seconds := t.Unix()
	u := seconds / s.unit
	if seconds%s.unit < 0 {
		u--
	}
	return u
}

// dueUnit returns the unit of a due time; the runs move it to 1 to T units after the clock (S6).
func (s *Store) dueUnit(due time.Time) int64 { return max(s.unitOf(due), 0) }

// Damage returns the damages found since Open, at most 1000. Each may have cost several records;
// their pages have a fresh one, or get it when it is due.
func (s *Store) Damage() []*DamageError { return append(s.runs.Damage(), s.damage...) }

const maxDamage = 100

func (s *Store) note(d *DamageError) {
	if len(s.damage) < maxDamage {
		s.damage = append(s.damage, d)
	}
}

// Close closes the store. Uncommitted changes are lost.
func (s *Store) Close() error {
	if s.closed {
		return ErrClosed
	}
	s.closed = true
	return s.release()
}

// release releases everything that Open took. The runs end with a checkpoint, which needs the
// catalogue.
func (s *Store) release() error {
	var errs []error
	if s.runs != nil {
		errs = append(errs, s.runs.Close())
	}
	if s.batch != nil {
		errs = append(errs, s.batch.Close())
		s.batch = nil
	}
	if s.cat != nil {
		errs = append(errs, s.cat.close())
		s.cat = nil
	}
	for _, lock := range slices.Backward(s.locks) {
		errs = append(errs, lock.Close())
	}
	s.locks = nil
	return cmp.Or(errs...)
}
