package engine

import (
	"fmt"

	"github.com/recrawl/recrawl/satstore/directory"
)

// Commit makes all changes since the last Commit durable, as a whole. Many additions to a class of
// slots are written as a run; few are logged and stay in the buffer. The sync of the log after its
// commit frame is the commit point. After an error it is unknown whether the disk has the commit:
// close the store and open it again.
func (s *Store) Commit() error {
	if err := s.writable(); err != nil {
		return err
	}
	if s.visiting != nil {
		return ErrBusy
	}
	if !s.changed {
		return nil
	}
	return s.fail(s.commit(false))
}

// Checkpoint commits, writes all buffers and the index, and starts a new log. The next Open replays
// nothing.
func (s *Store) Checkpoint() error {
	if err := s.writable(); err != nil {
		return err
	}
	if s.visiting != nil {
		return ErrBusy
	}
	if err := s.commit(true); err != nil {
		return s.fail(err)
	}
	return s.fail(s.checkpoint())
}

// commit makes changes durable; with full it leaves no pages.
func (s *Store) commit(full bool) error {
	if err := s.compact(); err != nil {
		return fmt.Errorf("rewrite run files: %w", err)
	}
	begin := s.pending == nil &&
		s.log.size+int64(len(s.log.buf)) > max(s.o.LogBytes, 2*placeSize*int64(s.index.count))
	full = full || begin
	s.logDeleted()
	all := s.slots.ordered()
	for class := range classes {
		pick := s.turn
		if full || s.fresh[class] >= s.o.PartBytes {
			pick = func(*slot) bool { return true }
		} else if class == classNear || s.turnBytes(all) < s.o.PartBytes {
			pick = nil
		}
		if pick != nil {
			if err := s.flush(class, pick); err != nil {
				return err
			}
			if w := s.writers[class]; w != nil {
				w.beginSync()
			}
			if class == classFar {
				s.since = s.clock
			}
		}
		if err := s.logClass(all, class); err != nil {
			return err
		}
	}
	if err := s.syncRuns(); err != nil {
		return err
	}
	if err := s.log.commit(s.clock, s.index.count, s.index.next); err != nil {
		return err
	}
	s.changed = false
	s.fresh = [classes]int64{}
	if err := s.applyAttached(); err != nil {
		return err
	}
	if err := s.reclaim(); err != nil {
		return err
	}
	if err := s.finishCheckpoint(); err != nil {
		return err
	}
	if begin {
		s.beginCheckpoint(true)
	}
	return nil
}

// turn reports whether a far slot is to be written as a run now: once in as many units as its
// width. So the far pages, which are logged first, go to disk in even shares.
func (s *Store) turn(sl *slot) bool {
	width := s.radix.levels[sl.level].Units
	ahead := (sl.index - s.since - 1) % width
	if ahead < 0 {
		ahead += width
	}
	return ahead < s.clock-s.since
}

// turnBytes returns the bytes in pages of the far slots whose turn it is.
func (s *Store) turnBytes(all []*slot) (n int64) {
	for _, sl := range all {
		if sl.class != classFar || !s.turn(sl) {
			continue
		}
		for kind := range kinds {
			for _, h := range sl.pages[kind] {
				n += int64(len(s.pages.all[s.blocks[h].off].buf))
			}
		}
	}
	return n
}

// syncRuns makes the runs durable that were written since its last call.
func (s *Store) syncRuns() error {
	for _, w := range s.writers {
		if w != nil {
			if err := w.sync(); err != nil {
				return err
			}
		}
	}
	if !s.newNames {
		return nil
	}
	if err := directory.Sync(s.fs, s.dir); err != nil {
		return err
	}
	s.newNames = false
	return nil
}
