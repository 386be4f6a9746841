package sitegraph

import (
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"strings"
	"unsafe"

	"github.com/dchest/siphash"

	"github.com/recrawl/recrawl/sitegraph/arena"
)

// addresses numbers pages, directories and servers by their text. A directory is kept as its first
// page, whose address begins with it: it needs no text of its own.
type addresses struct {
	// No site can predict which addresses collide. The seed cannot be given to another process, so
	// a graph with a scratch file, which may be kept, has a key and a slower hash.
	seed   maphash.Seed
	key    [2]uint64
	text   texts
	of     []ref // by page
	byURL  table
	inDir  []PageID // by directory: its first page
	byDir  table
	names  []string // by server
	byName table
}

func newAddresses(file *arena.File) (a addresses) {
	a.seed = maphash.MakeSeed()
	if a.text.file = file; file != nil {
		a.key = [2]uint64{rand.Uint64(), rand.Uint64() | 1} // 0 means none
		a.byURL.file = file
	}
	return a
}

func (a *addresses) hash(s string) uint64 {
	if a.key[1] == 0 {
		return maphash.String(a.seed, s)
	}
	// which only reads
	return siphash.Hash(a.key[0], a.key[1], unsafe.Slice(unsafe.StringData(s), len(s)))
}

func (a *addresses) url(p PageID) string { return a.text.at(a.of[p]) }

func (a *addresses) directory(d dirID) string { return Directory(a.url(a.inDir[d])) }

func (a *addresses) findPage(url string, hash uint64) (PageID, bool) {
	n, ok := a.byURL.find(hash, func(n int32) bool { return a.url(PageID(n)) == url })
	return PageID(n), ok
}

// guess is the probable place of an address.
type guess struct {
	hash uint64
	page PageID // NoPage: none
	at   ref
}

// guess finds the probable places of the next addresses, all at each step, so that the processor
// waits for memory a few times and not three times for each address.
func (a *addresses) guess(guesses []guess, urls []string) {
	for i, url := range urls {
		hash := a.hash(url)
		n, ok := a.byURL.find(hash, func(int32) bool { return true })
		if !ok {
			n = int32(NoPage)
		}
		guesses[i] = guess{hash: hash, page: PageID(n)}
	}
	for i := range urls {
		if g := &guesses[i]; g.page != NoPage {
			g.at = a.of[g.page]
		}
	}
	for i, url := range urls {
		g := &guesses[i]
		if g.page == NoPage {
			continue
		}
		text := a.text.at(g.at)
		if n := len(text); n != len(url) || n > 0 && text[n-1] != url[n-1] {
			g.page = NoPage
		}
	}
}

// addPage gives an unknown page the next number.
func (a *addresses) addPage(url string, hash uint64) PageID {
	at := a.text.add(url)
	p := PageID(a.byURL.add(hash, func(n int32) uint64 { return a.hash(a.url(PageID(n))) }))
	a.of = arena.Append(a.text.file, a.of, at)
	return p
}

// directoryOf returns the directory of a page that was just added.
func (a *addresses) directoryOf(p PageID) dirID {
	dir := Directory(a.url(p))
	hash := a.hash(dir)
	if n, ok := a.byDir.find(hash, func(n int32) bool { return a.directory(dirID(n)) == dir }); ok {
		return dirID(n)
	}
	a.inDir = arena.Append(nil, a.inDir, p)
	return dirID(a.byDir.add(hash, func(n int32) uint64 { return a.hash(a.directory(dirID(n))) }))
}

func (a *addresses) findServer(name string, hash uint64) (ServerID, bool) {
	n, ok := a.byName.find(hash, func(n int32) bool { return a.names[n] == name })
	return ServerID(n), ok
}

// serverOf returns the server of a page that was just added, and whether it is new.
func (a *addresses) serverOf(p PageID) (s ServerID, added bool) {
	name := ServerName(a.url(p))
	hash := a.hash(name)
	if s, ok := a.findServer(name, hash); ok {
		return s, false
	}
	a.names = append(a.names, strings.Clone(name)) // must not keep the chunk of its page
	return ServerID(a.byName.add(hash, func(n int32) uint64 { return a.hash(a.names[n]) })), true
}

// clone returns addresses that share all present text. Columns that only grow are shared without
// room to grow, so that the first graph that adds makes a copy.
func (a *addresses) clone() addresses {
	c := *a
	c.text = texts{chunks: slices.Clone(a.text.chunks), total: a.text.total}
	c.of, c.inDir, c.names = slices.Clip(a.of), slices.Clip(a.inDir), slices.Clip(a.names)
	for _, t := range []*table{&c.byURL, &c.byDir, &c.byName} {
		t.slots, t.file = slices.Clone(t.slots), nil
	}
	return c
}
