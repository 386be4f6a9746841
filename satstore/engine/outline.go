package engine

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// An outline at the end of a snapshot names the frames to which the index points, apart from the
// index file. The blocks have the numbers of the records, so that a damaged index file is rebuilt
// from the runs. Only frames in the outline are used. So an older version never replaces a newer
// one in a damaged block.
//
//	4  records
//	4  n, bytes of the table
//	n  a row for each block, as in the index file
//	   for each block of records: a bit for each frame, from the lowest of the first byte on;
//	   1: the newest version of a record
//	   frames of records for which messages wait: difference of the number of the block to that of the
//	   one before (uvarint), frame (uvarint)
//
// It takes about 14 bytes a block, a twentieth of the index file.

// appendOutline appends the outline of an image.
func (m *indexImage) appendOutline(dst []byte) []byte {
	starts := make([]int, len(m.frames)+1) // starts of the bits of each block
	for id, n := range m.frames {
		starts[id+1] = starts[id] + (int(n)+7)/8
	}
	newest := make([]byte, starts[len(m.frames)])
	var waits []uint64
	buf := new(flatChunk)
	for c := range m.places {
		chunk := m.places[c].flatten(buf)
		if chunk == nil {
			continue
		}
		for _, p := range chunk {
			if p == nowhere {
				continue
			}
			id, ord := m.ids[p.block()], p.frame()
			newest[starts[id]+ord/8] |= 1 << (ord % 8)
			if p.waiting() {
				waits = append(waits, uint64(id)<<16|uint64(ord))
			}
		}
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(m.count))
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for head := m.head; len(head) > 0; {
		n := indexHead + int(binary.LittleEndian.Uint32(head))
		if head[indexHead] == chunkBlocks {
			dst = append(dst, head[indexHead+1:n]...)
		}
		head = head[n:]
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	dst = append(dst, newest...)
	slices.Sort(waits)
	last := uint64(0)
	for _, w := range waits {
		dst = binary.AppendUvarint(dst, w>>16-last)
		dst = binary.AppendUvarint(dst, w&0xffff)
		last = w >> 16
	}
	return dst
}

// rebuild makes the index anew from the runs, by the outline in r. It leaves out records whose
// blocks are damaged: the log may put them anew, or they are lost. It reads all blocks with newest
// versions.
func (s *Store) rebuild(files map[uint32]*runFile, r *fields) error {
	// drop what was loaded
	s.blocks, s.free, s.index, s.slots = nil, nil, index{}, newSlots(s.radix)
	for _, f := range files {
		f.blocks, f.live = 0, 0
	}
	b := rebuilder{s: s, newest: map[uint32][]byte{}, waits: map[uint64]bool{}}
	s.expected = int(r.u32())
	if err := b.load(r, files); err != nil {
		return err
	}
	for _, j := range s.plan(b.records) {
		j.buf = s.readBuf(j.n)
		j.read(&s.files, s.seed)
		if j.err != nil {
			return j.err
		}
		for i := range j.parts {
			p := &j.parts[i]
			s.blocks[p.h].live = 0
			if !p.ok {
				s.unread = append(
					s.unread,
					&DamageError{
						Path:   s.files.path(j.f.number),
						Offset: p.b.off,
						What:   "block",
						Cause:  p.err,
					},
				)
			}
			if err := b.indexBlock(p.h, p.frames); err != nil {
				return err
			}
		}
		s.readBufs = append(s.readBufs, j.buf)
	}
	b.drop()
	s.rebuilt = true
	return nil
}

type rebuilder struct {
	s       *Store
	records []uint32          // handles of the blocks of records
	newest  map[uint32][]byte // by handle: the bits of the block
	waits   map[uint64]bool   // handle << 16 | frame
}

// load reads the outline.
func (b *rebuilder) load(r *fields, files map[uint32]*runFile) error {
	s := b.s
	rows := fields{b: r.next(int(r.u32()))}
	var all []uint32
	for len(rows.b) > 0 {
		_, h, ok := s.loadBlock(&rows, files)
		if !ok {
			return errPayload
		}
		all = append(all, h)
	}
	for _, h := range all {
		blk := &s.blocks[h]
		if blk.kind != kindRecords {
			continue
		}
		newest := r.next((int(blk.count) + 7) / 8)
		for _, x := range newest {
			blk.live += uint16(bits.OnesCount8(x)) // until the block is read
		}
		b.newest[h] = newest
		b.records = append(b.records, h)
	}
	for id := uint64(0); len(r.b) > 0; {
		id += uint64(r.upto(1 << 32))
		if ord := r.upto(maxFrames); !r.bad && id < uint64(len(all)) {
			b.waits[uint64(all[id])<<16|uint64(ord)] = true
		}
	}
	if rows.bad || r.bad {
		return errPayload
	}
	return nil
}

// indexBlock points the index to the newest versions in a block.
func (b *rebuilder) indexBlock(h uint32, frames []byte) error {
	newest := b.newest[h]
	var f frame
	for w := framesOf(frames, kindRecords); w.next(&f); {
		if f.flags&flagDead != 0 || w.ord/8 >= len(newest) || newest[w.ord/8]>>(w.ord%8)&1 == 0 {
			continue
		}
		if f.seq > MaxSeq || b.s.index.get(f.seq) != nowhere {
			return errPayload
		}
		b.s.point(f.seq, h, w.ord, b.waits[uint64(h)<<16|uint64(w.ord)])
	}
	return nil
}

// drop forgets the damaged blocks, and slots without anything else. Messages stay: the log may put
// records without messages into their slot anew.
func (b *rebuilder) drop() {
	s := b.s
	for _, sl := range s.slots.ordered() {
		sl.blocks[kindRecords] = slices.DeleteFunc(sl.blocks[kindRecords], func(h uint32) bool {
			blk := &s.blocks[h]
			if blk.live > 0 {
				return false
			}
			f := s.files.all[blk.file]
			f.blocks--
			f.live -= int64(blk.size)
			blk.file = inNone
			s.free = append(s.free, h)
			return true
		})
		if sl.live == 0 && len(sl.blocks[kindMessages]) == 0 {
			s.slots.drop(sl)
		}
	}
}

// noteLost notes how many records the rebuilt index lacks, which is known after the replay of the
// log. Later a block that could not be read may have been freed.
func (s *Store) noteLost(replayed bool) {
	if n := s.expected - s.index.count; s.rebuilt && n > 0 {
		s.note(&DamageError{Path: s.dir, What: fmt.Sprintf("blocks and the index, %d records", n)})
		if !replayed {
			for _, d := range s.unread {
				s.note(d)
			}
		}
	}
	s.unread = nil
}
