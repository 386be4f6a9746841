package sitegraph

import "slices"

// PartitionB divides a server by its links inside directories [LINK 4.2]:
//
//  1. Candidates are the pages linked from a page of another directory.
//  2. A candidate is the top of a site; its members are the pages of its directory that it
//     links to. With closure they are all pages reached from it inside the directory, up to
//     the next tops.
//  3. A candidate without a child (another page of its directory that it links to) is no top.
//     Instead its parents are tops: the pages of its directory that link to it, those of
//     smallest depth. A candidate without a parent stays, alone in its site.
//
// A link to a redirecting page counts as a link to its target. Start pages and their frames are
// tops of one site, whatever they link to. Sites may overlap; pages in none are Orphans. Counted
// pages, and the order of sites, are as in PartitionA. Needs Refresh.
func (g *Graph) PartitionB(s ServerID, counts func(PageID) bool, closure bool) Partition {
	g.check(s)
	b := divisionB{Graph: g, marks: make([]mark, len(g.servers[s].pages)), counts: counts}
	b.count(s)
	b.findTops(s)
	p := Partition{Server: s, Method: "b"}
	if closure {
		p.Method = "b-closure"
	}
	var start Site // the start pages with their frames: one site
	for _, top := range g.servers[s].pages {
		switch {
		case !b.is(top, topPage):
		case g.depth[top] == 1:
			start.Tops = append(start.Tops, top)
			start.Members = b.members(start.Members, top, closure)
		default:
			p.Sites = append(p.Sites,
				Site{Tops: []PageID{top}, Members: b.members(nil, top, closure)})
		}
	}
	if len(start.Tops) > 0 {
		p.Sites = append(p.Sites, start)
	}
	for i := range p.Sites {
		p.Sites[i].tidy()
	}
	g.sortSites(p.Sites)
	p.Orphans = b.orphans(s)
	return p
}

// divisionB is the work of one PartitionB: a byte of marks for each page of the server.
type divisionB struct {
	*Graph
	marks  []mark
	counts func(PageID) bool
}

type mark uint8

const (
	counted   mark = 1 << iota
	candidate      // linked from another directory
	parent         // has a child
	topPage
	inSite
	visited // in the search for the members of the current top
)

func (b *divisionB) is(p PageID, m mark) bool { return b.marks[b.place[p]]&m != 0 }

func (b *divisionB) set(p PageID, m mark) { b.marks[b.place[p]] |= m }

// count marks the pages that count.
func (b *divisionB) count(s ServerID) {
	for _, p := range b.servers[s].pages {
		if b.depth[p] > 0 && (b.counts == nil || b.counts(p)) {
			b.set(p, counted)
		}
	}
}

// shown returns the page that a link to p shows.
func (b *divisionB) shown(p PageID) PageID {
	if b.is(p, counted) {
		return p
	}
	return b.Through(p, b.counts)
}

// eachLink calls f for each link between counted pages of the server.
func (b *divisionB) eachLink(s ServerID, f func(from, to PageID, sameDirectory bool)) {
	for _, p := range b.servers[s].pages {
		if !b.is(p, counted) {
			continue
		}
		for _, q := range b.Links(p) {
			if q = b.shown(q); q != p && b.is(q, counted) {
				f(p, q, b.dir[p] == b.dir[q])
			}
		}
	}
}

// findTops marks the tops: start pages, candidates with a child, parents of those without.
func (b *divisionB) findTops(s ServerID) {
	b.eachLink(s, func(from, to PageID, sameDirectory bool) {
		if sameDirectory {
			b.set(from, parent)
		} else {
			b.set(to, candidate)
		}
	})
	nearest := map[PageID]int8{} // of a candidate without a child: depth of its nearest parents
	for _, p := range b.servers[s].pages {
		switch {
		case !b.is(p, counted):
		case b.depth[p] == 1 || b.is(p, candidate) && b.is(p, parent):
			b.set(p, topPage)
		case b.is(p, candidate):
			nearest[p] = 0
		}
	}
	if len(nearest) == 0 {
		return
	}
	b.eachLink(s, func(from, to PageID, sameDirectory bool) {
		if depth, childless := nearest[to]; childless && sameDirectory &&
			(depth == 0 || b.depth[from] < depth) {
			nearest[to] = b.depth[from]
		}
	})
	b.eachLink(s, func(from, to PageID, sameDirectory bool) {
		if depth, childless := nearest[to]; childless && sameDirectory && b.depth[from] == depth {
			b.set(from, topPage)
		}
	})
	for p, depth := range nearest {
		if depth == 0 { // no parent
			b.set(p, topPage)
		}
	}
}

// members appends the members of a top.
func (b *divisionB) members(members []PageID, top PageID, closure bool) []PageID {
	b.set(top, visited|inSite)
	first := len(members)
	for next := []PageID{top}; len(next) > 0; {
		p := next[len(next)-1]
		next = next[:len(next)-1]
		for _, q := range b.Links(p) {
			q = b.shown(q)
			if b.dir[q] != b.dir[top] || !b.is(q, counted) || b.is(q, visited) {
				continue
			}
			b.set(q, visited|inSite)
			members = append(members, q)
			if closure && !b.is(q, topPage) {
				next = append(next, q)
			}
		}
	}
	b.marks[b.place[top]] &^= visited
	for _, q := range members[first:] {
		b.marks[b.place[q]] &^= visited
	}
	return members
}

// orphans returns the counted pages in no site.
func (b *divisionB) orphans(s ServerID) []PageID {
	var orphans []PageID
	for _, p := range b.servers[s].pages {
		if b.is(p, counted) && !b.is(p, inSite) {
			orphans = append(orphans, p)
		}
	}
	return orphans
}

// tidy sorts tops and members and removes doubles and tops from the members.
func (s *Site) tidy() {
	slices.Sort(s.Tops)
	slices.Sort(s.Members)
	s.Members = slices.Compact(s.Members)
	s.Members = slices.DeleteFunc(s.Members, func(p PageID) bool {
		_, isTop := slices.BinarySearch(s.Tops, p)
		return isTop
	})
}
