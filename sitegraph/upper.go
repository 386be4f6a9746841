package sitegraph

// Uppers returns for each site of a partition its upper sites, as sorted indices. These contain a
// page that links to one of its tops [LINK 4.3], perhaps through a redirect. counts is that of the
// partition. A site is not its own upper site. The relation may be cyclic ("home" links). Use it as
// a fixpoint from the sites of start pages: a site is checked if some checked site whose top
// changed is upper to it.
//
// The relation can be as large as links times the sites a page is in; a check of sites does
// not need it and follows links instead.
func (g *Graph) Uppers(sites []Site, counts func(PageID) bool) [][]int32 {
	topOf := map[PageID][]int32{}
	for i, s := range sites {
		for _, top := range s.Tops {
			topOf[top] = append(topOf[top], int32(i))
		}
	}
	uppers := make([][]int32, len(sites))
	for i, s := range sites {
		for _, pages := range [][]PageID{s.Tops, s.Members} {
			for _, p := range pages {
				for _, q := range g.Links(p) {
					for _, lower := range topOf[g.Through(q, counts)] {
						if last := len(uppers[lower]) - 1; lower != int32(i) &&
							(last < 0 || uppers[lower][last] != int32(i)) {
							// i grows, so they stay sorted
							uppers[lower] = append(uppers[lower], int32(i))
						}
					}
				}
			}
		}
	}
	return uppers
}
