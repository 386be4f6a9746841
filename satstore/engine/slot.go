package engine

import (
	"cmp"
	"slices"
)

// Classes divide the slots by how long their records stay. Each class has its own run files, so
// that most of a file becomes free at about the same time.
const (
	classNear = 0 // level 0
	classFar  = 1 // all other levels
	classes   = 2
)

type slotKey struct {
	level int
	index int64 // first unit divided by the width of the level
}

// slot has the records due in a span of units: blocks on disk and pages in memory, both in the
// order in which they were written.
type slot struct {
	slotKey
	start  int64 // first unit
	id     uint16
	class  int
	live   int // records whose newest version is here
	blocks [kinds][]uint32
	pages  [kinds][]uint32 // handles; the last page takes new frames
}

// slots finds slots by key. The rings find nearly all. After a long gap of the clock two slots of a
// level can need the same place in its ring; then the map finds them.
type slots struct {
	radix  *radix
	byKey  map[slotKey]*slot
	byID   []*slot
	freeID []uint16
	rings  [][]*slot
}

// maxSlotIDs bounds the slots in use: a block refers to its slot by 16 bits.
const maxSlotIDs = 60_000

func newSlots(r *radix) *slots {
	t := &slots{radix: r, byKey: map[slotKey]*slot{}}
	for _, l := range r.levels {
		t.rings = append(t.rings, make([]*slot, l.Slots))
	}
	return t
}

// of returns the slot of a due unit, by the radix as it is now.
func (t *slots) of(due int64) *slot {
	level := t.radix.level(due)
	return t.get(slotKey{level, due / t.radix.levels[level].Units})
}

// get returns a slot, which may be new.
func (t *slots) get(k slotKey) *slot {
	ring := t.rings[k.level]
	spot := &ring[uint64(k.index)%uint64(len(ring))]
	if sl := *spot; sl != nil && sl.index == k.index {
		return sl
	}
	sl := t.byKey[k]
	if sl == nil {
		sl = &slot{slotKey: k, start: k.index * t.radix.levels[k.level].Units}
		if k.level > 0 {
			sl.class = classFar
		}
		if n := len(t.freeID); n > 0 {
			sl.id = t.freeID[n-1]
			t.freeID = t.freeID[:n-1]
			t.byID[sl.id] = sl
		} else {
			sl.id = uint16(len(t.byID))
			t.byID = append(t.byID, sl)
		}
		t.byKey[k] = sl
	}
	*spot = sl
	return sl
}

// find returns a slot; nil if it does not exist.
func (t *slots) find(level int, index int64) *slot { return t.byKey[slotKey{level, index}] }

// drop forgets an empty slot.
func (t *slots) drop(sl *slot) {
	delete(t.byKey, sl.slotKey)
	ring := t.rings[sl.level]
	if spot := &ring[uint64(sl.index)%uint64(len(ring))]; *spot == sl {
		*spot = nil
	}
	t.byID[sl.id] = nil
	t.freeID = append(t.freeID, sl.id)
}

// ordered returns all slots by level and time.
func (t *slots) ordered() []*slot {
	all := make([]*slot, 0, len(t.byKey))
	for _, sl := range t.byID {
		if sl != nil {
			all = append(all, sl)
		}
	}
	slices.SortFunc(all, func(a, b *slot) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.index, b.index))
	})
	return all
}

// last returns the last unit of a slot.
func (t *slots) last(sl *slot) int64 { return sl.start + t.radix.levels[sl.level].Units - 1 }
