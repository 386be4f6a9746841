package sitegraph

import "slices"

// Site is one unit of a partition of a server. Tops and Members are sorted and disjoint.
type Site struct {
	Tops    []PageID
	Members []PageID
}

// Partition divides the pages of one server into sites.
type Partition struct {
	Server  ServerID
	Method  string
	Sites   []Site
	Orphans []PageID // counted pages in no site; empty for method A
}

// PartitionA groups the counted pages of a server by directory: each directory is a site, and its
// tops are the pages of smallest depth, all of them on a tie [LINK 4.1]. A page counts if it is
// reached within MaxDepth and counts is nil or accepts it. Start pages and their frames have depth
// 1 and so are tops wherever they are. Sites are ordered by the depth of their first top, then by
// its appearance. Needs Refresh.
func (g *Graph) PartitionA(s ServerID, counts func(PageID) bool) Partition {
	g.check(s)
	byDir := make(map[dirID]int)
	var sites []Site
	for _, p := range g.servers[s].pages {
		depth, dir := g.depth[p], g.dir[p]
		if depth == 0 || counts != nil && !counts(p) {
			continue
		}
		i, ok := byDir[dir]
		if !ok {
			i = len(sites)
			byDir[dir] = i
			sites = append(sites, Site{})
		}
		site := &sites[i]
		switch {
		case len(site.Tops) == 0 || depth == g.depth[site.Tops[0]]:
			site.Tops = append(site.Tops, p)
		case depth < g.depth[site.Tops[0]]:
			site.Members = append(site.Members, site.Tops...)
			site.Tops = append(site.Tops[:0:0], p)
		default:
			site.Members = append(site.Members, p)
		}
	}
	for i := range sites {
		slices.Sort(sites[i].Members)
	}
	g.sortSites(sites)
	return Partition{Server: s, Method: "a", Sites: sites}
}

// sortSites orders sites by the depth of their first top, then by its number.
func (g *Graph) sortSites(sites []Site) {
	slices.SortFunc(sites, func(a, b Site) int {
		if d := g.Depth(a.Tops[0]) - g.Depth(b.Tops[0]); d != 0 {
			return d
		}
		return int(a.Tops[0] - b.Tops[0])
	})
}
