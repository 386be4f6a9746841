package sitegraph

// maxHops bounds the redirects that a link is followed through, like those of a crawl.
const maxHops = 5

// Through returns the page that a link to p shows: p itself, or the target of its redirects. counts
// reports whether a page has a copy; nil: all have one.
//
// Nothing marks a redirecting page in the graph. But a reached page without a copy that has a link
// redirects there: pages that are gone or excluded have no links, and new ones none yet.
func (g *Graph) Through(p PageID, counts func(PageID) bool) PageID {
	for range maxHops {
		links := g.Links(p)
		if counts == nil || g.depth[p] == 0 || len(links) != 1 || counts(p) {
			break
		}
		p = links[0]
	}
	return p
}
