package paper

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/directory"
)

const (
	lockName    = "LOCK"
	unsavedName = "UNSAVED" // of a store without log while it is open
	idsName     = "ids"
)

// Open opens the store in a directory, and makes it where there is none.
func Open(dir string, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{
		o:        o,
		dir:      dir,
		arena:    newArena(o.PageBytes, o.BufferBytes/o.PageBytes),
		calendar: newCalendar(o.Levels),
		files:    files{fs: o.FS, dir: dir, most: o.OpenFiles},
		index:    bucketIndex{bits: o.IndexBits},
	}
	if err := s.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s store %s: %w", o.Form, dir, err), s.release())
	}
	return s, nil
}

func (s *Store) open() (err error) {
	if err := directory.Make(s.o.FS, s.dir); err != nil {
		return err
	}
	if s.lock, err = s.o.FS.Lock(s.files.path(lockName)); err != nil {
		return err
	}
	names, err := s.o.FS.List(s.dir)
	if err != nil {
		return err
	}
	var logs []int64
	for _, name := range names {
		if n, ok := logNumber(name); ok {
			logs = append(logs, n)
		}
	}
	slices.Sort(logs)
	switch {
	case len(logs) > 0:
		s.logNumber = logs[len(logs)-1]
		if err := s.replay(logName(s.logNumber)); err != nil {
			return err
		}
	case slices.Contains(names, unsavedName):
		return ErrNotClosed
	}
	if err := s.openIndex(); err != nil {
		return err
	}
	if err := s.clean(names, logs); err != nil {
		return err
	}
	if s.o.NoLog {
		return s.abandonLog(logs)
	}
	for _, n := range logs {
		s.spent = append(s.spent, logName(n))
	}
	return s.checkpoint()
}

// openIndex opens the sequence index and makes the bucket index anew.
func (s *Store) openIndex() (err error) {
	if s.o.Form == Basic {
		return nil
	}
	if s.ids, err = openSequenceIndex(s.o, s.files.path(idsName)); err != nil {
		return err
	}
	given, err := s.ids.next()
	if err != nil {
		return err
	}
	s.nextSeq = max(s.nextSeq, given)
	s.index.base = s.clock
	s.index.grow(int(s.nextSeq))
	return s.calendar.all(s.indexBucket)
}

// indexBucket enters the records of a bucket into the bucket index.
func (s *Store) indexBucket(b *bucket) error {
	enter := func(f frame) error {
		if f.kind() != kindRecord {
			return nil
		}
		if _, done := s.done[f.seq()]; done && f.due() == s.now() {
			return nil // its newer copy is elsewhere
		}
		if f.seq() >= s.nextSeq || f.due() <= s.clock || f.due() > s.clock+1+int64(s.o.Units) {
			return &DamageError{
				b.records.name,
				0,
				fmt.Sprintf("record %d of %d, due at %d in unit %d",
					f.seq(), s.nextSeq, f.due(), s.clock),
			}
		}
		if due := s.index.due(f.seq()); due != none {
			return &DamageError{
				b.records.name,
				0,
				fmt.Sprintf("record %d is due at %d and at %d", f.seq(), due, f.due()),
			}
		}
		s.index.set(f.seq(), f.due(), s.clock)
		return nil
	}
	if err := s.each(&b.records, enter); err != nil {
		return err
	}
	var held []byte // a page, and the part of a frame before it
	if err := s.arena.each(&b.records.buf, func(part []byte) error {
		held = append(held, part...)
		for {
			n, ok := frameLength(held)
			if !ok || n > len(held) {
				held = append(s.out[:0], held...)
				s.out = held
				return nil
			}
			if err := enter(frame(held[:n])); err != nil {
				return err
			}
			held = held[n:]
		}
	}); err != nil || len(held) == 0 {
		return err
	}
	return &DamageError{b.records.name, b.records.size, "no whole frame in the buffer"}
}

// clean removes files that belong to nothing: what was begun when the power went.
func (s *Store) clean(names []string, logs []int64) error {
	keep := map[string]bool{}
	_ = s.calendar.all(func(b *bucket) error {
		for _, part := range b.streams() {
			keep[part.name] = keep[part.name] || part.size > 0
		}
		return nil
	})
	for _, name := range s.spent {
		keep[name] = true
	}
	for _, name := range names {
		ours := strings.HasPrefix(name, recordsPrefix) || strings.HasPrefix(name, messagesPrefix) ||
			strings.HasPrefix(name, sortPrefix) || path.Ext(name) == ".part"
		if !ours || keep[name] {
			continue
		}
		if err := s.o.FS.Remove(s.files.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	return nil
}

// abandonLog begins the use of a store without log: from now on only Close saves it.
func (s *Store) abandonLog(logs []int64) error {
	f, err := s.o.FS.Create(s.files.path(unsavedName), vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), s.files.syncDir()); err != nil {
		return err
	}
	for _, n := range logs {
		s.spent = append(s.spent, logName(n))
	}
	if err := s.removeSpent(); err != nil {
		return err
	}
	return s.files.syncDir()
}
