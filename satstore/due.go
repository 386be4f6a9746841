package satstore

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

// Due passes to each the records of the first span of slots at or after from that holds any, with
// their messages. It returns the end of the span, so that all records kept in units between both
// times were passed on; without records it returns from. A span is one unit near the clock, and up
// to a day far from it. Nothing moves until Reschedule or Save. A record is valid until each
// returns, which may call Load and Messages, and must change nothing. Damaged records are left out;
// Advance replaces them.
func (s *Store) Due(from time.Time, each func(r *sitegraph.Record, messages [][]byte)) (
	end time.Time, err error) {
	if err := s.usable(); err != nil {
		return from, err
	}
	var r sitegraph.Record
	s.busy = true
	defer func() { s.busy = false }()
	before := s.unitOf(from.Add(-1))
	last, err := s.runs.Due(before, func(f *engine.Record) error {
		r.Page = sitegraph.PageID(f.Seq)
		if err := DecodeRecord(f.Body, &r); err != nil {
			return s.undecodable(r.Page, err)
		}
		s.apply(&r, f.Messages)
		each(&r, f.Messages)
		return nil
	})
	if err != nil {
		return from, fmt.Errorf("read the records due from %v on: %w", from, err)
	}
	if last == before {
		return from, nil
	}
	return s.timeOf(last + 1), nil
}

// Reschedule passes the records of pages to again, which may change their due times and reasons
// only. It reads them in the order of their places on disk; messages keep waiting. It skips pages
// without a record, or with the same due time as before. again may call Load and Setting.
func (s *Store) Reschedule(pages []sitegraph.PageID, again func(r *sitegraph.Record)) error {
	if err := s.writable(); err != nil {
		return err
	}
	seqs := make([]uint32, len(pages))
	for i, p := range pages {
		if err := s.known(p); err != nil {
			return fmt.Errorf("reschedule: %w", err)
		}
		seqs[i] = uint32(p)
	}
	const stays = -1
	var r sitegraph.Record
	var wrong error
	s.changed = s.changed || len(pages) > 0
	err := s.runs.Update(seqs, func(f *engine.Record) (due int64, body []byte) {
		if wrong != nil {
			return stays, nil
		}
		r.Page = sitegraph.PageID(f.Seq)
		if err := DecodeRecord(f.Body, &r); err != nil {
			wrong = s.undecodable(r.Page, err) // Advance replaces it
			return stays, nil
		}
		s.busy = true
		before := r.Due
		again(&r)
		s.busy = false
		due = s.dueUnit(r.Due)
		if r.Due.Equal(before) && s.runs.Kept(due) == f.Due {
			return stays, nil
		}
		r.Page = sitegraph.PageID(f.Seq)
		if s.frame, wrong = AppendRecord(s.frame[:0], &r); wrong != nil {
			return stays, nil
		}
		return due, s.frame
	})
	if err == nil {
		err = wrong
	}
	if err != nil {
		return s.fail(fmt.Errorf("reschedule %d pages: %w", len(pages), err))
	}
	return s.replaceLost()
}

// Undue returns the start of the unit after the clock: no record is kept in an earlier one.
func (s *Store) Undue() time.Time { return s.timeOf(s.runs.Clock() + 1) }

// Kept returns the start of the unit in which Save would now keep a record of this due time.
func (s *Store) Kept(due time.Time) time.Time { return s.timeOf(s.runs.Kept(s.dueUnit(due))) }

// Answered removes the oldest messages of a page, as Messages returns them, with the next Save of
// its record.
func (s *Store) Answered(p sitegraph.PageID, messages int) error {
	if err := s.writable(); err != nil {
		return err
	}
	s.applied[p] = messages
	return nil
}
