package engine

import "slices"

// The index has the place of each record's newest version: its block, and its number among the
// frames there. It takes 6 bytes a record, and 28 bytes for each block (of about 90 records of the
// paper's size). A copy to which the index does not point is stale. Records on disk in the order of
// their numbers take less: see stretch.

// place is an entry of the index. Two-byte fields keep its size at 6.
type place struct {
	low, high uint16 // handle of the block
	ord       uint16 // number of the frame in the block; the top bit: messages wait
}

const (
	messagesWait = 1 << 15
	// maxFrames bounds the frames of a block: their numbers have 15 bits.
	maxFrames = 1 << 15

	chunkBits = 16
	chunkLen  = 1 << chunkBits
	placeSize = 6
)

var nowhere = place{0xffff, 0xffff, 0xffff}

func (p place) block() uint32 { return uint32(p.low) | uint32(p.high)<<16 }
func (p place) frame() int    { return int(p.ord &^ messagesWait) }
func (p place) waiting() bool { return p.ord&messagesWait != 0 }

func makePlace(block uint32, frame int, waiting bool) place {
	p := place{uint16(block), uint16(block >> 16), uint16(frame)}
	if waiting {
		p.ord |= messagesWait
	}
	return p
}

// flatChunk has the entries of 65,536 records.
type flatChunk [chunkLen]place

// indexChunk has entries that are flat or packed; neither: none was ever set.
type indexChunk struct {
	flat   *flatChunk
	packed []stretch // never changed
}

// index is an array that grows without copying. Parts without records take no memory.
type index struct {
	chunks []indexChunk
	flats  int // number of flat chunks
	packed int // stretches in all packed chunks
	count  int // records
	next   uint32
	spare  *flatChunk // of a chunk that was packed

	lent    []bool          // flat chunks that an image being written reads: copied before a change
	writing <-chan struct{} // closed when the image is written
}

// own returns the entry of a record for a change, or nil if it was never set.
func (x *index) own(seq uint32) *place {
	c := int(seq >> chunkBits)
	if c >= len(x.chunks) {
		return nil
	}
	chunk := &x.chunks[c]
	if c < len(x.lent) && x.lent[c] {
		select {
		case <-x.writing:
			x.lent = nil
		default:
			flat := *chunk.flat
			chunk.flat = &flat
			x.lent[c] = false
		}
	}
	if chunk.packed != nil {
		x.unpack(chunk)
	}
	if chunk.flat == nil {
		return nil
	}
	return &chunk.flat[seq&(chunkLen-1)]
}

// lend returns the present chunks, which the caller reads until done is closed.
func (x *index) lend(done <-chan struct{}) []indexChunk {
	x.writing, x.lent = done, make([]bool, len(x.chunks))
	for c := range x.chunks {
		x.lent[c] = x.chunks[c].flat != nil
	}
	return slices.Clone(x.chunks)
}

// get returns the entry of a record.
func (x *index) get(seq uint32) place {
	c := int(seq >> chunkBits)
	if c >= len(x.chunks) {
		return nowhere
	}
	if flat := x.chunks[c].flat; flat != nil {
		return flat[seq&(chunkLen-1)]
	}
	return find(x.chunks[c].packed, int(seq&(chunkLen-1)))
}

// touch loads the entries of records into the cache. They are scattered in memory, and waiting for
// many at once takes little longer than waiting for one.
func (x *index) touch(seqs []uint32) (sum uint16) {
	for _, seq := range seqs {
		if c := int(seq >> chunkBits); c < len(x.chunks) && x.chunks[c].flat != nil {
			sum += x.chunks[c].flat[seq&(chunkLen-1)].ord
		}
	}
	return sum
}

// grow returns the entry of a record, which may be the first of its chunk.
func (x *index) grow(seq uint32) *place {
	if p := x.own(seq); p != nil {
		return p
	}
	c := int(seq >> chunkBits)
	if c > 0 { // the chunk before is probably full
		x.pack(c - 1)
	}
	for len(x.chunks) <= c {
		x.chunks = append(x.chunks, indexChunk{})
	}
	flat := x.newFlat()
	for i := range flat {
		flat[i] = nowhere
	}
	x.chunks[c].flat = flat
	return &flat[seq&(chunkLen-1)]
}

func (x *index) newFlat() *flatChunk {
	x.flats++
	if flat := x.spare; flat != nil {
		x.spare = nil
		return flat
	}
	return new(flatChunk)
}

func (x *index) bytes() int64 {
	n := int64(x.flats)*chunkLen*placeSize + int64(x.packed)*stretchBytes +
		int64(cap(x.chunks))*chunkBytes
	if x.spare != nil {
		n += chunkLen * placeSize
	}
	return n
}

// each calls f for every record, in order.
func (x *index) each(f func(seq uint32, p place)) {
	buf := new(flatChunk)
	for c := range x.chunks {
		flat := x.chunks[c].flatten(buf)
		if flat == nil {
			continue
		}
		for i, p := range flat {
			if p != nowhere {
				f(uint32(c)<<chunkBits|uint32(i), p)
			}
		}
	}
}
