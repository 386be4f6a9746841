package runs

import (
	"cmp"
	"slices"
)

// Update hands visit the newest version of each of these records, and keeps it anew as visit
// returns it, as Put does. Messages wait on. Records are read in the order in which they lie on
// disk, each block once, so that many cost little more than the bytes around them. Numbers without
// a record are passed over; records of damaged blocks are lost, as in Advance. The body may be a
// part of r.Body changed in place. A due below zero leaves the record where it is. visit must
// change nothing.
func (s *Store) Update(seqs []uint32, visit func(r *Record) (due int64, body []byte)) error {
	if err := s.writable(); err != nil {
		return err
	}
	if s.visiting != nil {
		return ErrBusy
	}
	type spot struct {
		block, seq uint32
		frame      int
	}
	var onDisk []spot
	var blocks, inMemory []uint32
	for _, seq := range seqs {
		p := s.index.get(seq)
		if p == nowhere {
			continue
		}
		if s.blocks[p.block()].file < inLimbo {
			onDisk = append(onDisk, spot{p.block(), seq, p.frame()})
		} else {
			inMemory = append(inMemory, seq)
		}
	}
	slices.SortFunc(onDisk, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.frame, b.frame))
	})
	onDisk = slices.Compact(onDisk)
	for _, at := range onDisk {
		if n := len(blocks); n == 0 || blocks[n-1] != at.block {
			blocks = append(blocks, at.block)
		}
	}
	u := updating{s: s, visit: visit}
	err := s.eachBlock(blocks, func(h uint32, frames []byte) error {
		i, _ := slices.BinarySearchFunc(onDisk, h, func(at spot, h uint32) int {
			return cmp.Compare(at.block, h)
		})
		var f frame
		for w := framesOf(frames, kindRecords); w.next(&f); {
			if i == len(onDisk) || onDisk[i].block != h {
				break
			}
			if w.ord != onDisk[i].frame {
				continue
			}
			lost := onDisk[i].seq != f.seq || s.index.get(f.seq) == nowhere // it is damaged
			if i++; lost {
				continue
			}
			if err := u.keep(f.seq, s.slots.byID[s.blocks[h].slot].start+f.ahead,
				f.body); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return s.fail(err)
	}
	slices.Sort(inMemory)
	for _, seq := range slices.Compact(inMemory) {
		body, due, ok, err := s.Load(seq, u.body[:0])
		if isDamage(err) { // it became a block meanwhile
			continue
		}
		if u.body = body; err == nil && ok {
			err = u.keep(seq, due, body)
		}
		if err != nil {
			return s.fail(err)
		}
	}
	return nil
}

// updating is an Update under way.
type updating struct {
	s     *Store
	visit func(r *Record) (due int64, body []byte)
	body  []byte
	// Messages that wait in slots of which a record was kept anew.
	messages map[*slot]map[uint32][][]byte
}

// keep lets a record be visited, and keeps it anew with its messages.
func (u *updating) keep(seq uint32, due int64, body []byte) (err error) {
	s := u.s
	r := Record{Seq: seq, Due: due, Body: body}
	p := s.index.get(seq)
	from := s.slots.byID[s.blocks[p.block()].slot]
	if p.waiting() {
		if r.Messages, err = u.waiting(seq, from); err != nil {
			return err
		}
	}
	messages := r.Messages
	if due, body = u.visit(&r); due < 0 {
		return nil
	}
	if err := checkArgs(seq, body); err != nil {
		return err
	}
	s.written += int64(len(body))
	if len(messages) > 0 {
		s.killMessages(seq, from)
	}
	return s.putWith(seq, s.clamp(due), body, messages)
}

// waiting returns the messages to a record. Those of a slot are read once, and again if a record
// that was kept anew came into it.
func (u *updating) waiting(seq uint32, sl *slot) ([][]byte, error) {
	if of, ok := u.messages[sl][seq]; ok {
		return of, nil
	}
	all, err := u.s.messages(sl, func(uint32) bool { return true })
	if err != nil {
		return nil, err
	}
	if u.messages == nil {
		u.messages = map[*slot]map[uint32][][]byte{}
	}
	u.messages[sl] = all
	return all[seq], nil
}
