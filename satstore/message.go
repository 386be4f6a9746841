package satstore

import (
	"fmt"

	"github.com/recrawl/recrawl/sitegraph"
)

// Message sends a payload of at most 1 MiB to the record of a page [SAT 3.5]. It waits there,
// wherever the record moves, until Answered removes it. Due and Messages return it after earlier
// messages. With Options.Apply, Load and Advance apply it to the record, and Advance, or Save after
// Load, removes it.
func (s *Store) Message(p sitegraph.PageID, payload []byte) error {
	if err := s.writable(); err != nil {
		return err
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

// Messages returns the payloads waiting for a page, in order of arrival.
func (s *Store) Messages(p sitegraph.PageID) ([][]byte, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	messages, err := s.runs.Messages(uint32(p))
	if err != nil {
		return nil, fmt.Errorf("read messages to page %d: %w", p, err)
	}
	return messages, nil
}

// applyWaiting applies the messages waiting for a record to a copy of it.
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

// apply lets Options.Apply change a record, except its page.
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
