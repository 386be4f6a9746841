package satstore

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

// Due hands each the records of the first span of slots that holds any from a moment on, with the
// messages that wait for them, and returns the end of the span: all records were handed over that
// are kept in units which begin at the moment or later, and before the end. A span is one unit near
// the clock, and up to a day far from it. Without such records it returns the moment. Nothing
// moves: Reschedule and Save say what comes of a record. It is good until each returns, which may
// call Load and Messages, and must change nothing. Damaged records are left out; Advance gives them
// fresh ones.
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

// Reschedule hands the records of pages to again, which changes when they are due, and why. They
// are read in the order in which they lie on disk, and messages wait on. Pages without a record,
// and those that are due as before, are passed over. again must change nothing else, and may call
// Load and Setting.
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
			wrong = s.undecodable(r.Page, err) // Advance gives it a fresh one
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

// Kept returns the start of the unit in which Save would keep a record of this due time now.
func (s *Store) Kept(due time.Time) time.Time { return s.timeOf(s.runs.Kept(s.dueUnit(due))) }

// Answered drops the first so many messages of a page, as Messages returns them, with the next Save
// of its record.
func (s *Store) Answered(p sitegraph.PageID, messages int) error {
	if err := s.writable(); err != nil {
		return err
	}
	s.applied[p] = messages
	return nil
}
