package sitegraph

import (
	"errors"
	"slices"
	"strings"
	"unsafe"

	"github.com/recrawl/recrawl/sitegraph/arena"
)

// Kept is a graph for another process: numbers and texts, and the places of its chunks in the
// scratch file.
type Kept struct {
	seed                  [2]uint64
	of                    []ref
	texts                 []place
	looseTexts            []string // those in memory, in order
	open, total           int
	inDir                 []PageID
	names                 []string
	byURL, byDir, byName  table
	lists                 []ref
	chunks                []keptChunk
	looseIDs              [][]PageID
	openIDs, front        int
	freeIDs, sparse       []int
	totalIDs              int
	frames                map[PageID][]PageID
	server                []ServerID
	dir                   []dirID
	place                 []int32
	depth                 []int8
	starts, pages         []PageID // of all servers, one after the other
	startsUpTo, pagesUpTo []int32  // by server
	stale                 []bool
	version               []int
}

// place is where a chunk is in the scratch file; at -1: in memory.
type place struct {
	at     int64
	length int
}

type keptChunk struct {
	place
	lists, live int
}

// Keep returns the graph for Thaw. It shares the memory of the graph.
func (g *Graph) Keep() *Kept {
	a, l := &g.addresses, &g.links
	k := &Kept{
		seed: a.key, of: a.of, open: a.text.open, total: a.text.total, inDir: a.inDir,
		names: a.names,
		byURL: a.byURL, byDir: a.byDir, byName: a.byName,
		lists: l.of, openIDs: l.open, front: l.front, freeIDs: l.free, sparse: l.sparse,
		totalIDs: l.total,
		frames:   g.frames, server: g.server, dir: g.dir, place: g.place, depth: g.depth,
	}
	for _, text := range a.text.chunks {
		at, ok := g.file.Place(unsafe.Pointer(unsafe.StringData(text)))
		if !ok {
			at = -1
			k.looseTexts = append(k.looseTexts, text)
		}
		k.texts = append(k.texts, place{at, len(text)})
	}
	for i := range l.chunks {
		c := &l.chunks[i]
		of := keptChunk{place{-1, len(c.ids)}, c.lists, c.live}
		if at, ok := g.file.Place(unsafe.Pointer(unsafe.SliceData(c.ids))); ok &&
			c.away.Bytes != nil {
			of.at = at
		} else {
			k.looseIDs = append(k.looseIDs, c.ids)
		}
		k.chunks = append(k.chunks, of)
	}
	for i := range g.servers {
		s := &g.servers[i]
		k.starts, k.pages = append(k.starts, s.start...), append(k.pages, s.pages...)
		k.startsUpTo, k.pagesUpTo = append(k.startsUpTo, int32(len(k.starts))),
			append(k.pagesUpTo, int32(len(k.pages)))
		k.stale, k.version = append(k.stale, s.stale), append(k.version, s.version)
	}
	return k
}

var errKept = errors.New("the graph that was kept does not fit its files")

// Thaw restores a kept graph in an empty one; its scratch file is that of the image. After an error
// the graph is unusable.
func (g *Graph) Thaw(k *Kept, file *arena.File) error {
	if g.Pages() > 0 {
		panic("sitegraph: a graph with pages is to become another one")
	}
	a, l := &g.addresses, &g.links
	g.file, a.text.file, l.file = file, file, file
	a.key, a.of, a.inDir, a.names = k.seed, k.of, k.inDir, k.names
	a.byURL, a.byDir, a.byName = k.byURL, k.byDir, k.byName
	a.byURL.file = file
	if err := a.text.thaw(k); err != nil {
		return err
	}
	if err := l.thaw(k); err != nil {
		return err
	}
	g.frames, g.server, g.dir, g.place, g.depth = k.frames, k.server, k.dir, k.place, k.depth
	n := len(k.stale)
	if len(k.startsUpTo) != n || len(k.pagesUpTo) != n || len(k.version) != n ||
		len(k.names) != n || len(k.pages) != len(k.depth) {
		return errKept
	}
	g.servers = make([]server, n)
	start, page := int32(0), int32(0)
	for i := range g.servers {
		if k.startsUpTo[i] < start || int(k.startsUpTo[i]) > len(k.starts) ||
			k.pagesUpTo[i] < page || int(k.pagesUpTo[i]) > len(k.pages) {
			return errKept
		}
		// Appending must copy: it must not reach into the next one's.
		g.servers[i] = server{
			start: slices.Clip(k.starts[start:k.startsUpTo[i]]),
			pages: slices.Clip(k.pages[page:k.pagesUpTo[i]]),
			stale: k.stale[i], version: k.version[i],
		}
		start, page = k.startsUpTo[i], k.pagesUpTo[i]
	}
	return nil
}

func (t *texts) thaw(k *Kept) error {
	t.open, t.total = k.open, k.total
	loose := k.looseTexts
	t.chunks = make([]string, len(k.texts))
	for i, of := range k.texts {
		switch {
		case of.at >= 0:
			p, ok := t.file.At(of.at, of.length)
			if !ok {
				return errKept
			}
			t.chunks[i] = unsafe.String(unsafe.SliceData(p.Bytes), len(p.Bytes))
		case len(loose) == 0:
			return errKept
		case i == t.open: // it is being filled
			t.tail = strings.Builder{}
			t.tail.Grow(max(chunkSize(t.total, 1), len(loose[0])))
			t.tail.WriteString(loose[0])
			t.chunks[i], loose = t.tail.String(), loose[1:]
		default:
			t.chunks[i], loose = loose[0], loose[1:]
		}
	}
	return nil
}

func (l *lists) thaw(k *Kept) error {
	l.of, l.open, l.front, l.free, l.sparse, l.total = k.lists, k.openIDs, k.front, k.freeIDs,
		k.sparse, k.totalIDs
	loose := k.looseIDs
	l.chunks = make([]chunk, len(k.chunks))
	for i, of := range k.chunks {
		c := chunk{lists: of.lists, live: of.live}
		switch {
		case of.at >= 0:
			p, ok := l.file.At(of.at, of.length*int(unsafe.Sizeof(NoPage)))
			if !ok || of.length == 0 {
				return errKept
			}
			c.ids, c.away = unsafe.Slice((*PageID)(unsafe.Pointer(unsafe.SliceData(p.Bytes))),
				of.length), p
		case len(loose) == 0:
			return errKept
		default:
			c.ids, loose = loose[0], loose[1:]
		}
		l.chunks[i] = c
	}
	return nil
}
