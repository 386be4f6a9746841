package sitegraph

// PartitionCommunity divides a server by its links alone: its sites are the communities of the link
// graph, groups of pages that link to each other more than by chance. It needs no directories.
//
// A link weighs 1 / in-links of its target, so that the links to every page weigh 1 together. A
// link on one page in a thousand shows that two pages belong together. A link on every page shows
// nothing, so that a menu does not join a server into one community [Zhou, Lü and Zhang 2009,
// resource allocation]. The direction of links is ignored.
//
// Louvain's method finds communities by modularity, visiting pages in the order of their addresses:
// the sites do not depend on the order of discovery of pages or links. Enough pages are the square
// root of the server's. Communities with less than half of that join one that they have links with.
// On 45 servers, that lost no knowledge of which pages change together, and saved a third of the
// tops. Pages without a link from or to a counted page join the start pages. Tops, counted pages,
// and the order of sites are as in PartitionPrefix. Needs Refresh.
func (g *Graph) PartitionCommunity(s ServerID, counts func(PageID) bool) Partition {
	g.check(s)
	l := g.list(s, counts)
	links := l.clustering()
	community, graph := links.communities(max(leastSite, enough(len(l.pages))/2))
	home := int32(-1)
	for i, p := range l.pages {
		if l.Depth(p) == 1 {
			home = community[i]
			break
		}
	}
	for i := range community {
		if links.strength[i] > 0 {
			continue
		}
		if home < 0 {
			home = community[i]
		}
		community[i] = home
	}
	in := make([]int32, len(l.pages))
	for i := range in {
		in[i] = int32(len(links.in.of(i)))
	}
	return Partition{Server: s, Method: "community", Sites: l.sites(community, graph.nodes(), in)}
}
