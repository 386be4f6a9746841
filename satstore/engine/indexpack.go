package engine

// Records that were put in the order of their numbers, such as those of a long list, lie in that
// order in their blocks. A chunk of them is packed into stretches, and takes a thirtieth of the
// memory. Before one of its entries changes, it becomes flat again.

// stretch has consecutive entries: the records from first to the next stretch are in consecutive
// frames of one block, or do not exist.
type stretch struct {
	first uint16 // number of the first record in its chunk
	place place  // entry of the first record
}

const (
	stretchBytes = 8
	chunkBytes   = 32 // of an indexChunk, without what it points to
	// mostStretches bounds a packed chunk to a quarter of a flat one: 5.3 records a stretch.
	// Finding an entry then takes at most 14 steps.
	mostStretches = chunkLen * placeSize / stretchBytes / 4
)

// after returns the entry of the n-th record after the first.
func (s *stretch) after(n int) place {
	p := s.place
	if p != nowhere {
		p.ord += uint16(n)
	}
	return p
}

// find returns the entry of a record in a packed chunk; nowhere if there is none.
func find(packed []stretch, i int) place {
	low, high := 0, len(packed) // the first stretch after the record is in [low, high]
	for low < high {
		if mid := int(uint(low+high) / 2); int(packed[mid].first) <= i {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 {
		return nowhere
	}
	s := &packed[low-1]
	return s.after(i - int(s.first))
}

// pack packs a chunk that is flat, has its last record and becomes much smaller. If an index file
// being written still reads the flat chunk, its array is not reused.
func (x *index) pack(c int) {
	if c >= len(x.chunks) {
		return
	}
	chunk := &x.chunks[c]
	if chunk.flat == nil || chunk.flat[chunkLen-1] == nowhere {
		return
	}
	packed := packedOf(chunk.flat)
	if packed == nil {
		return
	}
	if c < len(x.lent) && x.lent[c] {
		x.lent[c] = false
	} else {
		x.spare = chunk.flat
	}
	chunk.flat, chunk.packed = nil, packed
	x.flats--
	x.packed += len(packed)
}

// packedOf returns the stretches of a chunk; nil: too many.
func packedOf(flat *flatChunk) []stretch {
	n := 0
	for i, p := range flat {
		if i == 0 || p != following(flat[i-1]) {
			if n++; n > mostStretches {
				return nil
			}
		}
	}
	packed := make([]stretch, 0, n)
	for i, p := range flat {
		if i == 0 || p != following(flat[i-1]) {
			packed = append(packed, stretch{uint16(i), p})
		}
	}
	return packed
}

// following returns the entry that continues a stretch.
func following(p place) place {
	if p != nowhere {
		p.ord++
	}
	return p
}

// flatten returns the entries of a chunk: its own, or unpacked into buf; nil if there are none.
func (c *indexChunk) flatten(buf *flatChunk) *flatChunk {
	if c.packed == nil {
		return c.flat
	}
	for i, s := range c.packed {
		end := chunkLen
		if i+1 < len(c.packed) {
			end = int(c.packed[i+1].first)
		}
		part, p := buf[s.first:end], s.place
		for j := range part {
			part[j] = p
			p = following(p)
		}
	}
	return buf
}

// unpack makes a packed chunk flat.
func (x *index) unpack(c *indexChunk) {
	flat := x.newFlat()
	c.flatten(flat)
	x.packed -= len(c.packed)
	c.flat, c.packed = flat, nil
}
