package satstore

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Open opens the store in a directory, and makes one if the directory is empty or not
// there and o allows. It fails with ErrInUse, ErrNoStore, *FormatError or *DamageError,
// each wrapped, in one line.
func Open(dir string, o Options) (*Store, error) {
	s, err := open(dir, o)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	return s, nil
}

func open(dir string, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{fs: o.FS, dir: dir, satDir: o.FS.PathJoin(dir, satName), o: o, readOnly: o.ReadOnly,
		buckets: map[int64]*bucket{}, settings: map[string][]byte{}, log: logWriter{open: -1, txn: 1},
		arena: newArena(o.PageBytes, o.BufferBytes/o.PageBytes)}
	s.files = files{fs: s.fs, satDir: s.satDir, readOnly: o.ReadOnly, fail: s.fail, most: maxOpenFiles}
	if err := s.begin(); err != nil {
		_ = s.release() // what went wrong first is what matters
		return nil, err
	}
	return s, nil
}

// begin does the numbered steps of recovery in FORMAT.md.
func (s *Store) begin() error {
	if err := s.claim(); err != nil {
		return err
	}
	names, err := s.listSat()
	if err != nil {
		return err
	}
	found, err := s.findSegment(names)
	if err != nil {
		return err
	}
	if found != nil {
		s.log.file = found.file // from here on release closes it
	}
	if found == nil && len(names.units) == 0 {
		if s.readOnly {
			return ErrUnborn
		}
		if err := s.clearUnborn(); err != nil {
			return err
		}
	}
	if s.cat, err = openCatalogue(s.fs, s.catalogueDir(), s.readOnly, found == nil && !s.readOnly); err != nil {
		return err
	}
	if !s.readOnly {
		s.batch = s.cat.db.NewBatch()
	}
	if found == nil {
		return s.create(names)
	}
	return s.recover(found, names)
}

// claim takes the directory: lock, version, unit. A new one gets its version file.
func (s *Store) claim() error {
	if s.readOnly {
		// Locking makes the lock file: not in a directory that is no store.
		if _, err := s.fs.Stat(s.dir); err != nil {
			return err
		}
		if _, _, err := readFormat(s.fs, s.dir); errors.Is(err, os.ErrNotExist) {
			return ErrNoStore
		} else if err != nil {
			return err
		}
	} else if err := makeDir(s.fs, s.dir); err != nil {
		return err
	} else if _, err := s.fs.Stat(s.fs.PathJoin(s.dir, formatName)); errors.Is(err, os.ErrNotExist) {
		if err := checkOwn(s.fs, s.dir); err != nil {
			return err
		}
	}
	var err error
	if s.lock, err = lockDir(s.fs, s.dir); err != nil {
		return err
	}
	unit, units, err := readFormat(s.fs, s.dir)
	if errors.Is(err, os.ErrNotExist) && !s.readOnly {
		if unit = s.o.Unit; unit == 0 {
			unit = defaultUnit
		}
		if units = s.o.Units; units == 0 {
			units = defaultUnits
		}
		if err = checkOwn(s.fs, s.dir); err == nil {
			err = writeFormat(s.fs, s.dir, unit, units)
		}
	}
	if err != nil {
		return err
	}
	if s.o.Unit != 0 && s.o.Unit != unit {
		return fmt.Errorf("its unit is %v, not %v: it cannot be changed", unit, s.o.Unit)
	}
	if s.o.Units != 0 && s.o.Units != units {
		return fmt.Errorf("it has %d units, not %d: that cannot be changed", units, s.o.Units)
	}
	s.unit, s.units = int64(unit/time.Second), int64(units)
	return nil
}

// satNames is what the directory of buckets and log holds.
type satNames struct {
	units    []int64
	segments []int64
}

func (s *Store) listSat() (n satNames, err error) {
	if !s.readOnly {
		if err := makeDir(s.fs, s.satDir); err != nil {
			return n, err
		}
	}
	names, err := s.fs.List(s.satDir)
	if s.readOnly && errors.Is(err, os.ErrNotExist) {
		return n, ErrUnborn
	}
	if err != nil {
		return n, err
	}
	for _, name := range names {
		if unit, ok := parseName(name, bucketPrefix); ok {
			n.units = append(n.units, unit)
		} else if number, ok := parseName(name, logPrefix); ok {
			n.segments = append(n.segments, number)
		}
	}
	return n, nil
}

// clearUnborn removes a catalogue into which nothing was ever flushed, of a store whose
// creation was cut short: Pebble cannot always open what a crash left of its own first moments.
func (s *Store) clearUnborn() error {
	names, err := s.fs.List(s.catalogueDir())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, ".sst") }) {
		return nil
	}
	return s.fs.RemoveAll(s.catalogueDir())
}

// create makes the first log segment: the commit point of a new store. Nothing may be
// there yet that only an older store could have left.
func (s *Store) create(names satNames) error {
	empty, err := s.cat.empty()
	if err != nil {
		return err
	}
	if !empty || len(names.units) > 0 {
		return &DamageError{Path: s.satDir, What: "buckets or a catalogue, and no log"}
	}
	if s.readOnly {
		return ErrUnborn
	}
	now := s.o.Now
	if now.IsZero() {
		now = time.Now()
	}
	s.clock = s.unitOf(now)
	for _, n := range names.segments {
		s.log.number = max(s.log.number, n)
	}
	if err := s.startSegment(); err != nil {
		return err
	}
	return s.removeOthers(names)
}

// removeOthers removes the log segments and bucket files that do not count any more.
func (s *Store) removeOthers(names satNames) error {
	for _, n := range names.segments {
		if n != s.log.number {
			if err := s.fs.Remove(s.logPath(n)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	for _, unit := range names.units {
		if s.buckets[unit] == nil {
			if err := s.fs.Remove(s.bucketPath(unit)); err != nil {
				return err
			}
		}
	}
	return nil
}
