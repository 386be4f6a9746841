package engine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// segment is a log segment, read to the end of its last whole transaction.
type segment struct {
	number   int64
	path     string
	file     vfs.File
	snapshot []byte
	outlined bool   // the snapshot ends with an outline of the index
	marked   bool   // the snapshot has the marks of run files
	txn      uint64 // of the next transaction
	commits  int
	first    int64 // end of the snapshot frame
	valid    int64 // end of the last commit frame
	size     int64 // of the file
}

// findSegment returns the newest log segment with a whole snapshot, read through; nil if there is
// none, as in a store whose creation was cut short. A newer segment without one was also cut short,
// unless it has later frames, which prove that it was whole.
func (s *Store) findSegment(numbers []int64) (*segment, error) {
	slices.Sort(numbers)
	for _, number := range slices.Backward(numbers) {
		g := &segment{number: number, path: s.segmentPath(number)}
		ok, err := g.open(s.fs)
		if ok {
			return g, nil
		}
		if g.file != nil {
			err = cmp.Or(err, g.file.Close())
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// open reads a segment through; false without error if its creation was cut short.
func (g *segment) open(fs vfs.FS) (bool, error) {
	var err error
	if g.file, err = fs.Open(g.path); err != nil {
		return false, err
	}
	stat, err := g.file.Stat()
	if err != nil {
		return false, err
	}
	g.size = stat.Size()
	r := &logReader{path: g.path, file: g.file, size: g.size}
	f, err := r.next()
	if err == nil && (!isSnapshot(f.kind) || len(f.payload) < snapshotHead) {
		err = errLogFrame
	}
	if err != nil {
		if err != io.EOF && !errors.Is(err, errLogFrame) {
			return false, err
		}
		later, e := r.later(func(kind byte, _ uint64) bool { return !isSnapshot(kind) })
		if later {
			return false, &DamageError{Path: g.path, What: "log begins without its snapshot",
				Cause: err}
		}
		return false, e
	}
	g.snapshot, g.outlined, g.marked = slices.Clone(f.payload), f.kind != logSnapshot,
		f.kind == logMarkedSnapshot
	g.txn, g.first, g.valid = f.txn+1, r.at, r.at
	return g.findEnd(r)
}

// findEnd finds the end of the last commit.
func (g *segment) findEnd(r *logReader) (bool, error) {
	for {
		f, err := r.next()
		if err == io.EOF {
			return true, nil
		}
		if errors.Is(err, errLogFrame) || err == nil && (isSnapshot(f.kind) || f.txn != g.txn) {
			later, e := r.later(func(_ byte, txn uint64) bool { return txn > g.txn })
			if later {
				return false, &DamageError{
					Path:   g.path,
					Offset: g.valid,
					What:   "log is broken before a later commit",
				}
			}
			return e == nil, e // the tail of an unfinished transaction
		}
		if err != nil {
			return false, err
		}
		if f.kind == logCommit {
			g.txn++
			g.commits++
			g.valid = r.at
		}
	}
}

// replaySegment brings the store from the snapshot to the state after the last commit.
func (s *Store) replaySegment(g *segment) error {
	s.replay = true
	defer func() { s.replay = false }()
	r := &logReader{path: g.path, file: g.file, size: g.valid, at: g.first}
	for {
		f, err := r.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = s.apply(f)
		}
		if errors.Is(err, errPayload) {
			return &DamageError{Path: g.path, Offset: f.offset, What: "log frame", Cause: err}
		}
		if err != nil {
			return err
		}
	}
	for i := range s.pages.all { // the log has all of it
		s.pages.all[i].logged = len(s.pages.all[i].buf)
	}
	s.noteLost(g.commits > 0)
	s.since = s.clock
	s.fresh, s.changed, s.deleted = [classes]int64{}, false, nil
	return nil
}

func (s *Store) apply(f logFrame) error {
	switch f.kind {
	case logRun, logMarkedRun:
		return s.applyRun(f.payload, f.kind == logMarkedRun)
	case logPages:
		return s.applyPages(f.payload)
	case logDeletions:
		if len(f.payload)%4 != 0 {
			return errPayload
		}
		for b := f.payload; len(b) > 0; b = b[4:] {
			s.remove(binary.LittleEndian.Uint32(b))
		}
		return nil
	case logAttachment:
		return s.applyAttachment(f.payload)
	case logVoided:
		r := fields{b: f.payload}
		k, kind := r.slot(len(s.radix.levels))
		if r.bad || len(r.b) > 0 || kind != kindMessages {
			return errPayload
		}
		if sl := s.slots.byKey[k]; sl != nil {
			s.dropMessages(sl)
		}
		return nil
	}
	return s.applyCommit(f.payload)
}

func (s *Store) applyCommit(p []byte) error {
	if len(p) != commitBytes {
		return errPayload
	}
	clock := int64(binary.LittleEndian.Uint64(p))
	records := int(binary.LittleEndian.Uint32(p[8:]))
	if clock < s.clock || clock > maxUnit || records < s.index.count ||
		records > s.index.count && !s.rebuilt {
		return errPayload
	}
	s.expected = records
	s.index.next = max(s.index.next, binary.LittleEndian.Uint32(p[12:]))
	if clock == s.clock {
		return nil
	}
	s.clock = clock
	s.radix.move(clock)
	for _, sl := range s.slots.ordered() {
		if s.slots.last(sl) > clock {
			continue
		}
		if sl.live > 0 { // a commit moves all of them
			return errPayload
		}
		s.retire(sl)
	}
	return nil
}
