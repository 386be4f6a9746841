package engine

import (
	"cmp"
	"slices"
)

// Update passes the newest version of each of these records to visit, and puts the record as visit
// returns it. Messages keep waiting. Records are read in the order of their places on disk, each
// block once, so that many cost little more than the bytes around them. It skips numbers without a
// record; records of damaged blocks are lost, as in Advance. The body may be a part of r.Body
// changed in place. With a due below zero the record stays where it is. visit must change nothing.
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
	keep := func(seq uint32, due int64, body []byte) error {
		messages, err := s.Messages(seq)
		if err != nil {
			return err
		}
		due, body = visit(&Record{Seq: seq, Due: due, Body: body, Messages: messages})
		if due < 0 {
			return nil
		}
		return s.Replace(seq, due, body, 0)
	}
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
			lost := onDisk[i].seq != f.seq || s.index.get(f.seq) == nowhere // the record is damaged
			if i++; lost {
				continue
			}
			due := s.slots.byID[s.blocks[h].slot].start + f.ahead
			if err := keep(f.seq, due, f.body); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return s.fail(err)
	}
	slices.Sort(inMemory)
	var room []byte
	for _, seq := range slices.Compact(inMemory) {
		body, due, ok, err := s.Load(seq, room[:0])
		if isDamage(err) { // the page became a block meanwhile
			continue
		}
		if room = body; err == nil && ok {
			err = keep(seq, due, body)
		}
		if err != nil {
			return s.fail(err)
		}
	}
	return nil
}
