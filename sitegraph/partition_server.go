package sitegraph

// PartitionServer makes one site of the counted pages of a server, to be compared with divisions.
// Its tops are the start pages and their frames. If none counts, its top is the page of least
// depth, most in-links, shortest address. Needs Refresh.
func (g *Graph) PartitionServer(s ServerID, counts func(PageID) bool) Partition {
	g.check(s)
	l := g.list(s, counts)
	return l.partition("server", make([]int32, len(l.pages)), 1)
}
