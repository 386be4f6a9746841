package sitegraph

// PartitionServer makes one site of the counted pages of a server: what a divided server is
// to be compared with. Its tops are the start pages and their frames; where none counts, the
// page of least depth, most in-links, shortest address. Needs Refresh.
func (g *Graph) PartitionServer(s ServerID, counts func(PageID) bool) Partition {
	g.check(s)
	l := g.list(s, counts)
	return l.partition("server", make([]int32, len(l.pages)), 1)
}
