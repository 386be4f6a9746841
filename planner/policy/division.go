package policy

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// site is one unit of a division, with the state of policies for it.
type site struct {
	sitegraph.Site
	changed  uint32  // unix seconds; when a top last changed, 0: never
	promoted int32   // the round in which its members were last promoted, as Pages.mark; 0: none
	tie      float32 // of its tops
	trust    float64 // methods that learn: share of members that change when a top does
}

// smallestTie returns the smallest tie of its tops, since their order depends on discovery.
func (s *site) smallestTie(t []float32) float32 {
	tie := t[s.Tops[0]]
	for _, p := range s.Tops[1:] {
		tie = min(tie, t[p])
	}
	return tie
}

// division has the sites of the corpus' servers, kept up to date with the graph.
type division struct {
	pages    *planner.Pages
	how      method
	sites    map[sitegraph.ServerID][]site
	versions map[sitegraph.ServerID]int    // of each server's graph when its sites were made
	periods  periods                       // lessons hold for one period
	chosen   map[sitegraph.ServerID]string // auto: the partition of this period
	topOf    []*site                       // by page: the site it is a top of; nil: no top
}

func newDivision(c *planner.Pages, how method) *division {
	return &division{
		pages:    c,
		how:      how,
		sites:    map[sitegraph.ServerID][]site{},
		versions: map[sitegraph.ServerID]int{},
		chosen:   map[sitegraph.ServerID]string{},
		periods:  newPeriods(relearn),
	}
}

// relearn is the time for which sites that depend on the pages' past are kept. The past has one bit
// for each week, so this time adds only four bits.
const relearn = 4 * week

// update divides each server again whose graph changed, and all servers when a method that learns
// may have new evidence.
func (d *division) update() {
	if begins := d.periods.begin(d.pages.Round()); begins && d.how.learns() {
		clear(d.versions)
		clear(d.chosen)
	}
	for s := range sitegraph.ServerID(d.pages.Graph.Servers()) {
		d.updateServer(s)
	}
}

func (d *division) updateServer(s sitegraph.ServerID) {
	g := d.pages.Graph
	if version, ok := d.versions[s]; ok && version == g.Version(s) {
		return
	}
	if missing := d.pages.Count() - len(d.topOf); missing > 0 {
		d.topOf = append(d.topOf, make([]*site, missing)...)
	}
	for _, old := range d.sites[s] {
		for _, top := range old.Tops {
			d.topOf[top] = nil
		}
	}
	sites := d.divide(s)
	for i := range sites {
		for _, top := range sites[i].Tops {
			d.topOf[top] = &sites[i]
			sites[i].changed = max(sites[i].changed, d.pages.Memory(top).History.LastChange)
		}
	}
	d.sites[s] = sites
	d.versions[s] = g.Version(s)
}

// divide makes the sites of a server. The other lesson of the past, the choice of the partition,
// holds for the whole period.
func (d *division) divide(s sitegraph.ServerID) []site {
	if !d.how.learns() {
		return sitesOf(divideBy(d.how.by, d.pages, s, d.hasCopy))
	}
	past := newPast(d.pages, s, d.hasCopy)
	by := d.how.by
	if by == auto {
		if d.chosen[s] == "" {
			d.chosen[s] = past.choose()
		}
		by = d.chosen[s]
	}
	partition := past.divide(by)
	if d.how.sentinels {
		past.withSentinels(partition)
	}
	sites := sitesOf(partition)
	for i := range sites {
		sites[i].trust = past.trust(&sites[i].Site)
	}
	return sites
}

func sitesOf(p sitegraph.Partition) []site {
	sites := make([]site, len(p.Sites))
	for i := range sites {
		sites[i].Site = p.Sites[i]
	}
	return sites
}

// divideBy divides a server by a partition of sitegraph.
func divideBy(
	name string,
	c *planner.Pages,
	s sitegraph.ServerID,
	counts func(sitegraph.PageID) bool,
) sitegraph.Partition {
	p, ok := c.Graph.Partition(name, s, counts)
	if !ok {
		panic("planner: sitegraph knows no partition " + name)
	}
	return p
}

// outdated makes the next update divide a server anew, because only pages with a copy count.
// Versions of a refreshed graph begin at 1.
func (d *division) outdated(s sitegraph.ServerID) { d.versions[s] = 0 }

func (d *division) hasCopy(p sitegraph.PageID) bool {
	return d.pages.Memory(p).State == sitegraph.StateAlive
}

// siteWithTop returns the site that p is a top of; nil if it is none.
func (d *division) siteWithTop(p sitegraph.PageID) *site {
	if int(p) >= len(d.topOf) {
		return nil
	}
	return d.topOf[p]
}

// allServers selects each server.
const allServers sitegraph.ServerID = -1

// eachSite calls f for the sites of one server, or of allServers in their order.
func (d *division) eachSite(only sitegraph.ServerID, f func(site *site)) {
	first, last := only, only
	if only == allServers {
		first, last = 0, sitegraph.ServerID(d.pages.Graph.Servers())-1
	}
	for s := first; s <= last; s++ {
		sites := d.sites[s]
		for i := range sites {
			f(&sites[i])
		}
	}
}
