package satstore

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

// segment is a log segment that was read to the end of its last whole transaction.
type segment struct {
	number int64
	path   string
	file   vfs.File
	start  checkpoint
	end    committed // after the last commit
	first  int64     // end of the checkpoint frame
	valid  int64     // end of the last commit frame
	size   int64     // of the file
}

// findSegment returns the newest log segment with a whole checkpoint, read through; nil
// if there is none, as in a store whose creation was cut short. A newer segment without one
// was cut short itself, unless something follows that was written after it was whole.
func (s *Store) findSegment(names satNames) (*segment, error) {
	slices.Sort(names.segments)
	for _, number := range slices.Backward(names.segments) {
		g := &segment{number: number, path: s.logPath(number)}
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
	r := &logReader{file: g.file, size: g.size}
	f, err := r.next()
	if err == nil {
		g.start, err = decodeCheckpoint(f)
	}
	if err != nil {
		if err != io.EOF && !errors.Is(err, errLogFrame) && !errors.Is(err, errCheckpoint) {
			return false, err
		}
		later, e := r.later(func(kind byte, _ uint64) bool { return kind == kindRecords || kind == kindCommit })
		if later {
			return false, &DamageError{Path: g.path, What: "log begins without its checkpoint", Cause: err}
		}
		return false, e
	}
	g.end, g.first, g.valid = g.start.committed, r.at, r.at
	for {
		f, err := r.next()
		if err == io.EOF {
			return true, nil
		}
		if errors.Is(err, errLogFrame) || err == nil && (f.kind == kindCheckpoint || f.txn != g.end.txn) {
			later, e := r.later(func(_ byte, txn uint64) bool { return txn > g.end.txn })
			if later {
				return false, &DamageError{Path: g.path, Offset: g.valid, What: "log is broken before a later commit"}
			}
			return e == nil, e // the tail of an unfinished transaction
		}
		if err != nil {
			return false, err
		}
		if f.kind == kindCommit {
			g.end, _ = decodeCommit(f)
			g.valid = r.at
		}
	}
}

// replay calls records and batch for the frames up to the last commit, in order.
func (g *segment) replay(records func(clock int64, f frame, offset int64) error, batch func(repr []byte) error) error {
	r := &logReader{file: g.file, size: g.valid, at: g.first}
	for {
		f, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if f.kind == kindCommit {
			if _, repr := decodeCommit(f); len(repr) > 0 {
				if err := batch(repr); err != nil {
					return err
				}
			}
			continue
		}
		clock := int64(binary.LittleEndian.Uint64(f.payload))
		for b, offset := f.payload[recordsPrefix:], f.offset+recordsPrefix; len(b) > 0; {
			fr, ok := frameAt(b)
			if !ok {
				return &DamageError{Path: g.path, Offset: offset, What: "no whole record in the log"}
			}
			if err := records(clock, fr, offset); err != nil {
				return err
			}
			b = b[len(fr):]
			offset += int64(len(fr))
		}
	}
}

// recover brings the store to the state after its last commit.
func (s *Store) recover(g *segment, names satNames) error {
	s.clock, s.lsn = g.end.clock, g.end.lsn
	s.log.fs, s.log.number, s.log.path, s.log.txn = s.fs, g.number, g.path, g.end.txn
	s.index = make([]location, g.end.pages)
	for i := range s.index {
		s.index[i] = nowhere
	}
	if err := s.scanBuckets(g, names); err != nil {
		return err
	}
	err := g.replay(func(clock int64, f frame, offset int64) error {
		unit := clock + f.ahead()
		if unit <= s.clock || s.known(f.page()) != nil {
			return nil // a later frame has it: Advance moved it on
		}
		b := s.bucketOf(unit)
		if s.readOnly {
			s.point(f.page(), makeLocation(b.slot, inLog, offset))
			b.live++
			return nil
		}
		return s.place(b, f)
	}, s.cat.applyRepr)
	if err != nil {
		return fmt.Errorf("replay log segment %d: %w", g.number, err)
	}
	if s.readOnly {
		s.log.size = g.size
		return nil
	}
	replaced, err := s.replaceLost()
	if err != nil {
		return err
	}
	return s.resume(g, names, replaced)
}

// resume makes the log ready for writing. A segment that holds nothing but its
// checkpoint is used as it is; otherwise a new one is begun, so that what a cut
// transaction left behind the last commit is never read again.
func (s *Store) resume(g *segment, names satNames, replaced bool) (err error) {
	if g.size > g.first || replaced {
		for _, n := range names.segments {
			s.log.number = max(s.log.number, n) // above a newer one cut short, too
		}
		if err = s.checkpoint(); err != nil {
			return err
		}
	} else {
		if err = s.log.file.Close(); err != nil {
			return err
		}
		if s.log.file, err = s.fs.OpenReadWrite(g.path, vfs.WriteCategoryUnspecified); err != nil {
			return err
		}
		s.log.size, s.log.start = g.size, g.first
	}
	s.changed = false
	return s.removeOthers(names)
}

// scanBuckets reads the bucket files up to the lengths that the checkpoint names and
// points the index at the newest copy of every page. Buckets up to the clock were
// handed out and may be gone.
func (s *Store) scanBuckets(g *segment, names satNames) error {
	lsns := make([]uint64, len(s.index))
	for _, size := range g.start.buckets {
		if size.unit <= s.clock {
			continue
		}
		b := s.bucketOf(size.unit)
		if !slices.Contains(names.units, b.unit) {
			s.note(DamageError{Path: b.path, What: "the file is missing"})
			continue
		}
		b.size = size.size
		err := s.eachFrame(b, func(f frame, offset int64) error {
			p := f.page()
			if s.known(p) != nil {
				s.note(DamageError{Path: b.path, Offset: offset, What: fmt.Sprintf("record of page %d of %d", p, len(s.index))})
				return nil
			}
			if s.index[p] == nowhere || f.lsn() >= lsns[p] {
				s.point(p, makeLocation(b.slot, inFile, offset))
				b.live++
				lsns[p] = f.lsn()
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("scan bucket %d: %w", b.unit, err)
		}
	}
	return nil
}

// replaceLost gives a fresh record to every page whose record was damaged.
func (s *Store) replaceLost() (replaced bool, err error) {
	var r sitegraph.Record
	for p, at := range s.index {
		if at != nowhere {
			continue
		}
		if err := s.fresh(sitegraph.PageID(p), &r); err != nil {
			return replaced, err
		}
		replaced = true
		f, err := appendFrame(s.frame[:0], &r, 1, s.lsn)
		if err != nil {
			return replaced, err
		}
		s.frame = f
		s.lsn++
		if err := s.place(s.bucketOf(s.clock+1), f); err != nil {
			return replaced, err
		}
	}
	return replaced, nil
}
