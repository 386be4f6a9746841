package runs

import "slices"

// The index says of each record where its newest version is: in which block, and the how
// many-eth frame of it. 6 bytes a record; what the blocks are takes 28 bytes per block (of
// about 90 records of the paper's size). A copy to which the index does not point is stale.

// place is an entry of the index. Two-byte fields keep its size at 6.
type place struct {
	low, high uint16 // handle of the block
	ord       uint16 // of the frame in the block; the top bit says that messages wait
}

const (
	messagesWait = 1 << 15
	// maxFrames is how many frames a block may have: an ordinal has 15 bits.
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

type indexChunk [chunkLen]place

// index is an array that grows without being copied; parts of it without records take nothing.
type index struct {
	chunks []*indexChunk
	chunk  int // chunks that are there
	count  int // records
	next   uint32

	lent    []bool          // chunks that an image being written reads: copied before a change
	writing <-chan struct{} // closed when it is written
}

// at returns the entry of a record for reading it, nil if it never was set.
func (x *index) at(seq uint32) *place {
	if c := int(seq >> chunkBits); c < len(x.chunks) && x.chunks[c] != nil {
		return &x.chunks[c][seq&(chunkLen-1)]
	}
	return nil
}

// own returns the entry of a record for changing it, nil if it never was set.
func (x *index) own(seq uint32) *place {
	if c := int(seq >> chunkBits); c < len(x.lent) && x.lent[c] {
		select {
		case <-x.writing:
			x.lent = nil
		default:
			chunk := *x.chunks[c]
			x.chunks[c] = &chunk
			x.lent[c] = false
		}
	}
	return x.at(seq)
}

// lend returns the chunks as they are now, to be read until done is closed.
func (x *index) lend(done <-chan struct{}) []*indexChunk {
	x.writing, x.lent = done, make([]bool, len(x.chunks))
	for c, chunk := range x.chunks {
		x.lent[c] = chunk != nil
	}
	return slices.Clone(x.chunks)
}

func (x *index) get(seq uint32) place {
	if p := x.at(seq); p != nil {
		return *p
	}
	return nowhere
}

// touch brings the entries of records near: their places in memory have no order, and
// waiting for many of them at once, with nothing else to do, takes little longer than for one.
func (x *index) touch(seqs []uint32) (sum uint16) {
	for _, seq := range seqs {
		if p := x.at(seq); p != nil {
			sum += p.ord
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
	for len(x.chunks) <= c {
		x.chunks = append(x.chunks, nil)
	}
	x.chunks[c] = new(indexChunk)
	x.chunk++
	for i := range x.chunks[c] {
		x.chunks[c][i] = nowhere
	}
	return &x.chunks[c][seq&(chunkLen-1)]
}

func (x *index) bytes() int64 { return int64(x.chunk)*chunkLen*placeSize + int64(len(x.chunks))*8 }

// each calls f for every record, in order.
func (x *index) each(f func(seq uint32, p *place)) {
	for c, chunk := range x.chunks {
		if chunk == nil {
			continue
		}
		for i := range chunk {
			if chunk[i] != nowhere {
				f(uint32(c)<<chunkBits|uint32(i), &chunk[i])
			}
		}
	}
}
