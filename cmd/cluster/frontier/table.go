package frontier

import "encoding/binary"

// id is the identity of an address in its crawl and queue. It is SipHash of 128 bits under a key of
// the frontier, so that nobody can make two addresses with one id.
type id [16]byte

// slot is what the memory has of an address.
type slot struct {
	id      id
	lease   int64  // milliseconds since 1970 at which the lease ends; 0: none
	queue   uint32 // number of the queue; 0: the slot is free
	date    uint32 // unix seconds; 0: done
	created uint32 // unix seconds
	page    uint32 // the judge's number of the page; 0: it has no evidence
}

// Slots are numbered from 0, and kept in pieces: growth copies no slot and wastes little memory.
const pieceBits = 12

type table struct {
	pieces []*[1 << pieceBits]slot
	free   []uint32 // slots that were given back
	made   int      // number of slots made
	live   int
	index  []uint32 // open addressing: a slot's number plus 1; 0: empty
}

func (t *table) at(n uint32) *slot { return &t.pieces[n>>pieceBits][n&(1<<pieceBits-1)] }

func (i *id) home(mask int) int { return int(binary.LittleEndian.Uint64(i[:])) & mask }

// find returns the slot of an id.
func (t *table) find(i id) (uint32, bool) {
	if len(t.index) == 0 {
		return 0, false
	}
	mask := len(t.index) - 1
	for p := i.home(mask); t.index[p] != 0; p = (p + 1) & mask {
		if n := t.index[p] - 1; t.at(n).id == i {
			return n, true
		}
	}
	return 0, false
}

// add makes a slot for a new id.
func (t *table) add(i id) uint32 {
	if 4*(t.live+1) > 3*len(t.index) {
		t.grow()
	}
	var n uint32
	if last := len(t.free) - 1; last >= 0 {
		n, t.free = t.free[last], t.free[:last]
	} else {
		if t.made>>pieceBits == len(t.pieces) {
			t.pieces = append(t.pieces, new([1 << pieceBits]slot))
		}
		n = uint32(t.made)
		t.made++
	}
	*t.at(n) = slot{id: i}
	t.live++
	t.enter(n)
	return n
}

func (t *table) enter(n uint32) {
	mask := len(t.index) - 1
	p := t.at(n).id.home(mask)
	for t.index[p] != 0 {
		p = (p + 1) & mask
	}
	t.index[p] = n + 1
}

func (t *table) grow() {
	old := t.index
	t.index = make([]uint32, max(1024, 2*len(old)))
	for _, n := range old {
		if n != 0 {
			t.enter(n - 1)
		}
	}
}

// remove gives a slot back. Entries behind it in the index move up (Knuth, 6.4, algorithm R).
func (t *table) remove(n uint32) {
	mask := len(t.index) - 1
	p := t.at(n).id.home(mask)
	for t.index[p] != n+1 {
		p = (p + 1) & mask
	}
	for next := (p + 1) & mask; t.index[next] != 0; next = (next + 1) & mask {
		home := t.at(t.index[next] - 1).id.home(mask)
		if (next-home)&mask >= (next-p)&mask {
			t.index[p] = t.index[next]
			p = next
		}
	}
	t.index[p] = 0
	*t.at(n) = slot{}
	t.free = append(t.free, n)
	t.live--
}

// each calls see with all used slots from a number on, until see returns false.
func (t *table) each(from uint32, see func(n uint32, s *slot) bool) {
	for n := from; n < uint32(t.made); n++ {
		if s := t.at(n); s.queue != 0 && !see(n, s) {
			return
		}
	}
}
