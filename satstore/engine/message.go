package engine

import "fmt"

// Messages to a record wait in its slot, in blocks of their own. The index has a bit for each
// record with messages. The first message of a chain makes earlier ones in the slot void.

// Message appends a message to a record. The record's next visit receives its messages in order of
// arrival.
func (s *Store) Message(seq uint32, payload []byte) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := checkArgs(seq, payload); err != nil {
		return err
	}
	p := s.index.get(seq)
	if p == nowhere {
		return fmt.Errorf("message to record %d: %w", seq, ErrNoRecord)
	}
	s.written += int64(len(payload))
	sl := s.slots.byID[s.blocks[p.block()].slot]
	if v := s.visiting; v != nil && v.slot == sl { // its slot is being handed out
		if !p.waiting() {
			s.index.own(seq).ord |= messagesWait
			delete(v.messages, seq)
		}
		if v.messages == nil {
			v.messages = map[uint32][][]byte{}
		}
		v.messages[seq] = append(v.messages[seq], append([]byte{}, payload...))
		s.changed = true
		return nil
	}
	if err := s.addMessage(sl, seq, payload, p.waiting()); err != nil {
		return s.fail(err)
	}
	s.index.own(seq).ord |= messagesWait
	return nil
}

// addMessage appends a message to a slot. more says that it follows earlier ones there.
func (s *Store) addMessage(sl *slot, seq uint32, payload []byte, more bool) error {
	h, _, err := s.add(sl, kindMessages, &frame{flags: moreIf(more), seq: seq, body: payload})
	if err != nil {
		return err
	}
	s.blocks[h].live++
	s.slotWaits.add(sl, seq, payload, more)
	return nil
}

// chain appends messages to a slot that holds no valid ones for the record.
func (s *Store) chain(sl *slot, seq uint32, messages [][]byte) error {
	for i, m := range messages {
		if err := s.addMessage(sl, seq, m, i > 0); err != nil {
			return err
		}
	}
	return nil
}

// carry puts a record with waiting messages, and takes these along.
func (s *Store) carry(seq uint32, due int64, body []byte, done int) error {
	from := s.slots.byID[s.blocks[s.index.get(seq).block()].slot]
	list, err := s.messagesTo(seq, from)
	if err != nil {
		return err
	}
	if v := s.visiting; v != nil && v.slot == from {
		delete(v.messages, seq)
	}
	s.killMessages(seq, from)
	return s.putWith(seq, due, body, list[min(max(done, 0), len(list)):])
}

// Messages returns the messages waiting for a record, in order of arrival. They keep waiting. It
// reads all messages of the record's slot.
func (s *Store) Messages(seq uint32) ([][]byte, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	p := s.index.get(seq)
	if p == nowhere || !p.waiting() {
		return nil, nil
	}
	return s.messagesTo(seq, s.slots.byID[s.blocks[p.block()].slot])
}

// messagesTo returns the messages in a slot that wait for one of its records.
func (s *Store) messagesTo(seq uint32, sl *slot) ([][]byte, error) {
	if v := s.visiting; v != nil && v.slot == sl {
		return v.messages[seq], nil
	}
	if s.slotWaits.slot != sl {
		all, err := s.messages(sl, func(uint32) bool { return true })
		if err != nil {
			return nil, err
		}
		s.slotWaits = waits{sl, all}
	}
	return s.slotWaits.of[seq], nil
}

// waits caches the messages waiting in a slot, by record. Visits of a round ask for records of few
// slots, one after the other.
type waits struct {
	slot *slot // nil: no slot
	of   map[uint32][][]byte
}

// add repeats addMessage in the cache.
func (w *waits) add(sl *slot, seq uint32, payload []byte, more bool) {
	if w.slot != sl {
		return
	}
	if w.of == nil {
		w.of = map[uint32][][]byte{}
	}
	if !more {
		w.of[seq] = nil
	}
	w.of[seq] = append(w.of[seq], append([]byte{}, payload...))
}

// drop repeats killMessages in the cache.
func (w *waits) drop(sl *slot, seq uint32) {
	if w.slot == sl {
		delete(w.of, seq)
	}
}

// putWith puts a record and the messages that wait for it.
func (s *Store) putWith(seq uint32, due int64, body []byte, list [][]byte) error {
	if err := s.put(seq, due, len(list) > 0, body); err != nil {
		return err
	}
	if len(list) == 0 {
		return nil
	}
	return s.chain(s.slots.byID[s.blocks[s.index.get(seq).block()].slot], seq, list)
}

// killMessages marks the messages of a record in the pages of a slot as dead. Messages on disk are
// void once the index has no waiting bit, or the record is elsewhere.
func (s *Store) killMessages(seq uint32, sl *slot) {
	s.slotWaits.drop(sl, seq)
	var f frame
	for _, h := range sl.pages[kindMessages] {
		b := &s.blocks[h]
		buf := s.pages.all[b.off].buf
		for w := framesOf(buf[blockHeader:], kindMessages); w.next(&f); {
			if f.seq == seq && f.flags&flagDead == 0 {
				buf[blockHeader+w.at] |= flagDead
				b.live--
			}
		}
	}
}

// messages reads the messages waiting in a slot, by record and in order. Damage costs messages.
func (s *Store) messages(sl *slot, want func(seq uint32) bool) (map[uint32][][]byte, error) {
	if len(sl.blocks[kindMessages])+len(sl.pages[kindMessages]) == 0 {
		return nil, nil
	}
	all := map[uint32][][]byte{}
	var held []byte // one allocation for many small messages
	collect := func(frames []byte) {
		var f frame
		for w := framesOf(frames, kindMessages); w.next(&f); {
			p := s.index.get(f.seq)
			if f.flags&flagDead != 0 || p == nowhere || !p.waiting() ||
				s.blocks[p.block()].slot != sl.id ||
				!want(f.seq) {
				continue
			}
			if len(held)+len(f.body) > cap(held) {
				held = make([]byte, 0, max(len(f.body), 4096))
			}
			at := len(held)
			held = append(held, f.body...)
			list := all[f.seq]
			if f.flags&flagMore == 0 {
				list = list[:0]
			}
			all[f.seq] = append(list, held[at:len(held):len(held)])
		}
	}
	for _, list := range [][]uint32{sl.blocks[kindMessages], sl.pages[kindMessages]} {
		for _, h := range list {
			frames, bad, err := s.blockFrames(h)
			if err != nil {
				return nil, err
			}
			if bad != nil {
				s.noteOnce(h, bad)
			}
			collect(frames)
		}
	}
	return all, nil
}
