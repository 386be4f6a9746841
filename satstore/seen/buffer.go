package seen

import "slices"

// buffer holds the keys that are not in a run yet: 8 bytes a slot, at most half of them used.
type buffer struct {
	slots []uint64 // 0: free
	zero  bool     // it has the key 0
	n     int      // keys except 0
	most  int
}

func newBuffer(keys int) buffer {
	n := 16
	for n < 2*keys {
		n *= 2
	}
	return buffer{slots: make([]uint64, n), most: n / 2}
}

func (b *buffer) len() int {
	if b.zero {
		return b.n + 1
	}
	return b.n
}

func (b *buffer) full() bool { return b.n >= b.most }

func (b *buffer) has(key uint64) bool {
	if key == 0 {
		return b.zero
	}
	for i := b.home(key); b.slots[i] != 0; i = (i + 1) & (len(b.slots) - 1) {
		if b.slots[i] == key {
			return true
		}
	}
	return false
}

// add adds a key that is not in the buffer.
func (b *buffer) add(key uint64) {
	if key == 0 {
		b.zero = true
		return
	}
	i := b.home(key)
	for b.slots[i] != 0 {
		i = (i + 1) & (len(b.slots) - 1)
	}
	b.slots[i] = key
	b.n++
}

// home returns the slot of a key. Slots are in the order of keys, so that a sorted batch goes
// through memory from the first slot to the last.
func (b *buffer) home(key uint64) int {
	hi := key >> 32
	return int(hi * uint64(len(b.slots)) >> 32)
}

// sorted returns all keys in order, in the memory of the slots: clear must follow.
func (b *buffer) sorted() []uint64 {
	n := 0
	for i, key := range b.slots {
		if key != 0 {
			b.slots[i] = 0
			b.slots[n] = key
			n++
		}
	}
	if b.zero { // half of the slots are free, so the next one has a 0
		n++
	}
	slices.Sort(b.slots[:n])
	return b.slots[:n]
}

func (b *buffer) clear() {
	clear(b.slots)
	b.zero, b.n = false, 0
}
