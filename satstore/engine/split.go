package engine

// split moves records of a slot to the level below, and drops the slot when it is empty. It moves
// 1/left of the bytes, so that the units before the slot begins share the work.
func (s *Store) split(sl *slot, left int64) error {
	if sl == nil {
		return nil
	}
	blocks, pages := s.share(sl, left)
	if len(blocks)+len(pages) > 0 {
		if err := s.move(sl, blocks, pages); err != nil {
			return err
		}
	}
	if left == 1 || sl.live == 0 {
		s.retire(sl)
	}
	return nil
}

// warm asks the system to read what split will move.
func (s *Store) warm(sl *slot, left int64) {
	if sl != nil {
		n, _ := s.shareOf(sl, left)
		s.prefetch(s.plan(sl.blocks[kindRecords][:n]))
	}
}

// share takes 1/left of the records' bytes out of a slot: first blocks, then pages.
func (s *Store) share(sl *slot, left int64) (blocks, pages []uint32) {
	n, all := s.shareOf(sl, left)
	blocks = sl.blocks[kindRecords][:n]
	sl.blocks[kindRecords] = sl.blocks[kindRecords][n:]
	if all {
		pages = sl.pages[kindRecords]
		sl.pages[kindRecords] = nil
	}
	return blocks, pages
}

// shareOf returns how many blocks make 1/left of a slot, and whether the pages belong to them.
func (s *Store) shareOf(sl *slot, left int64) (n int, pages bool) {
	var total int64
	for _, h := range sl.blocks[kindRecords] {
		if s.blocks[h].live > 0 {
			total += int64(s.blocks[h].size)
		}
	}
	for _, h := range sl.pages[kindRecords] {
		total += int64(len(s.pages.all[s.blocks[h].off].buf))
	}
	part := (total + left - 1) / left
	for ; n < len(sl.blocks[kindRecords]) && (part > 0 || left == 1); n++ {
		if b := &s.blocks[sl.blocks[kindRecords][n]]; b.live > 0 {
			part -= int64(b.size)
		}
	}
	return n, part > 0 || left == 1
}

// move puts the records of blocks and pages again, unchanged, with their messages.
func (s *Store) move(sl *slot, blocks, pages []uint32) error {
	var messages map[uint32][][]byte // read when the first record needs them
	return s.consume(blocks, pages, func(_ uint32, f *frame) error {
		due := sl.start + f.ahead
		if !s.index.get(f.seq).waiting() {
			return s.put(f.seq, due, false, f.body)
		}
		if messages == nil {
			var err error
			if messages, err = s.messages(sl, func(uint32) bool { return true }); err != nil {
				return err
			}
		}
		return s.putWith(f.seq, due, f.body, messages[f.seq])
	})
}

// consume calls f for each live frame in blocks and pages. The slot must no longer list these
// blocks and pages, and f must make each frame stale. consume then frees the handles of all.
func (s *Store) consume(blocks, pages []uint32, f func(h uint32, f *frame) error) error {
	for _, h := range pages {
		s.blocks[h].file = inHeld
	}
	var fr frame
	each := func(h uint32, frames []byte) error {
		s.seqs = s.seqs[:0]
		for w := framesOf(frames, kindRecords); w.next(&fr); {
			s.seqs = append(s.seqs, fr.seq)
		}
		s.touched += s.index.touch(s.seqs)
		for w := framesOf(frames, kindRecords); w.next(&fr); {
			if p := s.index.get(fr.seq); p.block() != h || p.frame() != w.ord || p == nowhere {
				continue
			}
			if err := f(h, &fr); err != nil {
				return err
			}
		}
		if s.blocks[h].live > 0 {
			s.lose(h, nil, "records are missing", nil)
		}
		return nil
	}
	if err := s.eachBlock(blocks, each); err != nil {
		return err
	}
	for _, h := range blocks {
		s.release(h)
	}
	for _, h := range pages {
		number := uint32(s.blocks[h].off)
		if err := each(h, s.pages.all[number].buf[blockHeader:]); err != nil {
			return err
		}
		s.pages.give(number)
		s.blocks[h].file = inNone
		s.release(h)
	}
	return nil
}

// release frees the handle of a block that no slot lists any more.
func (s *Store) release(h uint32) {
	b := &s.blocks[h]
	if b.file < inLimbo {
		s.freed(h)
	}
	if b.live > 0 {
		b.file = inLimbo
		return
	}
	b.file = inNone
	s.free = append(s.free, h)
}

// retire forgets a slot without records, and its messages, which nobody will read.
func (s *Store) retire(sl *slot) {
	s.dropAll(sl, kindRecords)
	s.dropMessages(sl)
	if sl.live == 0 {
		s.slots.drop(sl)
	}
}

// dropMessages drops all messages of a slot. The log notes it unless the clock implies it.
func (s *Store) dropMessages(sl *slot) {
	if s.slotWaits.slot == sl {
		s.slotWaits = waits{}
	}
	if len(sl.blocks[kindMessages])+len(sl.pages[kindMessages]) == 0 {
		return
	}
	if !s.replay && s.slots.last(sl) > s.clock {
		s.logVoid(sl)
	}
	s.dropAll(sl, kindMessages)
}

func (s *Store) dropAll(sl *slot, kind int) {
	s.dropPages(sl, kind)
	for _, h := range sl.blocks[kind] {
		s.dropBlock(h)
	}
	sl.blocks[kind] = nil
}

func (s *Store) dropPages(sl *slot, kind int) {
	for _, h := range sl.pages[kind] {
		s.dropPage(h)
	}
	sl.pages[kind] = nil
}

// dropBlock releases a block that its slot listed. In a block of messages it counts the frames,
// since nothing points to them.
func (s *Store) dropBlock(h uint32) {
	b := &s.blocks[h]
	if b.kind == kindMessages {
		b.live = 0
	}
	s.release(h)
}

// dropPage releases a page with its content.
func (s *Store) dropPage(h uint32) {
	s.pages.give(uint32(s.blocks[h].off))
	s.blocks[h].file = inNone
	s.dropBlock(h)
}
