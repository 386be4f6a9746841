package paper

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
)

// replay makes the state that a log tells of: that of its checkpoint, then all that was
// committed after it, then of the unit that was being visited what is whole. Bucket files
// may be longer than the checkpoint says; what is behind is written again.
func (s *Store) replay(name string) (err error) {
	file, err := s.o.FS.Open(s.files.path(name))
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	count := replayer{s: s}
	if err := eachChunk(&logReader{file: file, size: info.Size()}, count.count); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if count.checkpointEnd == 0 {
		return &DamageError{name, 0, "no whole checkpoint"}
	}
	s.replaying = true
	defer func() { s.replaying = false }()
	apply := replayer{s: s, checkpointEnd: count.checkpointEnd, lastCommit: count.lastCommit}
	if err := eachChunk(&logReader{file: file, size: info.Size()}, apply.apply); err != nil {
		return fmt.Errorf("replay %s: %w", name, err)
	}
	return nil
}

func eachChunk(r *logReader, f func(c chunk) error) error {
	for {
		c, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(c)
		}
		if err != nil {
			return err
		}
	}
}

// replayer reads a log twice: once to find its last commit, once to do what it says.
type replayer struct {
	s                         *Store
	n                         int // chunks read
	checkpointEnd, lastCommit int // numbers of chunks
}

func (r *replayer) count(c chunk) error {
	if c.kind == chunkCommit {
		if r.n > 1 && r.checkpointEnd == 0 { // the one at 1 is the checkpoint's clock
			r.checkpointEnd = r.n
		}
		r.lastCommit = r.n
	}
	r.n++
	return nil
}

func (r *replayer) apply(c chunk) error {
	n, s := r.n, r.s
	r.n++
	switch c.kind {
	case chunkHead:
		return s.o.agree(c.payload)
	case chunkTable:
		return s.loadTable(c.payload)
	case chunkDone:
		return s.loadDone(c.payload)
	case chunkFrames:
		return eachFrame(c.payload, func(f frame) error {
			if n > r.lastCommit && (c.unit != s.now() || f.seq() >= s.nextSeq) {
				return nil // never acknowledged, and not part of the unit that goes on
			}
			if n > r.checkpointEnd && c.unit == s.now() && f.kind() == kindRecord {
				s.markDone(f.seq())
			}
			return s.put(s.streamOf(f.kind(), f.due()), header(f[:headerBytes]), f.body())
		})
	case chunkCommit:
		clock, next := decodeCommit(c.payload)
		s.nextSeq = max(s.nextSeq, next)
		if n <= r.checkpointEnd {
			s.clock = clock
			return nil
		}
		for s.clock < clock {
			s.done = nil
			if err := s.endUnit(); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("chunk %d is of unknown kind %d", n, c.kind)
}

// agree refuses a store that was made otherwise.
func (o Options) agree(payload []byte) error {
	var was head
	if err := json.Unmarshal(payload, &was); err != nil {
		return err
	}
	if want := o.head(); !reflect.DeepEqual(was, want) {
		return fmt.Errorf("the store was made as %+v and is opened as %+v", was, want)
	}
	return nil
}

func (s *Store) loadTable(rows []byte) error {
	le := binary.LittleEndian
	for ; len(rows) >= tableRow; rows = rows[tableRow:] {
		level, number := int(le.Uint32(rows)), int64(le.Uint64(rows[4:]))
		if level >= len(s.calendar.levels) || number < 0 {
			return fmt.Errorf("bucket %d of level %d", number, level)
		}
		b := s.calendar.at(level, number)
		b.records.size, b.messages.size = int64(le.Uint64(rows[12:])), int64(le.Uint64(rows[20:]))
	}
	return nil
}

func (s *Store) loadDone(list []byte) error {
	for ; len(list) >= 4; list = list[4:] {
		s.markDone(binary.LittleEndian.Uint32(list))
	}
	return nil
}

func (s *Store) markDone(seq uint32) {
	if s.done == nil {
		s.done = map[uint32]struct{}{}
	}
	s.done[seq] = struct{}{}
}

// gone accepts, in a replay, that a file was removed before.
func (s *Store) gone(err error) bool { return s.replaying && errors.Is(err, fs.ErrNotExist) }
