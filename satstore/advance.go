package satstore

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Advance moves the clock to the unit of now: steps 1 to 9 of [SAT 3.3]. Every record whose
// bucket is that unit or an earlier one is handed to again, in the order of units, and kept
// anew by the Due that again leaves in it. A clock that does not move costs nothing; units
// without a bucket cost nothing either. again may call Load and Setting, and nothing that changes
// the store. The files are deleted by the next Commit.
func (s *Store) Advance(now time.Time, again func(r *sitegraph.Record)) error {
	if err := s.writable(); err != nil {
		return err
	}
	target := s.unitOf(now)
	if target <= s.clock {
		return nil
	}
	s.log.endRecords() // "ahead" counts from the clock of its frame
	s.clock = target
	s.changed = true
	for len(s.order) > 0 && s.order[0].unit <= target {
		b := s.order[0]
		if err := s.retire(b, again); err != nil {
			return s.fail(fmt.Errorf("advance over bucket %d: %w", b.unit, err))
		}
	}
	return nil
}

// retire moves the live records of a bucket that is due to other buckets.
func (s *Store) retire(b *bucket, again func(r *sitegraph.Record)) error {
	if err := s.flushAll(b); err != nil { // step 8
		return err
	}
	move := func(r *sitegraph.Record) error {
		p := r.Page
		s.busy = true
		again(r)
		s.busy = false
		r.Page = p
		return s.append(r)
	}
	var r sitegraph.Record
	err := s.eachFrame(b, func(f frame, offset int64) error {
		p := f.page()
		if s.known(p) != nil || s.index[p] != makeLocation(b.slot, inFile, offset) {
			return nil // stale: a newer copy is elsewhere
		}
		r.Page = p
		if err := decodeRecord(f.body(), &r); err != nil {
			s.note(DamageError{Path: b.path, Offset: offset, What: "record", Cause: err})
			return nil
		}
		return move(&r)
	})
	if err != nil {
		return err
	}
	if b.live > 0 { // damaged since Open: the pages go on with a fresh record
		err := s.eachPageIn(b, func(p sitegraph.PageID) error {
			if err := s.fresh(p, &r); err != nil {
				return err
			}
			return move(&r)
		})
		if err != nil {
			return err
		}
	}
	s.forget(b)
	s.doomed = append(s.doomed, b)
	return nil
}

// eachPageIn calls f for the pages whose record the index sees in b. Cost: the whole index.
func (s *Store) eachPageIn(b *bucket, f func(p sitegraph.PageID) error) error {
	for p, at := range s.index {
		if at != nowhere && at.slot() == b.slot {
			if err := f(sitegraph.PageID(p)); err != nil {
				return err
			}
		}
	}
	return nil
}
