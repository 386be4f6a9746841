package paper

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// ErrExists is the answer to a record whose id is taken.
var ErrExists = errors.New("there is a record of that id")

// ErrNotClosed is told of a store without log that was not closed: it is lost.
var ErrNotClosed = errors.New("the store has no log and was not closed")

// Store is one directory. Calls come from one goroutine at a time.
type Store struct {
	o        Options
	dir      string
	lock     io.Closer
	closed   bool
	files    files
	arena    arena
	filling  classes
	calendar calendar

	clock   int64          // all units up to it are over
	nextSeq uint32         // of the next new record
	ids     *sequenceIndex // nil in Basic
	index   bucketIndex    // unused in Basic

	log          logFile
	logNumber    int64
	checkpointed int64    // bytes of the log's checkpoint
	spent        []string // files that the last checkpoint still needs
	// done are the numbers of the records of unit clock+1 that were visited before a
	// crash; nil but after a crash.
	done map[uint32]struct{}

	reading   int64 // the unit of a Visit at work or not committed yet; 0: none
	visiting  bool
	replaying bool
	held      map[uint32][]heldMessage // for records of that unit that are not written back yet
	visit     Visit
	table     table // if Hashed
	sorter    sorter
	group     group
	reader    frames
	wanted    []ID
	message   []byte
	out       []byte
	flushing  []*stream
	stats     Stats
	err       error // the first failure; nothing goes on after it
}

// now is the unit that is read next.
func (s *Store) now() int64 { return s.clock + 1 }

// Clock returns the last unit that is over; 0 in a new store.
func (s *Store) Clock() int64 { return s.clock }

// fail remembers the first failure.
func (s *Store) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = err
	}
	return err
}

// clamp moves a due unit to where a record may be put: 1 to T after the last unit that was
// begun.
func (s *Store) clamp(due int64) int64 {
	t := max(s.clock, s.reading)
	return min(max(due, t+1), t+int64(s.o.Units))
}

// Add stores a new record, whose body begins with its id, and returns its number. Without
// index, in Basic, ids are not compared.
func (s *Store) Add(due int64, body []byte) (seq uint32, err error) {
	if s.err != nil {
		return 0, s.err
	}
	if len(body) < idBytes || len(body) > maxBody {
		return 0, fmt.Errorf("body of %d bytes, not %d to %d", len(body), idBytes, maxBody)
	}
	id := ID(body)
	if s.ids != nil {
		if seq, ok, err := s.ids.find(id); err != nil {
			return 0, s.fail(err)
		} else if ok && s.index.due(seq) != none {
			return seq, ErrExists
		}
	}
	due = s.clamp(due)
	if s.nextSeq == math.MaxUint32 || due > math.MaxUint32 {
		return 0, fmt.Errorf("number %d or unit %d: they end at 2^32-1", s.nextSeq, due)
	}
	seq = s.nextSeq
	s.nextSeq++
	if err := s.putLogged(kindRecord, seq, due, body); err != nil {
		return 0, s.fail(err)
	}
	if s.ids != nil {
		s.ids.pending[id] = seq
		s.index.set(seq, due, s.clock)
	}
	return seq, nil
}

// putLogged appends a frame to the log and to the buffer of its bucket (step 5).
func (s *Store) putLogged(kind byte, seq uint32, due int64, body []byte) error {
	h := makeHeader(kind, seq, due, body)
	unit := int64(0)
	if s.visiting {
		unit = s.reading
	}
	if err := s.log.frame(unit, &h, body); err != nil {
		return err
	}
	return s.put(s.streamOf(kind, due), h, body)
}

// streamOf is where frames of a kind and due unit are.
func (s *Store) streamOf(kind byte, due int64) *stream {
	b := s.calendar.at(s.calendar.place(due, s.now()))
	if kind != kindRecord && s.o.Delivery == Hashed {
		return &b.messages
	}
	return &b.records
}

// Commit makes everything durable that was done before it, and ends the unit of a Visit:
// its bucket is deleted (step 7) and the next one made ready (steps 8 and 9).
func (s *Store) Commit() error {
	if s.err != nil {
		return s.err
	}
	return s.fail(s.commit())
}

func (s *Store) commit() error {
	if s.ids != nil {
		if err := s.ids.commit(s.nextSeq); err != nil {
			return err
		}
	}
	clock := max(s.clock, s.reading)
	if err := s.log.commit(clock, s.nextSeq); err != nil {
		return err
	}
	if s.reading != 0 {
		s.reading, s.done = 0, nil
		if err := s.endUnit(); err != nil {
			return err
		}
	}
	if s.log.file != nil && s.log.size-s.checkpointed > s.o.LogBytes {
		return s.checkpoint()
	}
	return nil
}

// endUnit does steps 7 to 9 for the bucket of unit clock+1.
func (s *Store) endUnit() error {
	b := s.calendar.at(0, s.now())
	for _, part := range b.streams() {
		if err := s.remove(part); err != nil {
			return err
		}
	}
	s.clock++
	if err := s.cascade(); err != nil {
		return err
	}
	next := s.calendar.at(0, s.now())
	for _, part := range next.streams() {
		if err := s.flushAll(part); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the file of a stream, and its buffer, which holds something in a replay
// only: the flush before the visits is not part of the log.
func (s *Store) remove(part *stream) error {
	s.arena.clear(&part.buf)
	s.filling.move(part, noClass)
	if err := s.files.close(part); err != nil {
		return err
	}
	if part.size > 0 {
		if err := s.o.FS.Remove(s.files.path(part.name)); err != nil && !s.gone(err) {
			return fmt.Errorf("remove %s: %w", part.name, err)
		}
	}
	part.size, part.dirty = 0, false
	return nil
}

// Close ends the use of the store. What was not committed may be lost; a store without log
// is saved as it is.
func (s *Store) Close() error {
	if s.closed {
		return errors.New("store is closed")
	}
	s.closed = true
	var errs []error
	if s.o.NoLog && s.err == nil {
		errs = append(errs, s.fail(s.save()))
	}
	errs = append(errs, s.release())
	s.err = errors.Join(s.err, errors.New("store is closed"))
	return errors.Join(errs...)
}

// save writes a checkpoint without a log to follow it.
func (s *Store) save() error {
	if err := s.commit(); err != nil {
		return err
	}
	return s.checkpoint()
}

// release closes all that is open.
func (s *Store) release() error {
	var errs []error
	for s.files.newest != nil {
		errs = append(errs, s.files.close(s.files.newest))
	}
	if s.log.file != nil {
		errs = append(errs, s.log.file.Close())
	}
	if s.ids != nil {
		errs = append(errs, s.ids.db.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}
