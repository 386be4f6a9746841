package satstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

// Open opens the store in a directory. It makes one if the directory is empty or missing and o
// allows. It fails with ErrInUse, ErrNoStore, *FormatError or *DamageError, each wrapped, in one
// line.
func Open(dir string, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err == nil {
		s := &Store{
			fs:       o.FS,
			copies:   &copyFS{FS: o.FS},
			dir:      dir,
			o:        o,
			settings: map[string][]byte{},
			removed:  map[sitegraph.PageID]bool{},
			applied:  map[sitegraph.PageID]int{},
		}
		if err = s.begin(); err == nil {
			return s, nil
		}
		_ = s.release() // the first error matters
	}
	return nil, fmt.Errorf("open store %s: %w", dir, err)
}

const (
	// readersAsked is the time between checks of AwaitReaders whether all readers have ended. It
	// gives up after readersWait, since recrawl serve reads until somebody stops it.
	readersAsked = 100 * time.Millisecond
	readersWait  = 30 * time.Minute
)

// AwaitReaders waits until other processes that only read the store, such as a check, have closed
// it, at most half an hour. If it has to wait, it calls waits once before. Its only error is that
// of the context. Open reports whether the store can then be opened.
func AwaitReaders(ctx context.Context, dir string, o Options, waits func()) error {
	for begun := time.Now(); time.Since(begun) < readersWait; {
		if !errors.Is(free(dir, o), ErrRead) {
			return nil
		}
		if waits != nil {
			waits()
			waits = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(readersAsked):
		}
	}
	return nil
}

// InUse reports whether a process has the store in a directory open. It does not read the store, so
// it holds the lock only briefly, unlike Open.
func InUse(dir string, o Options) (bool, error) {
	err := free(dir, o)
	if errors.Is(err, ErrInUse) {
		return true, nil
	}
	return false, err
}

// free returns nil if no process has the store in a directory open, ErrRead if they only read it,
// and otherwise ErrInUse, each wrapped.
func free(dir string, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	// Locking makes the lock file, which a directory without a store must not get.
	if _, err := o.FS.Stat(o.FS.PathJoin(dir, directory.FormatName)); err != nil {
		return err
	}
	lock, err := directory.Lock(o.FS, dir)
	if err != nil {
		return err
	}
	return lock.Close()
}

// begin carries out the numbered steps of recovery in FORMAT.md.
func (s *Store) begin() error {
	if err := s.claim(); err != nil {
		return err
	}
	born, err := s.born()
	if err != nil {
		return err
	}
	if s.used, err = s.wasUsed(); err != nil {
		return err
	}
	if !born {
		if s.used {
			return &DamageError{Path: s.satDir(), What: "no log, and the store was used"}
		}
		if s.o.ReadOnly {
			return s.unborn()
		}
		if err := s.clearUnborn(); err != nil {
			return err
		}
	}
	if s.cat, err = openCatalogue(s.copies, s.catalogueDir(), s.o.ReadOnly, !born); err != nil {
		return err
	}
	if err := s.checkEpoch(); err != nil {
		return err
	}
	if !s.o.ReadOnly {
		s.batch = s.cat.db.NewBatch()
	}
	if err := s.openRuns(born); err != nil {
		return err
	}
	if err := s.checkLog(); err != nil { // for reading only, there was no flush
		return err
	}
	s.had = 0
	if s.batches, err = s.cat.epoch(); err != nil {
		return err
	}
	if err := s.recallTouching(); err != nil {
		return err
	}
	return s.replaceMissing()
}

// claim takes the directory: its lock and version file, which it makes for a new store.
func (s *Store) claim() error {
	_, stat := s.fs.Stat(s.fs.PathJoin(s.dir, directory.FormatName))
	if s.o.ReadOnly {
		// Locking makes the lock file, which a directory without a store must not get.
		if _, err := s.fs.Stat(s.dir); err != nil {
			return err
		}
		if errors.Is(stat, os.ErrNotExist) {
			return ErrNoStore
		}
		if err := readFormat(s.fs, s.dir); err != nil {
			return err
		}
	} else if err := directory.Make(s.fs, s.dir); err != nil {
		return err
	} else if errors.Is(stat, os.ErrNotExist) {
		if err := directory.CheckOwn(s.fs, s.dir); err != nil {
			return err
		}
	}
	var err error
	if err = s.hold(directory.LockFor(s.fs, s.dir, s.o.ReadOnly)); err != nil {
		return err
	}
	err = readFormat(s.fs, s.dir)
	if errors.Is(err, os.ErrNotExist) && !s.o.ReadOnly {
		if err := directory.CheckOwn(s.fs, s.dir); err != nil {
			return err
		}
		if err := directory.WriteFormat(s.fs, s.dir, formatText()); err != nil {
			return err
		}
		err = s.hold(directory.LockFormat(s.fs, s.dir))
	}
	if err != nil {
		return err
	}
	return s.claimRuns()
}

// claimRuns locks the directory of the runs, before the catalogue is opened: two stores may reach
// it by links.
func (s *Store) claimRuns() error {
	if s.o.ReadOnly {
		_, err := s.fs.Stat(s.fs.PathJoin(s.satDir(), directory.FormatName))
		if errors.Is(err, os.ErrNotExist) { // locking makes the lock file
			return nil
		}
	} else if err := directory.Make(s.fs, s.satDir()); err != nil {
		return err
	}
	return s.hold(directory.LockFor(s.fs, s.satDir(), s.o.ReadOnly))
}

// hold keeps a lock until release.
func (s *Store) hold(lock io.Closer, err error) error {
	if err == nil {
		s.locks = append(s.locks, lock)
	}
	return err
}

// born reports whether the creation was completed: the log has its name.
func (s *Store) born() (bool, error) {
	names, err := s.fs.List(s.satDir())
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	isSegment := func(n string) bool { return strings.HasPrefix(n, "MANIFEST-") }
	return slices.ContainsFunc(names, isSegment), err
}

// wasUsed reports whether the store has more than its creation leaves: tables of the catalogue, an
// epoch, or lines in the journal, which is written after the first commit. Without a log such a
// store is damaged, not new.
func (s *Store) wasUsed() (bool, error) {
	for _, dir := range []string{s.dir, s.catalogueDir(), s.fs.PathJoin(s.dir, "journal")} {
		names, err := s.fs.List(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return false, err
		}
		for _, n := range names {
			if n == epochName || strings.HasSuffix(n, ".sst") {
				return true, nil
			}
			if !strings.HasSuffix(n, ".jsonl") {
				continue
			}
			if info, err := s.fs.Stat(s.fs.PathJoin(dir, n)); err == nil && info.Size() > 0 {
				return true, nil
			}
		}
	}
	return false, nil
}

// unborn returns the error of a directory without a log for a reader.
func (s *Store) unborn() error {
	r, err := engine.Open(s.satDir(), engine.Options{FS: s.fs, ReadOnly: true, Locked: true})
	if err == nil {
		return errors.Join(errors.New("a log appeared"), r.Close())
	}
	if errors.Is(err, ErrNoStore) || errors.Is(err, os.ErrNotExist) {
		return ErrUnborn
	}
	return err
}

// clearUnborn removes the catalogue of a store whose creation was cut short: Pebble cannot always
// open the remains of its own first moments.
func (s *Store) clearUnborn() error { return s.fs.RemoveAll(s.catalogueDir()) }

// openRuns opens the records. It passes the commits since the last flush to the catalogue.
func (s *Store) openRuns(born bool) error {
	o := s.o.runs()
	o.Locked, o.Used = true, s.used
	o.Apply = func(repr []byte) error {
		s.replayed++
		return s.cat.applyRepr(repr)
	}
	o.Flush = s.flushCatalogue
	o.CopyFS = s.copies
	o.Lost = func(seqs []uint32) {
		for _, seq := range seqs {
			s.lost = append(s.lost, sitegraph.PageID(seq))
		}
	}
	if !born {
		unit, horizon := s.o.Unit, s.o.Horizon
		if unit == 0 {
			unit = defaultUnit
		}
		if horizon == 0 {
			horizon = defaultHorizon
		}
		now := s.o.Now
		if now.IsZero() {
			now = time.Now()
		}
		o.Unit, o.Levels = int64(unit/time.Second), levelsFor(unit, horizon)
		s.unit = o.Unit
		o.Base = s.unitOf(now)
	}
	var err error
	if s.runs, err = engine.Open(s.satDir(), o); errors.Is(err, ErrNoStore) {
		return ErrUnborn
	} else if err != nil {
		return err
	}
	s.unit = s.runs.Unit()
	unit := time.Duration(s.unit) * time.Second
	has := time.Duration(s.runs.Horizon()) * unit
	if s.o.Horizon != 0 && horizonOf(unit, levelsFor(unit, s.o.Horizon)) != has {
		return fmt.Errorf("its horizon is %v, not %v: it cannot be changed", has, s.o.Horizon)
	}
	return nil
}
