package satstore

import (
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/sitegraph"
)

// Message sends a payload of at most 1 MiB to the record of a page: Options.Apply gets it
// with the record's next Load or Advance, after those that came before [SAT 3.5]. Save after Load,
// and Advance, make it last; until then the message waits, wherever the record moves.
func (s *Store) Message(p sitegraph.PageID, payload []byte) error {
	if err := s.writable(); err != nil {
		return err
	}
	if s.o.Apply == nil {
		return errors.New("message to a store without Options.Apply")
	}
	if err := s.known(p); err != nil {
		return err
	}
	if !s.runs.Has(uint32(p)) {
		var r sitegraph.Record
		if err := s.fresh(p, &r); err != nil { // removed
			return err
		}
		if err := s.put(&r, 0); err != nil {
			return err
		}
	}
	if err := s.runs.Message(uint32(p), payload); err != nil {
		return fmt.Errorf("message to page %d: %w", p, err)
	}
	s.changed = true
	return nil
}

// applyWaiting applies the messages that wait for a record to a copy of it.
func (s *Store) applyWaiting(p sitegraph.PageID, r *sitegraph.Record) error {
	if s.o.Apply == nil {
		return nil
	}
	messages, err := s.runs.Messages(uint32(p))
	if err != nil {
		return fmt.Errorf("load messages to page %d: %w", p, err)
	}
	if len(messages) == 0 {
		delete(s.applied, p)
		return nil
	}
	s.apply(r, messages)
	s.applied[p] = len(messages)
	return nil
}

// apply lets Options.Apply change a record, but not say which page it is of.
func (s *Store) apply(r *sitegraph.Record, messages [][]byte) {
	if s.o.Apply == nil || len(messages) == 0 {
		return
	}
	p, busy := r.Page, s.busy
	s.busy = true
	s.o.Apply(r, messages)
	s.busy = busy
	r.Page = p
}
