package engine

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/recrawl/recrawl/satstore/directory"
)

// Open opens the store in a directory. It makes one if the directory is empty or missing and o
// allows. It fails with ErrInUse, ErrNoStore, *FormatError or *DamageError, each wrapped.
func Open(dir string, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open run store %s: %w", dir, err)
	}
	s := &Store{
		fs:    o.FS,
		dir:   dir,
		o:     o,
		roll:  rollBytes,
		pages: pages{size: o.PageBytes, limit: o.BufferBytes},
		files: files{fs: o.FS, dir: dir, next: 1},
		log:   logWriter{txn: 1},
	}
	if err := s.begin(); err != nil {
		_ = s.letGo() // the first error matters
		return nil, fmt.Errorf("open run store %s: %w", dir, err)
	}
	return s, nil
}

// begin carries out the numbered steps of recovery in FORMAT.md.
func (s *Store) begin() error {
	if err := s.claim(); err != nil {
		return err
	}
	s.seed = crc32.Checksum(s.id[:], castagnoli)
	s.radix = newRadix(s.o.Levels)
	s.slots = newSlots(s.radix)
	names, err := s.names()
	if err != nil {
		return err
	}
	g, err := s.findSegment(names.segments)
	if err != nil {
		return err
	}
	if g == nil {
		return s.create(names)
	}
	s.log.file = g.file // from here on release closes it
	return s.recover(g, names)
}

// claim takes the directory: its lock and version file, which it makes for a new store.
func (s *Store) claim() (err error) {
	if s.o.ReadOnly {
		// Locking makes the lock file, which a directory without a store must not get.
		if _, err := s.fs.Stat(s.dir); err != nil {
			return err
		}
		if _, err := s.fs.Stat(s.fs.PathJoin(s.dir, directory.FormatName)); errors.Is(err,
			os.ErrNotExist) {
			return ErrNoStore
		}
	} else if err := directory.Make(s.fs, s.dir); err != nil {
		return err
	} else if _, err := s.fs.Stat(s.fs.PathJoin(s.dir, directory.FormatName)); errors.Is(err,
		os.ErrNotExist) {
		if err := directory.CheckOwn(s.fs, s.dir); err != nil {
			return err
		}
	}
	if !s.o.Locked {
		if err = s.hold(directory.LockFor(s.fs, s.dir, s.o.ReadOnly)); err != nil {
			return err
		}
	}
	err = s.readFormat()
	if errors.Is(err, os.ErrNotExist) && !s.o.ReadOnly {
		if err := directory.CheckOwn(s.fs, s.dir); err != nil {
			return err
		}
		if err := s.newFormat(); err != nil {
			return err
		}
		return s.hold(directory.LockFormat(s.fs, s.dir))
	}
	return err
}

// hold keeps a lock until letGo.
func (s *Store) hold(lock io.Closer, err error) error {
	if err == nil {
		s.locks = append(s.locks, lock)
	}
	return err
}

// names has the numbers of the files in a directory.
type names struct{ segments, indexes, runs []int64 }

func (s *Store) names() (n names, err error) {
	list, err := s.fs.List(s.dir)
	if err != nil {
		return n, err
	}
	for _, name := range list {
		for prefix, into := range map[string]*[]int64{logPrefix: &n.segments,
			indexPrefix: &n.indexes, runPrefix: &n.runs} {
			if number, ok := parseName(name, prefix); ok {
				*into = append(*into, number)
			}
		}
	}
	return n, nil
}

// create makes the first log segment: the commit point of a new store.
func (s *Store) create(n names) error {
	if s.o.Used || len(n.runs) > 0 ||
		slices.ContainsFunc(n.indexes, func(i int64) bool { return i > 1 }) {
		if len(n.segments) > 0 {
			return &DamageError{
				Path: s.segmentPath(slices.Max(n.segments)),
				What: "log without a whole snapshot",
			}
		}
		return &DamageError{Path: s.dir, What: "no log, and the store was used"}
	}
	if s.o.ReadOnly {
		return ErrNoStore
	}
	s.clock, s.since = s.o.Base, s.o.Base
	s.radix.move(s.clock)
	return s.checkpoint()
}
