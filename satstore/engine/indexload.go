package engine

import "encoding/binary"

// loadIndex reads the index file that belongs to the snapshot of the log.
func (s *Store) loadIndex(number int64, files map[uint32]*runFile) error {
	r, err := s.openIndex(number)
	if err != nil {
		return err
	}
	defer r.Close()
	kind, p, err := r.next()
	if err != nil {
		return err
	}
	if kind != chunkBegin || len(p) != 16+4+4 || [16]byte(p[:16]) != s.id {
		return r.damage("index of another store")
	}
	blocks, records := binary.LittleEndian.Uint32(p[16:]), binary.LittleEndian.Uint32(p[20:])
	for {
		kind, p, err := r.next()
		if err != nil {
			return err
		}
		ok := true
		switch kind {
		case chunkBlocks:
			ok = s.loadBlocks(p, files)
		case chunkPlaces:
			ok = len(s.blocks) == int(blocks) && s.loadPlaces(p)
		case chunkEnd:
			if len(s.blocks) != int(blocks) || s.index.count != int(records) || r.at != r.size ||
				len(p) != 0 {
				return r.damage("index does not add up")
			}
			return nil
		default: // its checksum is right
			return &FormatError{Path: r.path, What: "a chunk of the index", Found: int(kind),
				Known: chunkEnd}
		}
		if !ok {
			return r.damage("index chunk")
		}
	}
}

func (s *Store) loadBlocks(p []byte, files map[uint32]*runFile) bool {
	r := fields{b: p}
	for len(r.b) > 0 {
		if _, _, ok := s.loadBlock(&r, files); !ok {
			return false
		}
	}
	return !r.bad
}

// loadBlock reads a row of the table of blocks.
func (s *Store) loadBlock(r *fields, files map[uint32]*runFile) (sl *slot, h uint32, ok bool) {
	k, kind := r.slot(len(s.radix.levels))
	f := files[uint32(r.upto(1<<32-1))]
	b := block{off: r.upto(1<<32-1) * blockAlign, size: uint32(r.upto(maxBlockBytes)), kind: kind}
	b.count = uint16(r.upto(maxFrames))
	live := uint16(r.upto(uint64(b.count)))
	if r.bad || f == nil || b.size < blockHeader {
		return nil, 0, false
	}
	sl, err := s.slotOf(k, -1)
	if err != nil {
		return nil, 0, false
	}
	b.slot, b.file = sl.id, f.spot
	if kind == kindMessages {
		b.live = live // of records: frames that the index points to
	}
	return sl, s.list(sl, b), true
}

// list gives a block on disk a handle and enters it into its slot and file.
func (s *Store) list(sl *slot, b block) uint32 {
	h := s.newBlock(b)
	sl.blocks[b.kind] = append(sl.blocks[b.kind], h)
	f := s.files.all[b.file]
	f.blocks++
	f.live += int64(b.size)
	return h
}

func (s *Store) loadPlaces(p []byte) bool {
	if len(p) < 4 || (len(p)-4)%placeSize != 0 || len(p)-4 > chunkLen*placeSize {
		return false
	}
	chunk := binary.LittleEndian.Uint32(p)
	if chunk > MaxSeq>>chunkBits {
		return false
	}
	first := chunk << chunkBits
	for i, p := uint32(0), p[4:]; len(p) > 0; i, p = i+1, p[placeSize:] {
		at := place{
			binary.LittleEndian.Uint16(p),
			binary.LittleEndian.Uint16(p[2:]),
			binary.LittleEndian.Uint16(p[4:]),
		}
		if at == nowhere {
			continue
		}
		h := at.block()
		if int(h) >= len(s.blocks) || s.blocks[h].kind != kindRecords ||
			at.frame() >= int(s.blocks[h].count) ||
			s.blocks[h].live >= s.blocks[h].count || first+i > MaxSeq ||
			s.index.get(first+i) != nowhere {
			return false
		}
		s.point(first+i, h, at.frame(), at.waiting())
	}
	return true
}
