package sitegraph

import (
	"fmt"
	"math"

	"github.com/recrawl/recrawl/sitegraph/arena"
)

// table finds the dense numbers 0, 1, 2, ... of things (pages, directories, servers) by a hash of
// their text, which is kept elsewhere: 4 bytes a slot, at most three quarters of them used, so 5.3
// to 10.7 bytes a thing. Each of n slots has a number plus one in its low log2(n) bits, and bits of
// the hash above, so that a text is seldom read in vain. The zero table is empty.
type table struct {
	slots []uint32 // a power of two of them; 0: free
	used  int
	file  *arena.File `state:"-"` // where slots are; nil: in memory
}

const minSlots = 16

// find returns the number added with this hash for which same holds.
func (t *table) find(hash uint64, same func(n int32) bool) (int32, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	last := uint64(len(t.slots) - 1)
	low := uint32(last) // the bits of a number
	tag := uint32(hash>>32) &^ low
	for i := hash & last; t.slots[i] != 0; i = (i + 1) & last {
		if slot := t.slots[i]; slot&^low == tag && same(int32(slot&low-1)) {
			return int32(slot&low - 1), true
		}
	}
	return 0, false
}

// add returns the next number, to be found by this hash from now on. hashOf tells the hashes of
// the numbers added before: all of them are asked for, in order, when the table doubles.
func (t *table) add(hash uint64, hashOf func(n int32) uint64) int32 {
	if t.used > math.MaxInt32 {
		panic(fmt.Sprintf("sitegraph: no number for more than %d pages, directories or servers",
			t.used))
	}
	if (t.used+1)*4 > len(t.slots)*3 {
		n := max(minSlots, 2*len(t.slots))
		if t.file == nil {
			t.slots = make([]uint32, n)
		} else {
			clear(t.slots)
			t.slots = arena.Grow(t.file, t.slots, n)
		}
		for n := range t.used {
			t.insert(hashOf(int32(n)), int32(n))
		}
	}
	n := int32(t.used)
	t.insert(hash, n)
	t.used++
	return n
}

func (t *table) insert(hash uint64, n int32) {
	last := uint64(len(t.slots) - 1)
	i := hash & last
	for t.slots[i] != 0 {
		i = (i + 1) & last
	}
	t.slots[i] = uint32(hash>>32)&^uint32(last) | uint32(n) + 1
}
