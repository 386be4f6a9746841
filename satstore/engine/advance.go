package engine

import "fmt"

// Record is a record passed to the callback of Advance. Its slices are valid until the callback
// returns.
type Record struct {
	Seq      uint32
	Due      int64 // the unit in which it was kept
	Body     []byte
	Messages [][]byte // in the order of arrival
}

// visiting is the slot whose records Advance is passing on.
type visiting struct {
	slot     *slot
	messages map[uint32][][]byte // messages waiting for its records
	seq      uint32              // the record at the callback
	inside   bool                // the callback has not returned
}

// inFlight reports whether a record is at the callback of Advance, whose results change it.
func (s *Store) inFlight(seq uint32) bool {
	return s.visiting != nil && s.visiting.inside && s.visiting.seq == seq
}

// Advance moves the clock to a unit. It passes every record due until then to visit once, unit by
// unit and in storage order. Then it keeps the record as visit returns it: due is moved into 1 to T
// units after the clock, below zero deletes. If visit shortens r.Messages, the removed messages
// keep waiting. The body may be a part of r.Body changed in place. visit may call Load and Message,
// and for other records Put and Delete. The next Commit makes all of it durable.
func (s *Store) Advance(to int64, visit func(r *Record) (due int64, body []byte)) error {
	if err := s.writable(); err != nil {
		return err
	}
	if s.visiting != nil {
		return ErrBusy
	}
	if to > maxUnit {
		return fmt.Errorf("advance to unit %d: units end at %d", to, int64(maxUnit))
	}
	if to <= s.clock {
		return nil
	}
	s.clock = to
	s.changed = true
	s.visiting = &visiting{}
	defer func() { s.visiting = nil }()
	for s.radix.now < to {
		if err := s.step(s.radix.now+1, to, visit); err != nil {
			return s.fail(fmt.Errorf("advance to unit %d: %w", to, err))
		}
	}
	return nil
}

// step handles one unit, or skips units without work.
func (s *Store) step(unit, to int64, visit func(r *Record) (int64, []byte)) error {
	levels := s.radix.levels
	if s.slots.find(0, unit) == nil {
		unit = min(to, s.busyFrom(unit))
	}
	s.radix.move(unit)
	for l := len(levels) - 1; l > 0; l-- { // nothing is left here if the level below looks ahead
		if err := s.split(s.slots.find(l, unit/levels[l].Units), 1); err != nil {
			return err
		}
	}
	if sl := s.slots.find(0, unit); sl != nil {
		for l := 1; l < len(levels); l++ { // read ahead while the visits go on
			if s.radix.ahead[l-1] > 0 {
				s.warm(s.slots.find(l, unit/levels[l].Units+1),
					levels[l].Units-unit%levels[l].Units)
			}
		}
		if err := s.handOut(sl, visit); err != nil {
			return err
		}
	}
	for l := 1; l < len(levels); l++ {
		if s.radix.ahead[l-1] == 0 {
			continue
		}
		left := levels[l].Units - unit%levels[l].Units
		if err := s.split(s.slots.find(l, unit/levels[l].Units+1), left); err != nil {
			return err
		}
	}
	return nil
}

// busyFrom returns the first unit at or after this one that has work.
func (s *Store) busyFrom(unit int64) int64 {
	first := int64(maxUnit) + 1
	for _, sl := range s.slots.byID {
		if sl == nil {
			continue
		}
		start := sl.start
		if l := sl.level; l > 0 && s.radix.ahead[l-1] > 0 {
			start -= s.radix.levels[l].Units // from then on the slot is split up
		}
		first = min(first, start)
	}
	return max(unit, first)
}

// handOut passes on the records of a slot, and removes the slot.
func (s *Store) handOut(sl *slot, visit func(r *Record) (int64, []byte)) error {
	messages, err := s.messages(sl, func(uint32) bool { return true })
	if err != nil {
		return err
	}
	*s.visiting = visiting{slot: sl, messages: messages}
	var r Record
	blocks, pages := sl.blocks[kindRecords], sl.pages[kindRecords]
	sl.blocks[kindRecords], sl.pages[kindRecords] = nil, nil
	err = s.consume(blocks, pages, func(_ uint32, f *frame) error {
		r = Record{Seq: f.seq, Due: sl.start + f.ahead, Body: f.body}
		waiting := s.index.get(f.seq).waiting()
		if waiting {
			r.Messages = s.visiting.messages[f.seq]
		}
		s.visiting.seq, s.visiting.inside = f.seq, true
		due, body := visit(&r)
		s.visiting.inside = false
		if s.err != nil { // an error inside visit
			return s.err
		}
		return s.putVisited(f.seq, due, body, len(r.Messages))
	})
	if err != nil {
		return err
	}
	*s.visiting = visiting{}
	s.retire(sl)
	return nil
}

// putVisited puts a record after its visit, unless it is to be deleted. Messages that came during
// the visit keep waiting.
func (s *Store) putVisited(seq uint32, due int64, body []byte, handed int) error {
	v := s.visiting
	if due < 0 {
		delete(v.messages, seq)
		s.delete(seq)
		return nil
	}
	if err := checkArgs(seq, body); err != nil {
		return err
	}
	s.written += int64(len(body))
	var late [][]byte
	if v.messages != nil {
		if all := v.messages[seq]; len(all) > handed {
			late = all[handed:]
		}
		delete(v.messages, seq)
	}
	return s.putWith(seq, s.clamp(due), body, late)
}
