package engine

import (
	"errors"
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// recover brings the store to the state after its last commit.
func (s *Store) recover(g *segment, n names) error {
	s.log.number, s.log.txn, s.log.start = g.number, g.txn, g.first
	if err := s.loadSnapshot(g); err != nil {
		if errors.Is(err, errPayload) {
			return &DamageError{Path: g.path, What: "snapshot", Cause: err}
		}
		return err
	}
	if err := s.replaySegment(g); err != nil {
		return fmt.Errorf("replay log segment %d: %w", g.number, err)
	}
	s.checkFiles()
	if s.o.ReadOnly {
		s.log.size, s.log.valid = g.size, g.valid
		return nil
	}
	for _, number := range n.runs { // numbers of runs that no commit has are not used again
		s.files.next = max(s.files.next, uint32(min(number, 1<<32-2))+1)
	}
	if err := s.resume(g, n); err != nil {
		return err
	}
	return s.removeOthers(n)
}

// checkFiles notes files that are missing, short, or of another store. Reading them shows the loss.
func (s *Store) checkFiles() {
	for _, f := range s.files.all {
		if f == nil || f.blocks == 0 {
			continue
		}
		stat, err := s.fs.Stat(s.files.path(f.number))
		switch {
		case err != nil:
			s.note(&DamageError{Path: s.files.path(f.number), What: "run file", Cause: err})
		case stat.Size() < f.size:
			s.note(
				&DamageError{Path: s.files.path(f.number), Offset: stat.Size(),
					What: "run file ends early"},
			)
		case f.mark != 0:
			if _, err := s.files.acquire(f); err == nil {
				s.files.release(f)
			} else if errors.Is(err, errForeign) { // other errors recur
				s.note(&DamageError{Path: s.files.path(f.number), What: "run file", Cause: err})
			}
		}
	}
}

// resume makes the log ready for writing. It reuses a segment with nothing but its snapshot and its
// index. Otherwise it begins a new one, so that the remains of a cut transaction are never read.
func (s *Store) resume(g *segment, n names) (err error) {
	if err := g.file.Close(); err != nil {
		return err
	}
	s.log.file = nil
	if g.size == g.first && !s.rebuilt {
		s.log.file, err = s.fs.OpenReadWrite(g.path, vfs.WriteCategoryUnspecified)
		s.log.size = g.size
		return err
	}
	for _, number := range n.segments {
		s.log.number = max(s.log.number, number) // also above a newer one that was cut short
	}
	if err := s.flushAll(); err != nil {
		return err
	}
	if err := s.syncRuns(); err != nil {
		return err
	}
	s.log.buf = s.log.buf[:0] // the snapshot includes it
	return s.checkpoint()
}

// removeOthers removes the files that do not belong to the store.
func (s *Store) removeOthers(n names) error {
	known := map[int64]bool{}
	for _, f := range s.files.all {
		if f != nil && (f.blocks > 0 || s.writing(f)) {
			known[int64(f.number)] = true
		}
	}
	remove := func(numbers []int64, path func(int64) string, keep func(int64) bool) error {
		for _, number := range numbers {
			if keep(number) {
				continue
			}
			if err := s.fs.Remove(path(number)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	if err := s.fs.Remove(s.fs.PathJoin(s.dir, logTemp)); err != nil &&
		!errors.Is(err, os.ErrNotExist) {
		return err
	}
	path := func(i int64) string { return s.files.path(uint32(i)) }
	if err := remove(n.runs, path, func(i int64) bool { return known[i] }); err != nil {
		return err
	}
	if err := remove(n.segments, s.segmentPath, func(i int64) bool {
		return i == s.log.number
	}); err != nil {
		return err
	}
	if err := remove(n.indexes, s.indexPath, func(i int64) bool {
		return i == s.indexNo
	}); err != nil {
		return err
	}
	for _, f := range s.files.all {
		if f != nil && f.blocks == 0 && !s.writing(f) {
			s.files.drop(f)
		}
	}
	return nil
}
