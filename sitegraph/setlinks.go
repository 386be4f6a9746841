package sitegraph

import (
	"slices"
	"strings"
)

// SetLinks replaces the in-server out-links of p, and drops other links. frames are the links that
// are frame sources. It returns the pages that became known by this call. Addresses must be
// canonical.
func (g *Graph) SetLinks(p PageID, links, frames []string) (added []PageID) {
	known := PageID(g.Pages())
	g.resolved = g.resolve(g.resolved[:0], p, links)
	n := len(g.resolved)
	g.resolved = g.resolve(g.resolved, p, frames)
	for id := known; id < PageID(g.Pages()); id++ {
		added = append(added, id)
	}
	g.SetLinkIDs(p, g.resolved[:n], g.resolved[n:])
	return added
}

// SetLinkIDs is SetLinks for known pages. The graph keeps no slice of the caller. It panics at 2^24
// links of a page.
func (g *Graph) SetLinkIDs(p PageID, links, frames []PageID) {
	if slices.Equal(g.Links(p), links) && slices.Equal(g.Frames(p), frames) {
		return
	}
	g.links.set(p, links)
	g.setFrames(p, frames)
	g.servers[g.server[p]].stale = true
	g.reach(frames, g.depth[p], g.depth[p] == 1)
	g.reach(links, g.depth[p], false)
}

func (g *Graph) setFrames(p PageID, frames []PageID) {
	switch {
	case slices.Equal(g.frames[p], frames):
	case len(frames) == 0:
		delete(g.frames, p)
	default:
		if g.frames == nil {
			g.frames = map[PageID][]PageID{}
		}
		g.frames[p] = slices.Clone(frames)
	}
}

// reach gives pages without a depth a provisional one until the next Refresh, so that a crawl can
// follow links within one round. Breadth-first, it is the exact one.
func (g *Graph) reach(pages []PageID, from int8, framesOfStart bool) {
	if from == 0 || from == MaxDepth {
		return
	}
	depth := from + 1
	if framesOfStart {
		depth = 1
	}
	for _, p := range pages {
		if g.depth[p] == 0 {
			g.depth[p] = depth
		}
	}
}

// resolve appends the pages on the server of p with these addresses, without p itself.
func (g *Graph) resolve(ids []PageID, p PageID, urls []string) []PageID {
	name := g.ServerName(g.server[p])
	own := schemeAndServer(g.URL(p))
	var guesses [64]guess // more do not reduce the time
	for some := range slices.Chunk(urls, len(guesses)) {
		g.addresses.guess(guesses[:], some)
		for i, url := range some {
			if !begins(url, own) && ServerName(url) != name { // most have the same scheme
				continue
			}
			id := guesses[i].page
			if id == NoPage || g.URL(id) != url {
				id = g.add(url, guesses[i].hash)
			}
			if id != p {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// schemeAndServer returns the beginning of an address up to its server; empty if there is none.
func schemeAndServer(url string) string {
	name := ServerName(url)
	if name == "" {
		return ""
	}
	return url[:strings.Index(url, "://")+len("://")+len(name)]
}

// begins reports whether an address begins with this scheme and server.
func begins(url, own string) bool {
	if own == "" || !strings.HasPrefix(url, own) {
		return false
	}
	rest := url[len(own):]
	return rest == "" || rest[0] == '/' || rest[0] == '?' || rest[0] == '#'
}
