package engine

import (
	"cmp"
	"math"
	"slices"
)

// Each passes every record to visit once, and moves none: slots in order of time, in each the
// records in files in order of their places, then those in pages. Records of damaged blocks are
// left out and stay; Damage names them. visit may call Load, and must change nothing.
func (s *Store) Each(visit func(r *Record) error) error {
	return s.EachOf(0, math.MaxUint32, visit)
}

// EachOf is Each for the records numbered first to last. It reads all blocks.
func (s *Store) EachOf(first, last uint32, visit func(r *Record) error) error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.visiting != nil {
		return ErrBusy
	}
	s.looking = true
	defer func() { s.looking = false }()
	for _, sl := range s.slots.byTime() {
		if err := s.eachIn(sl, first, last, visit); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) eachIn(sl *slot, first, last uint32, visit func(r *Record) error) error {
	messages, err := s.messages(sl, func(seq uint32) bool { return first <= seq && seq <= last })
	if err != nil {
		return err
	}
	each := func(h uint32, frames []byte) error {
		var fr frame
		for w := framesOf(frames, kindRecords); w.next(&fr); {
			if fr.seq < first || fr.seq > last {
				continue
			}
			p := s.index.get(fr.seq)
			if p.block() != h || p.frame() != w.ord || p == nowhere {
				continue
			}
			r := Record{Seq: fr.seq, Due: sl.start + fr.ahead, Body: fr.body}
			if p.waiting() {
				r.Messages = messages[fr.seq]
			}
			if err := visit(&r); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.eachBlock(sl.blocks[kindRecords], each); err != nil {
		return err
	}
	for _, h := range sl.pages[kindRecords] {
		if err := each(h, s.pages.all[s.blocks[h].off].buf[blockHeader:]); err != nil {
			return err
		}
	}
	return nil
}

// byTime returns all slots by their first unit, narrow ones first.
func (t *slots) byTime() []*slot {
	all := t.ordered()
	slices.SortStableFunc(all, func(a, b *slot) int { return cmp.Compare(a.start, b.start) })
	return all
}

// SlotStats describes a slot that holds records.
type SlotStats struct {
	First, Units int64
	Records      int
	// Bytes counts the slot's records and messages on disk and in pages, including stale copies in
	// their blocks.
	Bytes int64
}

// Slots returns the slots with records, by first unit. It looks at all blocks in memory.
func (s *Store) Slots() []SlotStats {
	var list []SlotStats
	for _, sl := range s.slots.byTime() {
		if sl.live == 0 {
			continue
		}
		st := SlotStats{First: sl.start, Units: s.radix.levels[sl.level].Units, Records: sl.live}
		for kind := range kinds {
			for _, h := range sl.blocks[kind] {
				if b := &s.blocks[h]; b.file != inNone && b.live > 0 {
					st.Bytes += int64(b.size)
				}
			}
			for _, h := range sl.pages[kind] {
				st.Bytes += int64(len(s.pages.all[s.blocks[h].off].buf))
			}
		}
		list = append(list, st)
	}
	return list
}

// Has reports whether a record exists.
func (s *Store) Has(seq uint32) bool { return s.index.get(seq) != nowhere }

// Unit returns the length of a unit in seconds.
func (s *Store) Unit() int64 { return s.o.Unit }

// ID returns the random identifier that the store got when it was made. Copies keep it.
func (s *Store) ID() [16]byte { return s.id }
