package engine

// applyRun repeats the effect of a run on the index: its blocks replace the pages of their slots.
// The run itself is not read.
func (s *Store) applyRun(p []byte, marked bool) error {
	headBytes := runHead
	if marked {
		headBytes += markBytes
	}
	if len(p) < headBytes+8 {
		return errPayload
	}
	head := fields{b: p[:headBytes]}
	tail := fields{b: p[len(p)-8:]}
	number, class := head.u32(), head.u8()
	made, serial, mark := int64(head.u64()), head.u64(), uint64(0)
	if marked {
		mark = head.u64()
	}
	size := int64(tail.u64())
	if class >= classes || serial <= s.serial || size < 0 || size > maxFileBytes {
		return errPayload
	}
	f, err := s.fileOf(&runFile{number: number, class: class, made: made, mark: mark, full: true})
	if err != nil {
		return err
	}
	f.size = max(f.size, size)
	s.serial = serial
	r := fields{b: p[headBytes : len(p)-8]}
	var last *slot
	for len(r.b) > 0 {
		b := r.runBlock(len(s.radix.levels), s.waits)
		s.waits = b.waits[:0]
		if r.bad || b.off+int64(b.size) > size {
			return errPayload
		}
		sl, err := s.slotOf(b.key, int(class))
		if err != nil {
			return err
		}
		if sl != last { // its pages were written
			for kind := range kinds {
				s.dropPages(sl, kind)
			}
			last = sl
		}
		if err := s.applyBlock(f, sl, &b); err != nil {
			return err
		}
	}
	return nil
}

// fileOf returns the known file with the number of `of`, or else adds `of` itself.
func (s *Store) fileOf(of *runFile) (*runFile, error) {
	for _, f := range s.files.all {
		if f != nil && f.number == of.number {
			if f.class != of.class || f.mark != of.mark {
				return nil, errPayload
			}
			return f, nil
		}
	}
	if len(s.files.all) >= maxFiles || of.number < s.files.next {
		return nil, errPayload
	}
	s.files.add(of)
	s.files.next = of.number + 1
	return of, nil
}

func (s *Store) applyBlock(f *runFile, sl *slot, b *runBlock) error {
	h := s.newBlock(
		block{off: b.off, size: b.size, file: f.spot, slot: sl.id, count: uint16(b.count),
			kind: b.kind},
	)
	sl.blocks[b.kind] = append(sl.blocks[b.kind], h)
	f.blocks++
	f.live += int64(b.size)
	waits := b.waits
	for ord := range b.count {
		waiting := len(waits) > 0 && int(waits[0]) == ord
		if waiting {
			waits = waits[1:]
		}
		seq := b.seq(ord)
		switch {
		case seq == deadSeq:
		case b.kind == kindRecords:
			s.point(seq, h, ord, waiting)
		default:
			s.blocks[h].live++
			s.wait(seq)
		}
	}
	if s.blocks[h].live == 0 { // such blocks are not written
		return errPayload
	}
	return nil
}

// wait notes that a message waits for a record, if the record exists.
func (s *Store) wait(seq uint32) {
	if p := s.index.own(seq); p != nil && *p != nowhere {
		p.ord |= messagesWait
	}
}

// slotOf returns the slot of a key read from the log.
func (s *Store) slotOf(k slotKey, class int) (*slot, error) {
	if len(s.slots.byID) >= maxSlotIDs && s.slots.byKey[k] == nil && len(s.slots.freeID) == 0 {
		return nil, errPayload
	}
	sl := s.slots.get(k)
	if class >= 0 && sl.class != class {
		return nil, errPayload
	}
	return sl, nil
}

// applyPages adds logged frames to pages again.
func (s *Store) applyPages(p []byte) error {
	r := fields{b: p}
	for len(r.b) > 0 {
		k, kind := r.slot(len(s.radix.levels))
		b := r.next(int(r.upto(uint64(len(r.b)))))
		if r.bad || len(b) == 0 {
			return errPayload
		}
		sl, err := s.slotOf(k, -1)
		if err != nil {
			return err
		}
		if err := s.applyFrames(sl, kind, b); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) applyFrames(sl *slot, kind uint8, b []byte) error {
	var f frame
	w := framesOf(b, kind)
	for w.next(&f) {
		switch {
		case f.flags&flagDead != 0:
		case f.seq == deadSeq || sl.start+f.ahead > s.slots.last(sl):
			return errPayload
		case kind == kindRecords:
			if err := s.putIn(sl, &f); err != nil {
				return err
			}
		default:
			if err := s.addMessage(sl, f.seq, f.body, f.flags&flagMore != 0); err != nil {
				return err
			}
			s.wait(f.seq)
		}
	}
	if len(w.rest) > 0 {
		return errPayload
	}
	return nil
}
