package seen

import (
	"fmt"
	"math/bits"
)

// Cache has the exact fingerprints of the last keys.
type Cache interface {
	// Touch looks a key up and makes it the newest. If it was missing and the cache is full,
	// another key leaves the cache: evicted, with full set.
	Touch(key uint64) (hit bool, evicted uint64, full bool)
	// Bytes returns the memory of the cache.
	Bytes() int
}

// places finds entries by their key: 4 bytes a slot, at most half of them used, linear probing. The
// entries hold the keys.
type places struct {
	slots []uint32 // number of an entry plus one; 0: free
	mask  uint64
}

func newPlaces(entries int) places {
	if entries < 1 || entries >= 1<<31 {
		panic(fmt.Sprintf("seen: no cache of %d entries", entries))
	}
	n := uint64(1) << bits.Len64(uint64(2*entries-1))
	return places{make([]uint32, n), n - 1}
}

// find returns the entry of a key, or the slot where it would be.
func (t *places) find(keys []uint64, key uint64) (at uint64, entry uint32, ok bool) {
	for at = key & t.mask; t.slots[at] != 0; at = (at + 1) & t.mask {
		if entry = t.slots[at] - 1; keys[entry] == key {
			return at, entry, true
		}
	}
	return at, 0, false
}

// remove removes a key, and closes the gap so that later keys are still found.
func (t *places) remove(keys []uint64, key uint64) {
	gap, _, ok := t.find(keys, key)
	if !ok {
		panic(fmt.Sprintf("seen: key %016x is not in the cache that evicts it", key))
	}
	for at := gap; ; {
		at = (at + 1) & t.mask
		s := t.slots[at]
		if s == 0 {
			break
		}
		// A key whose own slot is cyclically in (gap, at] may not move before it.
		if home := keys[s-1] & t.mask; (at-home)&t.mask >= (at-gap)&t.mask {
			t.slots[gap] = s
			gap = at
		}
	}
	t.slots[gap] = 0
}

// LRU evicts the least recently used key. It takes 8 bytes a key, 8 for its neighbours in the
// order, and 8 to 16 for slots to find it: 24 bytes an entry at powers of two. The paper assumes
// 20.
type LRU struct {
	places
	keys       []uint64
	next, prev []uint32 // toward older and newer entries
	head, tail uint32
}

// NewLRU returns a cache of 1 to 2^31-1 entries.
func NewLRU(entries int) *LRU {
	return &LRU{places: newPlaces(entries), keys: make([]uint64, 0, entries),
		next: make([]uint32, entries), prev: make([]uint32, entries)}
}

// Touch looks a key up and makes it the newest.
func (c *LRU) Touch(key uint64) (hit bool, evicted uint64, full bool) {
	at, entry, ok := c.find(c.keys, key)
	switch {
	case ok:
		if entry != c.head {
			c.unlink(entry)
			c.front(entry)
		}
		return true, 0, false
	case len(c.keys) < cap(c.keys):
		entry = uint32(len(c.keys))
		c.keys = append(c.keys, key)
		if entry == 0 {
			c.head, c.tail = 0, 0
		} else {
			c.front(entry)
		}
	default:
		entry = c.tail
		evicted, full = c.keys[entry], true
		c.remove(c.keys, evicted)
		c.keys[entry] = key
		if len(c.keys) > 1 {
			c.unlink(entry)
			c.front(entry)
		}
		at, _, _ = c.find(c.keys, key) // closing the gap may have moved it
	}
	c.slots[at] = entry + 1
	return false, evicted, full
}

// unlink removes an entry other than the head from the order, which has two or more.
func (c *LRU) unlink(entry uint32) {
	newer := c.prev[entry]
	if entry == c.tail {
		c.tail = newer
		return
	}
	older := c.next[entry]
	c.next[newer], c.prev[older] = older, newer
}

func (c *LRU) front(entry uint32) {
	c.next[entry], c.prev[c.head] = c.head, entry
	c.head = entry
}

// Bytes returns the memory of the cache.
func (c *LRU) Bytes() int { return 8*cap(c.keys) + 8*len(c.next) + 4*len(c.slots) }

// CLOCK evicts the next key that was not used since the hand passed it. It takes 8 bytes a key, a
// bit, and 8 to 16 for slots to find it: 16.1 bytes an entry at powers of two.
type CLOCK struct {
	places
	keys []uint64
	used []uint64 // bits
	hand int
}

// NewCLOCK returns a cache of 1 to 2^31-1 entries.
func NewCLOCK(entries int) *CLOCK {
	return &CLOCK{places: newPlaces(entries), keys: make([]uint64, 0, entries),
		used: make([]uint64, (entries+63)/64)}
}

// Touch looks a key up and marks it as used.
func (c *CLOCK) Touch(key uint64) (hit bool, evicted uint64, full bool) {
	at, entry, ok := c.find(c.keys, key)
	if ok {
		c.used[entry/64] |= 1 << (entry % 64)
		return true, 0, false
	}
	if len(c.keys) < cap(c.keys) {
		c.keys = append(c.keys, key)
		c.slots[at] = uint32(len(c.keys))
		return false, 0, false
	}
	for c.used[c.hand/64]>>(c.hand%64)&1 != 0 {
		c.used[c.hand/64] &^= 1 << (c.hand % 64)
		c.turn()
	}
	entry = uint32(c.hand)
	evicted = c.keys[entry]
	c.remove(c.keys, evicted)
	c.keys[entry] = key
	at, _, _ = c.find(c.keys, key)
	c.slots[at] = entry + 1
	c.turn()
	return false, evicted, true
}

func (c *CLOCK) turn() {
	if c.hand++; c.hand == len(c.keys) {
		c.hand = 0
	}
}

// Bytes returns the memory of the cache.
func (c *CLOCK) Bytes() int { return 8*cap(c.keys) + 8*len(c.used) + 4*len(c.slots) }

// Ways is a cache of many small ones. A key belongs to one line of 8 keys, which a processor reads
// as 64 bytes. The line evicts its least recently used key. So an entry takes only its 8 bytes, a
// third of an LRU entry, for about the same hits.
type Ways struct {
	lines [][waysOfLine]uint64 // newest first; 0: free
}

const waysOfLine = 8

// NewWays returns a cache of some entries, rounded up to a multiple of 8.
func NewWays(entries int) *Ways {
	if entries < 1 {
		panic(fmt.Sprintf("seen: no cache of %d entries", entries))
	}
	return &Ways{make([][waysOfLine]uint64, (entries+waysOfLine-1)/waysOfLine)}
}

// Touch looks a key up and makes it the newest of its line. The key 0 is never kept.
func (c *Ways) Touch(key uint64) (hit bool, evicted uint64, full bool) {
	if key == 0 {
		return false, 0, false
	}
	hi, _ := bits.Mul64(key, uint64(len(c.lines)))
	line, moved := &c.lines[hi], key
	for i := range line {
		line[i], moved = moved, line[i]
		switch moved {
		case key:
			return true, 0, false
		case 0:
			return false, 0, false
		}
	}
	return false, moved, true
}

// Bytes returns the memory of the cache.
func (c *Ways) Bytes() int { return 8 * waysOfLine * len(c.lines) }
