package sitegraph

import (
	"fmt"
	"maps"
	"slices"

	"github.com/recrawl/recrawl/sitegraph/arena"
)

// PageID and ServerID are dense numbers in order of first appearance, from 0.
type (
	PageID   int32
	ServerID int32
	dirID    int32
)

// NoPage is the PageID of no page.
const NoPage PageID = -1

// MaxDepth is the depth of the deepest page that counts: the start page has depth 1 and
// at most 11 links are followed from it [LINK 3.1].
const MaxDepth = 12

// Graph is the in-server link graph of all known pages, made of the last snapshot of each. Links to
// other servers are dropped. Its data of a page is in columns, one entry a page, so that a search
// along links touches a byte or two of each page.
type Graph struct {
	addresses addresses
	links     lists
	frames    map[PageID][]PageID // few pages have any
	server    []ServerID
	dir       []dirID
	place     []int32 // index in its server's pages
	depth     []int8  // 1..MaxDepth; 0: not reached
	servers   []server
	resolved  []PageID    // for SetLinks
	file      *arena.File // nil: all is in memory
}

type server struct {
	start   []PageID // its start pages
	pages   []PageID // in order of appearance
	stale   bool     // links changed since depths were computed
	version int      // counts changes of depths or links; partitions are cached by it
}

// NewGraph returns an empty graph, in memory.
func NewGraph() *Graph { return NewGraphIn(nil) }

// NewGraphIn returns an empty graph that keeps addresses and links in a scratch file, except the
// last ones; nil: in memory. Nobody else may use the file.
func NewGraphIn(file *arena.File) *Graph {
	g := &Graph{addresses: newAddresses(file), file: file}
	g.links.file = file
	return g
}

// Release releases memory of the scratch file between rounds. Lists that Links returned before are
// no longer valid if the links of their page were replaced since.
func (g *Graph) Release() { g.file.Release() }

const (
	// manyPages is the number of pages from which it pays to keep memory small.
	manyPages = 1_000_000
	// shownPerPage bounds the bytes of scratch files in memory by page, at least leastShown. A few
	// more come in while they are released. With at most 65 of the heap, in the second round of a
	// process that read all records, that is less than 100 bytes a page. With fewer bytes visits
	// take longer, as they read released data again.
	shownPerPage = 28
	leastShown   = 512 << 20
)

// SpareMemory bounds the memory of the scratch file from now on, for a graph that has or will have
// some pages.
func (g *Graph) SpareMemory(pages int) {
	if g.file != nil && pages >= manyPages {
		g.file.Watch(max(leastShown, int64(pages)*shownPerPage))
	}
}

// Scratch returns the scratch file of the graph, for other data of its pages; nil: none.
func (g *Graph) Scratch() *arena.File { return g.file }

// Pages returns the number of known pages.
func (g *Graph) Pages() int { return len(g.depth) }

// Servers returns the number of known servers.
func (g *Graph) Servers() int { return len(g.servers) }

// Lookup returns the page with this canonical address.
func (g *Graph) Lookup(url string) (PageID, bool) {
	return g.addresses.findPage(url, g.addresses.hash(url))
}

// LookupServer returns the server with this name (host[:port]).
func (g *Graph) LookupServer(name string) (ServerID, bool) {
	return g.addresses.findServer(name, g.addresses.hash(name))
}

// Add makes a canonical address known and returns its page, the same one each time. It keeps a
// copy, since the caller's string may hold a whole page alive. It panics at 2^31 pages or when an
// address is 16 MiB long.
func (g *Graph) Add(url string) PageID { return g.add(url, g.addresses.hash(url)) }

func (g *Graph) add(url string, hash uint64) PageID {
	if p, ok := g.addresses.findPage(url, hash); ok {
		return p
	}
	p := g.addresses.addPage(url, hash)
	s, added := g.addresses.serverOf(p)
	if added {
		g.servers = append(g.servers, server{stale: true})
	}
	sv := &g.servers[s]
	g.server = arena.Append(g.file, g.server, s)
	g.dir = arena.Append(g.file, g.dir, g.addresses.directoryOf(p))
	g.place = arena.Append(g.file, g.place, int32(len(sv.pages)))
	g.depth = arena.Append(g.file, g.depth, 0)
	g.links.addPage()
	sv.pages = arena.Append(nil, sv.pages, p)
	return p
}

// AddStart makes url a start page of its server: depth 1.
func (g *Graph) AddStart(url string) PageID {
	p := g.Add(url)
	g.MakeStart(p)
	return p
}

// MakeStart makes a page a start page of its server.
func (g *Graph) MakeStart(p PageID) {
	s := &g.servers[g.server[p]]
	// A start page always has depth 1, and so have its frames. Searching the others takes long if
	// an import names a hundred thousand of one server.
	if g.depth[p] != 1 || !slices.Contains(s.start, p) {
		s.start = append(s.start, p)
		s.stale = true
		g.depth[p] = 1
	}
}

// URL returns the canonical address of a page.
func (g *Graph) URL(p PageID) string { return g.addresses.url(p) }

// Server returns the server of a page.
func (g *Graph) Server(p PageID) ServerID { return g.server[p] }

// ServerName returns the name of a server, host[:port].
func (g *Graph) ServerName(s ServerID) string { return g.addresses.names[s] }

// ServerPages returns the pages of a server in order of appearance. The caller must not change it.
func (g *Graph) ServerPages(s ServerID) []PageID { return g.servers[s].pages }

// StartPages returns the start pages of a server. The caller must not change it.
func (g *Graph) StartPages(s ServerID) []PageID { return g.servers[s].start }

// Directory returns the number of a page's directory, which all its pages share.
func (g *Graph) Directory(p PageID) int32 { return int32(g.dir[p]) }

// SameDirectory reports whether two pages are in one directory of one server.
func (g *Graph) SameDirectory(p, q PageID) bool { return g.dir[p] == g.dir[q] }

// Links returns the in-server out-links of the last snapshot of p. The caller must not change it.
// It stays as it is when links are replaced.
func (g *Graph) Links(p PageID) []PageID { return g.links.at(p) }

// Frames returns those links of p that are frame sources, likewise.
func (g *Graph) Frames(p PageID) []PageID { return g.frames[p] }

// Depth returns 1 for a start page and one more for each link on the shortest path from one; 0 for
// a page that is not reached within MaxDepth. Between a change of links and the next Refresh, pages
// keep their old depth and new ones have a provisional one.
func (g *Graph) Depth(p PageID) int { return int(g.depth[p]) }

// Clone returns a graph that shares the text of addresses and the lists of links, which never
// change in place. It costs about 16 bytes a page at once. Columns that only grow are copied by the
// first graph that adds a page.
func (g *Graph) Clone() *Graph {
	c := &Graph{addresses: g.addresses.clone(), links: g.links.clone(),
		frames: maps.Clone(g.frames),
		server: slices.Clip(g.server), dir: slices.Clip(g.dir), place: slices.Clip(g.place),
		depth: slices.Clone(g.depth), servers: slices.Clone(g.servers)}
	for i := range c.servers {
		s := &c.servers[i]
		s.start, s.pages = slices.Clip(s.start), slices.Clip(s.pages)
	}
	return c
}

func (g *Graph) check(s ServerID) {
	if g.servers[s].stale {
		panic(fmt.Sprintf("sitegraph: depths of %q asked for before Refresh", g.ServerName(s)))
	}
}
