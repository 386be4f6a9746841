package sitegraph

import (
	"slices"
	"unsafe"

	"github.com/recrawl/recrawl/sitegraph/arena"
)

// lists keeps a list of pages for each page, in chunks shared by several lists. A returned list
// never changes, since a chunk is only written where no list was before. Replaced lists stay in
// their chunk. When a third of a chunk is unused, its remaining lists are copied elsewhere, and the
// garbage collector gets the chunk.
//
// So beside 8 bytes a page, lists take at most 1.5 times their own bytes, including 4 for their
// page, and the chunk being filled. A list that a caller or a clone keeps holds its whole chunk
// alive, at most 256 KiB except for one very long list.
type lists struct {
	of     []ref       // by page
	chunks []chunk     // the first is empty, for the zero ref
	open   int         // the chunk being filled; 0: none
	front  int         // so far
	free   []int       // numbers of dropped chunks
	sparse []int       // closed chunks to empty; only a clone has some between calls of set
	total  int         // length of all chunks
	file   *arena.File // for full chunks; nil: they stay in memory
}

// chunk has lists at its front and, from its end backwards, the page of each of them.
type chunk struct {
	ids   []PageID
	lists int         // as many pages at its end
	live  int         // ids of current lists, with their pages
	away  arena.Piece // where ids are, if not in memory
}

// isSparse reports whether more than a third of a chunk is unused. A smaller bound would copy more
// often, a larger one would waste more.
func (c *chunk) isSparse() bool { return 3*c.live < 2*len(c.ids) }

// at returns the list of a page, nil if it is empty.
func (l *lists) at(p PageID) []PageID {
	r := l.of[p]
	return l.chunks[r.chunk()].ids[r.offset() : r.offset()+r.length() : r.offset()+r.length()]
}

// addPage gives the next page an empty list.
func (l *lists) addPage() {
	if l.chunks == nil {
		l.chunks = make([]chunk, 1)
	}
	l.of = arena.Append(l.file, l.of, 0)
}

// set replaces the list of a page by a copy of ids.
func (l *lists) set(p PageID, ids []PageID) {
	old := l.of[p]
	l.of[p] = 0
	if old != 0 {
		c := &l.chunks[old.chunk()]
		before := c.isSparse()
		c.live -= old.length() + 1
		if old.chunk() != l.open && !before && c.isSparse() {
			l.sparse = append(l.sparse, old.chunk())
		}
	}
	if len(ids) > 0 {
		l.put(p, ids)
	}
	for len(l.sparse) > 0 { // a chunk comes here once: when a list leaves it, or when it is closed
		last := len(l.sparse) - 1
		c := l.sparse[last]
		l.sparse = l.sparse[:last]
		l.empty(c)
	}
}

// put copies a list to free room.
func (l *lists) put(p PageID, ids []PageID) {
	need := len(ids) + 1
	if ownChunk(need) {
		i := l.newChunk(need)
		l.of[p] = makeRef(i, 0, len(ids))
		c := &l.chunks[i]
		c.lists, c.live = 1, need
		copy(c.ids, ids)
		c.ids[len(ids)] = p
		l.putAway(i)
		return
	}
	c := &l.chunks[l.open]
	if len(c.ids)-l.front-c.lists < need {
		if l.open != 0 {
			if c.isSparse() {
				l.sparse = append(l.sparse, l.open)
			}
			l.putAway(l.open)
		}
		l.open, l.front = l.newChunk(chunkSize(l.total, need)), 0
		c = &l.chunks[l.open]
	}
	l.of[p] = makeRef(l.open, l.front, len(ids))
	l.front += copy(c.ids[l.front:], ids)
	c.lists++
	c.live += need
	c.ids[len(c.ids)-c.lists] = p
}

func (l *lists) newChunk(size int) int {
	l.total += size
	c := chunk{ids: make([]PageID, size)}
	if last := len(l.free) - 1; last >= 0 {
		i := l.free[last]
		l.free = l.free[:last]
		l.chunks[i] = c
		return i
	}
	l.chunks = append(l.chunks, c)
	return len(l.chunks) - 1
}

// empty copies the current lists of a chunk elsewhere and drops it.
func (l *lists) empty(i int) {
	c := l.chunks[i]
	pages := c.ids[len(c.ids)-c.lists:]
	for _, p := range slices.Backward(pages) {
		if r := l.of[p]; r.chunk() == i { // otherwise it was replaced, or just copied
			l.put(p, l.at(p))
		}
	}
	l.total -= len(c.ids)
	l.file.Free(c.away)
	l.chunks[i] = chunk{}
	l.free = append(l.free, i)
}

// putAway moves a full chunk out of memory.
func (l *lists) putAway(i int) {
	c := &l.chunks[i]
	p, ok := l.file.Put(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(c.ids))),
		len(c.ids)*int(unsafe.Sizeof(NoPage))))
	if ok {
		c.ids = unsafe.Slice((*PageID)(unsafe.Pointer(unsafe.SliceData(p.Bytes))), len(c.ids))
		c.away = p
	}
}

// clone returns lists that share the chunks. It starts its own chunk: the original fills the open
// one.
func (l *lists) clone() lists {
	c := lists{of: slices.Clone(l.of), chunks: slices.Clone(l.chunks), free: slices.Clone(l.free),
		sparse: slices.Clone(l.sparse), total: l.total}
	if l.open != 0 && l.chunks[l.open].isSparse() {
		c.sparse = append(c.sparse, l.open)
	}
	for i := range c.chunks { // the original may free its room
		if chunk := &c.chunks[i]; chunk.away.Bytes != nil {
			chunk.ids, chunk.away = slices.Clone(chunk.ids), arena.Piece{}
		}
	}
	return c
}
