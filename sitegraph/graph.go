package sitegraph

import (
	"fmt"
	"slices"
	"strings"
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

// Graph is the in-server link graph of all known pages, made of the last snapshot of
// each. Links to other servers are dropped.
type Graph struct {
	pages   []node
	servers []server
	byURL   map[string]PageID
	byName  map[string]ServerID
	byDir   map[string]dirID // directory address -> number
}

type node struct {
	url    string
	server ServerID
	dir    dirID
	place  int32 // in its server's pages
	depth  int8  // 1..MaxDepth; 0: not reached
	links  []PageID
	frames []PageID
}

type server struct {
	name    string
	start   []PageID // where it is entered
	pages   []PageID // in order of appearance
	stale   bool     // links changed since depths were computed
	version int      // counts changes of depths or links; partitions are cached by it
}

// NewGraph returns an empty graph.
func NewGraph() *Graph {
	return &Graph{byURL: map[string]PageID{}, byName: map[string]ServerID{}, byDir: map[string]dirID{}}
}

// Pages returns the number of known pages.
func (g *Graph) Pages() int { return len(g.pages) }

// Servers returns the number of known servers.
func (g *Graph) Servers() int { return len(g.servers) }

// Lookup returns the page with this canonical address.
func (g *Graph) Lookup(url string) (PageID, bool) {
	p, ok := g.byURL[url]
	return p, ok
}

// LookupServer returns the server with this name (host[:port]).
func (g *Graph) LookupServer(name string) (ServerID, bool) {
	s, ok := g.byName[name]
	return s, ok
}

// Add makes a canonical address known and returns its page, the same one each time.
func (g *Graph) Add(url string) PageID {
	if p, ok := g.byURL[url]; ok {
		return p
	}
	url = strings.Clone(url) // the caller's string may hold a whole page alive
	p := PageID(len(g.pages))
	s := g.addServer(ServerName(url))
	g.pages = append(g.pages, node{url: url, server: s, dir: g.addDirectory(Directory(url)), place: int32(len(g.servers[s].pages))})
	g.byURL[url] = p
	g.servers[s].pages = append(g.servers[s].pages, p)
	return p
}

func (g *Graph) addServer(name string) ServerID {
	if s, ok := g.byName[name]; ok {
		return s
	}
	s := ServerID(len(g.servers))
	name = strings.Clone(name)
	g.servers = append(g.servers, server{name: name, stale: true})
	g.byName[name] = s
	return s
}

func (g *Graph) addDirectory(dir string) dirID {
	if d, ok := g.byDir[dir]; ok {
		return d
	}
	d := dirID(len(g.byDir))
	g.byDir[dir] = d // dir is a part of the page's own address: no copy
	return d
}

// AddStart makes url a start page of its server: depth 1.
func (g *Graph) AddStart(url string) PageID {
	p := g.Add(url)
	s := &g.servers[g.pages[p].server]
	if !slices.Contains(s.start, p) {
		s.start = append(s.start, p)
		s.stale = true
		g.pages[p].depth = 1
	}
	return p
}

// SetLinks replaces the out-links of p, in-server ones only; the others are dropped.
// frames are those of the links that are frame sources. It returns the pages that became
// known by this call. Addresses must be canonical.
func (g *Graph) SetLinks(p PageID, links, frames []string) (added []PageID) {
	known := PageID(len(g.pages))
	linkIDs := g.resolve(p, links)
	frameIDs := g.resolve(p, frames)
	for id := known; id < PageID(len(g.pages)); id++ {
		added = append(added, id)
	}
	g.SetLinkIDs(p, linkIDs, frameIDs)
	return added
}

// SetLinkIDs is SetLinks for pages already known. The graph keeps the slices.
func (g *Graph) SetLinkIDs(p PageID, links, frames []PageID) {
	n := &g.pages[p]
	if slices.Equal(n.links, links) && slices.Equal(n.frames, frames) {
		return
	}
	n.links, n.frames = links, frames
	g.servers[n.server].stale = true
	g.reach(frames, n.depth, n.depth == 1)
	g.reach(links, n.depth, false)
}

// reach gives pages without a depth a provisional one until the next Refresh, so that a
// crawl can follow links within one round. Found breadth-first, it is the exact one.
func (g *Graph) reach(pages []PageID, from int8, framesOfStart bool) {
	if from == 0 || from == MaxDepth {
		return
	}
	depth := from + 1
	if framesOfStart {
		depth = 1
	}
	for _, p := range pages {
		if g.pages[p].depth == 0 {
			g.pages[p].depth = depth
		}
	}
}

func (g *Graph) resolve(p PageID, urls []string) []PageID {
	if len(urls) == 0 {
		return nil
	}
	own := g.pages[p].server
	name := g.servers[own].name
	ids := make([]PageID, 0, len(urls))
	for _, url := range urls {
		id, ok := g.byURL[url]
		if !ok {
			if ServerName(url) != name {
				continue
			}
			id = g.Add(url)
		} else if g.pages[id].server != own {
			continue
		}
		if id != p {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return slices.Clip(ids)
}

// URL returns the canonical address of a page.
func (g *Graph) URL(p PageID) string { return g.pages[p].url }

// Server returns the server of a page.
func (g *Graph) Server(p PageID) ServerID { return g.pages[p].server }

// ServerName returns the name of a server, host[:port].
func (g *Graph) ServerName(s ServerID) string { return g.servers[s].name }

// ServerPages returns the pages of a server in order of appearance. Do not change it.
func (g *Graph) ServerPages(s ServerID) []PageID { return g.servers[s].pages }

// StartPages returns the start pages of a server. Do not change it.
func (g *Graph) StartPages(s ServerID) []PageID { return g.servers[s].start }

// SameDirectory reports whether two pages are in one directory of one server.
func (g *Graph) SameDirectory(p, q PageID) bool { return g.pages[p].dir == g.pages[q].dir }

// Links returns the in-server out-links of the last snapshot of p. Do not change it.
func (g *Graph) Links(p PageID) []PageID { return g.pages[p].links }

// Frames returns those links of p that are frame sources. Do not change it.
func (g *Graph) Frames(p PageID) []PageID { return g.pages[p].frames }

// Depth returns 1 for a start page and one more for each link on the shortest path from
// one; 0 for a page that is not reached within MaxDepth. Between a change of links and the
// next Refresh, pages keep their old depth and new ones have a provisional one.
func (g *Graph) Depth(p PageID) int { return int(g.pages[p].depth) }

// Clone returns a graph that shares addresses and link slices, which are never changed
// in place, and nothing else.
func (g *Graph) Clone() *Graph {
	c := &Graph{pages: slices.Clone(g.pages), servers: slices.Clone(g.servers),
		byURL: make(map[string]PageID, len(g.byURL)), byName: make(map[string]ServerID, len(g.byName)),
		byDir: make(map[string]dirID, len(g.byDir))}
	for i := range c.servers {
		c.servers[i].start = slices.Clone(c.servers[i].start)
		c.servers[i].pages = slices.Clone(c.servers[i].pages)
	}
	for k, v := range g.byURL {
		c.byURL[k] = v
	}
	for k, v := range g.byName {
		c.byName[k] = v
	}
	for k, v := range g.byDir {
		c.byDir[k] = v
	}
	return c
}

func (g *Graph) check(s ServerID) {
	if g.servers[s].stale {
		panic(fmt.Sprintf("sitegraph: depths of %q asked for before Refresh", g.servers[s].name))
	}
}
