package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// A run is the pages of one class, ordered by slot: written once, and its own log. The log keeps
// only the places of its blocks, and the records whose newest versions they hold.

// flushAll writes the pages of both classes. Within a transaction the log keeps the order: later
// frames come after these runs.
func (s *Store) flushAll() error {
	s.logDeleted()
	for class := range classes {
		if err := s.flush(class, func(*slot) bool { return true }); err != nil {
			return err
		}
		if w := s.writers[class]; w != nil {
			if err := w.wait(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes pages of slots of a class as one run. They keep their handles, so the index stays.
func (s *Store) flush(class int, pick func(*slot) bool) error {
	all := slices.DeleteFunc(s.slots.ordered(), func(sl *slot) bool {
		return sl.class != class || len(sl.pages[0])+len(sl.pages[1]) == 0 || !pick(sl)
	})
	if len(all) == 0 {
		return nil
	}
	w, err := s.writer(class)
	if err != nil {
		return err
	}
	s.serial++
	frame := s.log.begin()
	s.log.buf = appendRunHead(s.log.buf, w.f, s.serial)
	for _, sl := range all {
		for kind := range kinds {
			for _, h := range sl.pages[kind] {
				if err := s.seal(w, sl, h); err != nil {
					return err
				}
			}
			sl.pages[kind] = sl.pages[kind][:0]
		}
	}
	w.align(runAlign)
	if err := w.flush(); err != nil {
		return err
	}
	s.runTotal += w.off - w.f.size
	w.f.size = w.off
	s.log.buf = binary.LittleEndian.AppendUint64(s.log.buf, uint64(w.f.size))
	s.log.end(frame, logMarkedRun)
	return s.log.spill()
}

// seal writes a page as a block of its slot.
func (s *Store) seal(w *runWriter, sl *slot, h uint32) error {
	b := &s.blocks[h]
	number := uint32(b.off)
	if b.live == 0 { // all of it was replaced meanwhile
		s.pages.give(number)
		b.file = inNone
		s.free = append(s.free, h)
		return nil
	}
	w.align(blockAlign)
	buf := s.pages.all[number].buf
	b.off, b.file = w.at(), w.f.spot
	if b.off+int64(len(buf)+sumBytes*int(b.count)) > maxFileBytes {
		return fmt.Errorf("run file %d is full", w.f.number)
	}
	s.sums = sealBlock(buf, s.sums[:0], s.seed, b, sl.slotKey, w.f.number, s.serial)
	b.size = uint32(len(buf) + len(s.sums))
	s.seqs = s.seqs[:0]
	s.waits = s.waits[:0]
	var f frame
	for walk := framesOf(buf[blockHeader:], b.kind); walk.next(&f); {
		if f.flags&flagDead != 0 {
			f.seq = deadSeq
		} else if b.kind == kindRecords && f.flags&flagMore != 0 {
			s.waits = append(s.waits, uint16(len(s.seqs)))
		}
		s.seqs = append(s.seqs, f.seq)
	}
	s.log.buf = appendRunBlock(s.log.buf, sl, b, s.seqs, s.waits)
	if err := errors.Join(w.write(buf), w.write(s.sums)); err != nil {
		return err
	}
	s.pages.give(number)
	sl.blocks[b.kind] = append(sl.blocks[b.kind], h)
	w.f.blocks++
	w.f.live += int64(b.size)
	return nil
}
