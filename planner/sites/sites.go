package sites

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// divisions names the ways to divide a server into sites: by directories and by links inside
// directories ([LINK 4], methods A and B), by address shapes, and by communities of links.
var divisions = [...]string{"a", "shape", "b-closure", "community"}

const byShape = 1

// divisionKey returns the kind and name of the site for a page that became known since its server
// was divided: its address shape if sites are shapes, else its directory.
func (g *groups) divisionKey(p sitegraph.PageID) (byte, string) {
	url := g.corpus.Graph.URL(p)
	if g.servers[g.corpus.Graph.Server(p)].method == byShape {
		return 's', sitegraph.Shape(url)
	}
	return 'd', sitegraph.Directory(url)
}

// siteOf returns the site with a name, and makes it if there is none.
func (g *groups) siteOf(s sitegraph.ServerID, kind byte, name string) int32 {
	key := sitegraph.GroupKey(kind, s, name)
	i, ok := g.keys[key]
	if !ok {
		i = int32(len(g.sites))
		g.keys[key] = i
		g.sites = append(g.sites, site{server: s, top: sitegraph.NoPage, last: sitegraph.NoPage})
	}
	return i
}

// join puts a page into the ring of a site. Of several tops, the site keeps that with most links.
func (g *groups) join(p sitegraph.PageID, i int32) {
	in, of, links := &g.sites[i], &g.pages[p], g.corpus.Graph.Links
	of.site = i
	in.pages++
	if of.traits&isTop != 0 &&
		(in.top == sitegraph.NoPage || len(links(p)) > len(links(in.top))) {
		in.top = p
	}
	if in.last == sitegraph.NoPage {
		in.last, of.next = p, p
		return
	}
	of.next = g.pages[in.last].next
	g.pages[in.last].next = p
}

// joinAll puts pages into their sites, in the order of their ties, so that the order of discovery
// does not matter. A page without a site gets that of its directory or shape.
func (g *groups) joinAll(pages []sitegraph.PageID) {
	graph := g.corpus.Graph
	directory, i := int32(-1), int32(0)
	keys := make([]uint64, len(pages))
	for k, p := range pages { // pages of a directory are adjacent
		keys[k] = uint64(math.Float32bits(g.ties.Of(p)))<<32 | uint64(p)
		if g.pages[p].site >= 0 {
			continue
		}
		s := graph.Server(p)
		if d := graph.Directory(p); d != directory || g.servers[s].method == byShape {
			kind, name := g.divisionKey(p)
			directory, i = d, g.siteOf(s, kind, name)
		}
		g.pages[p].site = i
	}
	slices.Sort(keys)
	for k, key := range keys {
		pages[k] = sitegraph.PageID(uint32(key))
		g.join(pages[k], g.pages[pages[k]].site)
	}
}

const (
	// dividedAgain is the factor of growth after which a server is divided again. After
	// dividedAfter days it is divided in any case, then after twice as many, and so on.
	dividedAgain = 1.2
	dividedAfter = 14
)

// divide divides the servers that are new or grew, or whose division is old.
func (g *groups) divide(now float32) {
	for s := range g.servers {
		of, id := &g.servers[s], sitegraph.ServerID(s)
		if of.divided > 0 && now < of.next &&
			float64(of.pages) < dividedAgain*float64(of.divided)+8 {
			continue
		}
		var partition sitegraph.Partition
		of.method, partition = g.chooseDivision(id)
		of.next = now + float32(dividedAfter*math.Exp2(float64(min(of.divisions, 5))))
		of.divisions++
		of.divided = uint32(of.pages)
		g.divideServer(id, &partition)
	}
}

// chooseDivision returns the division that predicted the changes of a server best: the weeks in
// which its pages changed are most likely if each site has its own share of changed pages in each
// week (beta-binomial).
func (g *groups) chooseDivision(s sitegraph.ServerID) (best int8, chosen sitegraph.Partition) {
	newest, looks, changes := uint32(0), 0, 0
	for _, p := range g.corpus.Graph.ServerPages(s) {
		h := &g.corpus.Memory(p).History
		newest = max(newest, sitegraph.Week(h.Last))
		looks += bits.OnesCount32(h.WeeksSeen)
		changes += bits.OnesCount32(h.WeeksChanged)
	}
	mean := (float64(changes) + 0.5) / (float64(looks) + 1)
	most, first := math.Inf(-1), 0
	if g.sweep { // a template of many directories changes at once
		first = byShape
	}
	for method, name := range divisions {
		if changes == 0 && method != first {
			continue
		}
		partition, _ := g.corpus.Graph.Partition(name, s, nil)
		sum := 0.0
		for i := range partition.Sites {
			var weeks evidence.WeekShares
			for _, p := range partition.Sites[i].Members {
				weeks.Add(&g.corpus.Memory(p).History, newest)
			}
			sum += weeks.Gain(mean)
		}
		if sum > most {
			best, most, chosen = int8(method), sum, partition
		}
	}
	return best, chosen
}

// divideServer puts the pages of a server into sites, and sets the top of each.
func (g *groups) divideServer(s sitegraph.ServerID, partition *sitegraph.Partition) {
	graph := g.corpus.Graph
	of := &g.servers[s]
	pages := slices.DeleteFunc(slices.Clone(graph.ServerPages(s)), func(p sitegraph.PageID) bool {
		return int(p) >= len(g.pages) // the corpus does not know it yet
	})
	for _, p := range pages {
		in := &g.sites[g.pages[p].site]
		in.pages, in.top, in.last = 0, sitegraph.NoPage, sitegraph.NoPage
		g.pages[p].site = -1
		g.pages[p].traits &^= isTop
	}
	known := int32(len(g.sites))
	for k := range partition.Sites {
		part := &partition.Sites[k]
		top := g.bestTop(part)
		kind, name := g.divisionKey(top)
		if of.method > byShape {
			kind, name = 't', graph.URL(top)
		}
		i := g.siteOf(s, kind, name)
		for _, p := range slices.Concat(part.Tops, part.Members) {
			if int(p) < len(g.pages) && g.pages[p].site < 0 {
				g.pages[p].site = i
			}
		}
		if len(part.Tops)+len(part.Members) >= leastOfTop {
			g.pages[top].traits |= isTop
		}
	}
	for _, p := range graph.StartPages(s) {
		if int(p) < len(g.pages) && len(pages) > 1 {
			g.pages[p].traits |= isTop
		}
	}
	g.joinAll(pages)
	if !of.Told() { // no visits yet, or replayAll follows
		return
	}
	fresh := slices.DeleteFunc(pages, func(p sitegraph.PageID) bool { // pages in new sites
		return g.pages[p].site < known || g.pages[p].traits&isTop != 0
	})
	rate := of.Rate(g.all.Rate(defaultRate))
	g.replay(slices.Values(fresh), func(l outcome) {
		in := &g.sites[g.pages[l.page].site]
		in.Observe(g.day(l.from), g.day(l.to), l.changed, in.Rate(rate))
	})
}

// leastOfTop is the least number of pages of a site whose top is treated as one.
const leastOfTop = 3

// bestTop returns the top of a site with most links.
func (g *groups) bestTop(part *sitegraph.Site) sitegraph.PageID {
	graph := g.corpus.Graph
	return slices.MinFunc(part.Tops, func(a, b sitegraph.PageID) int {
		if d := len(graph.Links(b)) - len(graph.Links(a)); d != 0 {
			return d
		}
		return strings.Compare(graph.URL(a), graph.URL(b))
	})
}
