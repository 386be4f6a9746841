package engine

// Kept returns the unit in which a record of a due unit is kept.
func (s *Store) Kept(due int64) int64 { return s.clamp(due) }

// Due passes to visit the records of the first span of slots after a unit that holds any, with
// their messages. It returns the last unit of the span, so that all records between both units were
// passed on; without records it returns after. It moves no record. It reads slots as a whole, in
// long sequential reads and in order of time. Records of a span come in no order. A span is one
// unit near the clock, and a wide slot far from it. Records of damaged blocks are left out and
// stay; Damage names them. visit may call Load, and must change nothing.
func (s *Store) Due(after int64, visit func(r *Record) error) (through int64, err error) {
	if err := s.usable(); err != nil {
		return after, err
	}
	if s.visiting != nil {
		return after, ErrBusy
	}
	s.looking = true
	defer func() { s.looking = false }()
	first, last := int64(0), after
	for _, sl := range s.slots.byTime() {
		if sl.live == 0 || s.slots.last(sl) <= after {
			continue
		}
		start := max(sl.start, after+1)
		if last == after {
			first = start
		}
		if start == first { // the other slots of the span are parts of the widest one
			last = max(last, s.slots.last(sl))
		} else if start > last {
			break
		}
		err := s.eachIn(sl, 0, MaxSeq, func(r *Record) error {
			if r.Due <= after {
				return nil
			}
			return visit(r)
		})
		if err != nil {
			return after, err
		}
	}
	return last, nil
}
