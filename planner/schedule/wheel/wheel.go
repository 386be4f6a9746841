// Package wheel orders items by the moments at which they are due: a hierarchical timing wheel
// (Varghese and Lauck 1987), a calendar queue without a heap.
//
// Items are small numbers. Insert and Remove take constant time, and an item moves at most seven
// times before it is due. A wheel holds 16 bytes an item and allocates nothing once it has grown to
// the largest item. Items that are due at the same tick come in an order that depends on nothing
// but the calls made. A Wheel is used by one goroutine.
package wheel

import (
	"fmt"
	"math/bits"
	"slices"
)

const (
	slotBits = 8
	slots    = 1 << slotBits
	levels   = 8 // 64 bits of ticks
	none     = -1
	// Where an item is the first of its slot, prev is the slot, and this marks it. Items that are
	// in no slot have absent.
	firstOf = -3
	absent  = -2
)

type node struct {
	at         int64
	next, prev int32
}

// Wheel holds items with the tick at which each is due. Make one with New.
type Wheel struct {
	now   int64
	count int
	nodes []node
	heads [levels * slots]int32
	used  [levels][slots / 64]uint64
}

// New returns an empty wheel that stands at tick 0.
func New() *Wheel {
	w := &Wheel{}
	for i := range w.heads {
		w.heads[i] = none
	}
	return w
}

// Grow makes room for the items below n.
func (w *Wheel) Grow(n int) {
	for len(w.nodes) < n {
		w.nodes = append(w.nodes, node{next: none, prev: absent})
	}
}

// Len is how many items are in the wheel.
func (w *Wheel) Len() int { return w.count }

// Has reports whether an item is in the wheel.
func (w *Wheel) Has(item int32) bool {
	return int(item) < len(w.nodes) && w.nodes[item].prev != absent
}

// Insert adds an item that is due at a tick; one that has passed is due at once. It panics if the
// item is in the wheel already.
func (w *Wheel) Insert(item int32, at int64) {
	w.Grow(int(item) + 1)
	if w.nodes[item].prev != absent {
		panic(fmt.Sprintf("wheel: item %d is inserted twice", item))
	}
	w.nodes[item].at = at
	w.count++
	w.put(item)
}

func (w *Wheel) put(item int32) {
	n := &w.nodes[item]
	at := max(n.at, w.now)
	level := 0
	if x := uint64(at ^ w.now); x != 0 {
		level = (bits.Len64(x) - 1) / slotBits
	}
	in := int(at>>(level*slotBits)) & (slots - 1)
	slot := level*slots + in
	first := w.heads[slot]
	n.next, n.prev = first, int32(firstOf-slot)
	if first != none {
		w.nodes[first].prev = item
	}
	w.heads[slot] = item
	w.used[level][in/64] |= 1 << (in % 64)
}

// Remove takes an item out, if it is in.
func (w *Wheel) Remove(item int32) {
	if !w.Has(item) {
		return
	}
	n := &w.nodes[item]
	if n.next != none {
		w.nodes[n.next].prev = n.prev
	}
	if n.prev > absent {
		w.nodes[n.prev].next = n.next
	} else {
		slot := firstOf - int(n.prev)
		w.heads[slot] = n.next
		if n.next == none {
			in := slot % slots
			w.used[slot/slots][in/64] &^= 1 << (in % 64)
		}
	}
	n.next, n.prev = none, absent
	w.count--
}

// first is the first slot in use of a level, from one on; slots if there is none.
func (w *Wheel) first(level, from int) int {
	if from >= slots {
		return slots
	}
	word := from / 64
	if b := w.used[level][word] >> (from % 64); b != 0 {
		return from + bits.TrailingZeros64(b)
	}
	for word++; word < slots/64; word++ {
		if b := w.used[level][word]; b != 0 {
			return word*64 + bits.TrailingZeros64(b)
		}
	}
	return slots
}

// earliest is the first slot that holds something, and when it begins.
func (w *Wheel) earliest() (level, in int, start int64, ok bool) {
	if w.count == 0 {
		return 0, 0, 0, false
	}
	for level = range levels {
		at := int(w.now>>(level*slotBits)) & (slots - 1)
		if level > 0 {
			at++ // the slot that now is in was shared out among those below
		}
		if in = w.first(level, at); in < slots {
			shift := level * slotBits
			block := w.now >> shift >> slotBits << slotBits << shift
			return level, in, block | int64(in)<<shift, true
		}
	}
	panic("wheel: items in no slot")
}

// Next is a tick before which nothing is due; false: the wheel is empty. It is exact where an item
// is due within 256 ticks of the last Pop, and else at most the first item's due tick.
func (w *Wheel) Next() (int64, bool) {
	_, _, start, ok := w.earliest()
	return start, ok
}

// Pop takes out an item that is due by now, the earliest first; false: none is. Now must not
// decrease from call to call.
func (w *Wheel) Pop(now int64) (int32, bool) {
	for {
		level, in, start, ok := w.earliest()
		if !ok || start > now {
			w.now = max(w.now, now)
			return 0, false
		}
		w.now = max(w.now, start)
		slot := level*slots + in
		item := w.heads[slot]
		if level == 0 {
			w.Remove(item)
			return item, true
		}
		w.heads[slot] = none
		w.used[level][in/64] &^= 1 << (in % 64)
		for item != none {
			next := w.nodes[item].next
			w.put(item)
			item = next
		}
	}
}

// Reserve makes room for so many more items without growing beyond them.
func (w *Wheel) Reserve(n int) { w.nodes = slices.Grow(w.nodes, n) }
