package engine

import "fmt"

const (
	// MaxBody bounds a record's body, and a message, in bytes.
	MaxBody = maxBody
	// MaxSeq is the highest number of a record.
	MaxSeq = 1<<32 - 2
)

func checkArgs(seq uint32, body []byte) error {
	if seq > MaxSeq {
		return fmt.Errorf("record %d: numbers end at %d", seq, uint32(MaxSeq))
	}
	if len(body) > MaxBody {
		return fmt.Errorf("record %d: %d bytes, limit %d", seq, len(body), MaxBody)
	}
	return nil
}

// Put makes body the newest version of a record. A due time outside 1 to T units after the clock
// becomes the nearest of these. Messages of the record stay. body is copied.
func (s *Store) Put(seq uint32, due int64, body []byte) error {
	return s.Replace(seq, due, body, 0)
}

// Replace is Put that also removes the first done messages, as Messages returns them.
func (s *Store) Replace(seq uint32, due int64, body []byte, done int) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := checkArgs(seq, body); err != nil {
		return err
	}
	if s.inFlight(seq) {
		return fmt.Errorf("put record %d during its visit: %w", seq, ErrBusy)
	}
	s.written += int64(len(body))
	due = s.clamp(due)
	if s.index.get(seq) != nowhere && s.index.get(seq).waiting() {
		return s.fail(s.carry(seq, due, body, done))
	}
	return s.fail(s.put(seq, due, false, body))
}

// Load appends the newest version of a record to dst: one read of a block if it is on disk. ok is
// false without such a record. A *DamageError leaves the record where it is.
func (s *Store) Load(seq uint32, dst []byte) (body []byte, due int64, ok bool, err error) {
	if err := s.usable(); err != nil {
		return dst, 0, false, err
	}
	p := s.index.get(seq)
	if p == nowhere {
		return dst, 0, false, nil
	}
	h := p.block()
	b := &s.blocks[h]
	frames, bad, err := s.blockFrames(h)
	if err != nil {
		return dst, 0, false, fmt.Errorf("load record %d: %w", seq, err)
	}
	if bad != nil {
		s.noteOnce(h, bad)
	}
	w := framesOf(frames, b.kind)
	var f frame
	for w.next(&f) {
		if w.ord == p.frame() && f.seq == seq {
			return append(dst, f.body...), s.slots.byID[b.slot].start + f.ahead, true, nil
		}
	}
	if bad == nil {
		return dst, 0, false, fmt.Errorf(
			"load record %d: %w",
			seq,
			s.note(s.damaged(h, nil, "a record is missing", nil)),
		)
	}
	return dst, 0, false, fmt.Errorf("load record %d: %w", seq, s.noteOnce(h, bad))
}

// blockFrames returns the frames of a block, valid until the next call. If it is damaged, it
// returns the whole ones, or nil if there are none, and describes the rest.
func (s *Store) blockFrames(h uint32) ([]byte, *badBlock, error) {
	b := &s.blocks[h]
	if b.file == inPage || b.file == inHeld {
		return s.pages.all[b.off].buf[blockHeader:], nil, nil
	}
	if b.file == inNone || b.file == inLimbo {
		panic(fmt.Sprintf("runs: block %d is used after its bytes were freed", h))
	}
	f := s.files.all[b.file]
	s.scratch = sized(s.scratch, int(b.size))
	readErr := s.files.readBlock(f, s.scratch, b.off)
	if readErr != nil && !gone(readErr) {
		return nil, nil, readErr
	}
	frames, bad, ok := blockIn(s.scratch, s.seed, b, s.slots.byID[b.slot].slotKey, f.number)
	if !ok {
		return frames, &badBlock{bad, readErr}, nil
	}
	return frames, nil, nil
}

// sized returns a slice of n bytes, b if it is large enough.
func sized(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// Delete removes a record and its messages. It does nothing if there is no such record.
func (s *Store) Delete(seq uint32) error {
	if err := s.writable(); err != nil {
		return err
	}
	if s.inFlight(seq) {
		return fmt.Errorf("delete record %d during its visit: %w", seq, ErrBusy)
	}
	p := s.index.get(seq)
	if p == nowhere {
		return nil
	}
	if p.waiting() {
		s.killMessages(seq, s.slots.byID[s.blocks[p.block()].slot])
	}
	s.delete(seq)
	return nil
}

func (s *Store) delete(seq uint32) {
	s.remove(seq)
	s.deleted = append(s.deleted, seq)
	s.changed = true
}
