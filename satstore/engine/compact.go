package engine

import (
	"maps"
	"slices"
)

// compact rewrites the records of some files in their slots so that the files can be removed. It
// chooses files if there are many small ones, or if a file has much garbage. A commit moves about
// as many bytes as it writes.
func (s *Store) compact() error {
	// also in classes that are no longer written: only ended files can go
	for class, w := range s.writers {
		if w != nil && s.ends(w) {
			if err := s.endRun(class); err != nil {
				return err
			}
		}
	}
	budget := s.o.PartBytes + s.fresh[classNear] + s.fresh[classFar]
	until := s.files.next // files of this commit are not rewritten by it, so that it ends
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

// victim returns the next file to be emptied, if any, among those with a number below until.
func (s *Store) victim(budget int64, until uint32) *runFile {
	var live, garbage int64
	count := 0
	for _, f := range s.files.all {
		if f == nil || f.blocks == 0 && !s.writing(f) { // removed after the commit
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
		} else if f.garbage() < limit/4 { // the next file needs a number
			continue
		}
		if worst == nil || f.waste() > worst.waste() {
			worst = f
		}
	}
	// Two emptied files must fit into a new one. Otherwise there would be as many as before.
	fits := smallest != nil && smallest.live < s.fileBytes()/2
	switch {
	case fits && count+classes > s.o.MaxFiles:
		return smallest
	case fits && count > s.o.MaxFiles*7/8 && smallest.live <= budget:
		return smallest
	case worst != nil && worst.garbage() > 0 && garbage > limit &&
		(worst.live <= budget || garbage > live):
		return worst // in steps if possible; with more garbage than records at once
	}
	return nil
}

// waste returns the garbage of a file per byte that would be rewritten.
func (f *runFile) waste() float64 { return float64(f.garbage()) / float64(max(f.live, 1)) }

// empty rewrites the live records and messages of a file.
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

// renewMessages rewrites all messages of a slot, since moving only some would change their order.
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
