package engine

// Kept returns the unit in which a record that is due in a unit is kept.
func (s *Store) Kept(due int64) int64 { return s.clamp(due) }

// Due hands visit the records of the first span of slots that holds any after a unit, with the
// messages that wait for them, and returns the last unit of the span: all records due by then and
// after the given unit were handed over. It moves none. Without such records it returns after.
// Slots are read as a whole, in long sequential reads, in the order of time; the records of a span
// come in no order. A span is one unit near the clock, and a wide slot far from it. Records of
// damaged blocks are left out and stay; Damage names them. visit may call Load, and must change
// nothing.
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
		if start == first { // all others of the span are parts of the widest of these
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
