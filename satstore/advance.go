package satstore

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

// Advance moves the clock to the unit of now [SAT 3.3]. It passes every record that is kept in that
// unit or an earlier one to again, in the order of units and with its messages applied. Then it
// keeps the record by the Due that again leaves in it. A clock that does not move costs nothing,
// nor do units without records. again may call Load and Setting, and nothing that changes the
// store. A damaged record is replaced by a fresh one, due in the next unit.
func (s *Store) Advance(now time.Time, again func(r *sitegraph.Record)) error {
	if err := s.writable(); err != nil {
		return err
	}
	target := s.unitOf(now)
	if target <= s.runs.Clock() {
		return nil
	}
	s.changed = true
	var r sitegraph.Record
	var wrong error
	err := s.runs.Advance(target, func(f *engine.Record) (int64, []byte) {
		if wrong != nil {
			return target + 1, f.Body
		}
		var due int64
		if due, s.frame, wrong = s.handOut(f, &r, again); wrong != nil {
			return target + 1, f.Body
		}
		return due, s.frame
	})
	if err == nil {
		err = wrong
	}
	if err != nil {
		return s.fail(fmt.Errorf("advance to %v: %w", s.timeOf(target), err))
	}
	return s.replaceLost()
}

// handOut passes a record to again and returns it as it is to be kept.
func (s *Store) handOut(
	f *engine.Record,
	r *sitegraph.Record,
	again func(r *sitegraph.Record),
) (due int64, body []byte, err error) {
	p := sitegraph.PageID(f.Seq)
	r.Page = p
	if err := DecodeRecord(f.Body, r); err != nil {
		if err := s.undecodable(p, err); err != nil {
			return 0, s.frame, err
		}
		if err := s.fresh(p, r); err != nil {
			return 0, s.frame, err
		}
	}
	if s.o.Apply == nil {
		f.Messages = nil // the messages keep waiting
	}
	delete(s.applied, p)
	s.apply(r, f.Messages)
	s.busy = true
	again(r)
	s.busy = false
	r.Page = p
	body, err = AppendRecord(s.frame[:0], r)
	return s.dueUnit(r.Due), body, err
}
