package sitegraph

import "cmp"

// sites makes a site of the pages with the same label, for labels below n; each page has
// one. Start pages and their frames are tops. A site without has one top: its page of least
// depth, of these the one with most in-links, then with the shortest address, then the
// first by address. in counts the in-links of each page.
func (l *listing) sites(label []int32, n int, in []int32) []Site {
	best, starts, pages := make([]int32, n), make([]int32, n), make([]int32, n)
	better := func(i, j int32) bool {
		return cmp.Or(
			cmp.Compare(l.Depth(l.pages[i]), l.Depth(l.pages[j])),
			cmp.Compare(in[j], in[i]),
			cmp.Compare(len(l.paths[i]), len(l.paths[j])),
		) < 0
	}
	for i, s := range label {
		if pages[s] == 0 || better(int32(i), best[s]) {
			best[s] = int32(i)
		}
		pages[s]++
		if l.Depth(l.pages[i]) == 1 {
			starts[s]++
		}
	}
	// The pages of all sites in one piece of memory, each site's tops first.
	all := make([]PageID, len(label))
	site, sites := make([]int32, n), make([]Site, 0, n)
	for s := range n {
		if pages[s] == 0 {
			continue
		}
		tops, size := max(starts[s], 1), pages[s]
		site[s] = int32(len(sites))
		sites = append(sites, Site{Tops: all[:0:tops], Members: all[tops:tops:size]})
		all = all[size:]
	}
	for _, p := range l.ServerPages(l.server) { // ascending, so that tops and members are
		i := l.number(p)
		if i < 0 {
			continue
		}
		s := &sites[site[label[i]]]
		if l.Depth(p) == 1 || starts[label[i]] == 0 && best[label[i]] == i {
			s.Tops = append(s.Tops, p)
		} else {
			s.Members = append(s.Members, p)
		}
	}
	for i := range sites {
		if len(sites[i].Members) == 0 {
			sites[i].Members = nil
		}
	}
	l.sortSites(sites)
	return sites
}

// partition is the sites of a label a page, named by the method.
func (l *listing) partition(method string, label []int32, n int) Partition {
	return Partition{Server: l.server, Method: method, Sites: l.sites(label, n, l.inLinks())}
}
