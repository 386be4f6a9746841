package engine

import (
	"maps"
	"slices"
)

// compact puts the records of some files anew, in their slots, so that the files can go:
// where there are many small ones, or much of them is garbage. A commit moves about as much
// as it writes anyway.
func (s *Store) compact() error {
	// also where nothing is written any more: only what has ended can go
	for class, w := range s.writers {
		if w != nil && s.ends(w) {
			if err := s.endRun(class); err != nil {
				return err
			}
		}
	}
	budget := s.o.PartBytes + s.fresh[classNear] + s.fresh[classFar]
	until := s.files.next // what this commit writes is not written anew by it: so it ends
	for {
		f := s.victim(budget, until)
		if f == nil {
			return nil
		}
		if s.writing(f) {
			if err := s.endRun(int(f.class)); err != nil {
				return err
			}
		}
		budget -= f.live
		if err := s.empty(f); err != nil {
			return err
		}
	}
}

// victim chooses the next file to be emptied, if any, of those with a number below until.
func (s *Store) victim(budget int64, until uint32) *runFile {
	var live, garbage int64
	count := 0
	for _, f := range s.files.all {
		if f == nil || f.blocks == 0 && !s.writing(f) { // it goes after the commit
			continue
		}
		if f.blocks > 0 {
			count++
		}
		live += f.live
		garbage += f.garbage()
	}
	limit := max(s.o.GarbageBytes, live/4)
	var smallest, worst *runFile
	for _, f := range s.files.all {
		if f == nil || f.number >= until {
			continue
		}
		if !s.writing(f) {
			if f.blocks == 0 {
				continue
			}
			if smallest == nil || f.live < smallest.live {
				smallest = f
			}
		} else if f.garbage() < limit/4 { // the next one costs a name
			continue
		}
		if worst == nil || f.waste() > worst.waste() {
			worst = f
		}
	}
	// Two of the files emptied fit into a new one, else there would be as many as before.
	fits := smallest != nil && smallest.live < s.fileBytes()/2
	switch {
	case fits && count+classes > s.o.MaxFiles:
		return smallest
	case fits && count > s.o.MaxFiles*7/8 && smallest.live <= budget:
		return smallest
	case worst != nil && worst.garbage() > 0 && garbage > limit &&
		(worst.live <= budget || garbage > live):
		return worst // in steps where that is possible; with more garbage than records, at once
	}
	return nil
}

// waste is the garbage of a file for each byte that would have to be written anew.
func (f *runFile) waste() float64 { return float64(f.garbage()) / float64(max(f.live, 1)) }

// empty puts the live records and messages of a file anew.
func (s *Store) empty(f *runFile) error {
	var take []uint32
	for _, sl := range s.slots.ordered() {
		in := func(h uint32) bool { return s.blocks[h].file == f.spot }
		for _, h := range sl.blocks[kindRecords] {
			if in(h) {
				take = append(take, h)
			}
		}
		sl.blocks[kindRecords] = slices.DeleteFunc(sl.blocks[kindRecords], in)
		if slices.ContainsFunc(sl.blocks[kindMessages], in) {
			if err := s.renewMessages(sl); err != nil {
				return err
			}
		}
	}
	return s.consume(take, nil, func(h uint32, fr *frame) error {
		fr.flags = moreIf(s.index.get(fr.seq).waiting())
		return s.putIn(s.slots.byID[s.blocks[h].slot], fr)
	})
}

// renewMessages writes all messages of a slot anew: moving some alone would change their order.
func (s *Store) renewMessages(sl *slot) error {
	all, err := s.messages(sl, func(uint32) bool { return true })
	if err != nil {
		return err
	}
	s.dropMessages(sl)
	for _, seq := range slices.Sorted(maps.Keys(all)) {
		if err := s.chain(sl, seq, all[seq]); err != nil {
			return err
		}
	}
	return nil
}
