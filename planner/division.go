package planner

import "github.com/recrawl/recrawl/sitegraph"

// division is the sites of the corpus' servers, kept up to date with the graph.
type division struct {
	corpus   *Corpus
	how      method
	sites    map[sitegraph.ServerID][]sitegraph.Site
	versions map[sitegraph.ServerID]int    // of each server's graph when its sites were made
	period   int                           // in which what is learnt was learnt
	chosen   map[sitegraph.ServerID]string // auto: the partition of this period
	topOf    []*sitegraph.Site             // by page: the site it is a top of; nil: no top
	trust    map[*sitegraph.Site]float64   // methods that learn: share of members that change when a top does
}

func newDivision(c *Corpus, how method) *division {
	return &division{corpus: c, how: how, sites: map[sitegraph.ServerID][]sitegraph.Site{}, versions: map[sitegraph.ServerID]int{}, trust: map[*sitegraph.Site]float64{},
		chosen: map[sitegraph.ServerID]string{}}
}

// relearnDays is how long sites that depend on the pages' past stand. Their masks are by
// week; a month adds a few.
const relearnDays = 28

// update makes the sites of servers anew whose graph changed, and all of them when a method
// that learns has something new to learn from.
func (d *division) update() {
	if period := d.corpus.Round().Number / relearnDays; d.how.learns() && period != d.period {
		d.period = period
		clear(d.versions)
		clear(d.chosen)
	}
	for s := range sitegraph.ServerID(d.corpus.Graph.Servers()) {
		d.updateServer(s)
	}
}

func (d *division) updateServer(s sitegraph.ServerID) {
	g := d.corpus.Graph
	if version, ok := d.versions[s]; ok && version == g.Version(s) {
		return
	}
	if missing := d.corpus.Pages() - len(d.topOf); missing > 0 {
		d.topOf = append(d.topOf, make([]*sitegraph.Site, missing)...)
	}
	for i := range d.sites[s] {
		old := &d.sites[s][i]
		delete(d.trust, old)
		for _, top := range old.Tops {
			d.topOf[top] = nil
		}
	}
	sites := d.divide(s)
	for i := range sites {
		for _, top := range sites[i].Tops {
			d.topOf[top] = &sites[i]
		}
	}
	d.sites[s] = sites
	d.versions[s] = g.Version(s)
}

// divide makes the sites of a server. What is learnt of the past besides them, the choice of
// the partition, stands for the whole period.
func (d *division) divide(s sitegraph.ServerID) []sitegraph.Site {
	if !d.how.learns() {
		return divideBy(d.how.by, d.corpus, s, d.hasCopy).Sites
	}
	past := newPast(d.corpus, s, d.hasCopy)
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
	for i := range partition.Sites {
		d.trust[&partition.Sites[i]] = past.trust(&partition.Sites[i])
	}
	return partition.Sites
}

// divideBy divides a server by a partition of sitegraph.
func divideBy(name string, c *Corpus, s sitegraph.ServerID, counts func(sitegraph.PageID) bool) sitegraph.Partition {
	p, ok := c.Graph.Partition(name, s, counts)
	if !ok {
		panic("planner: sitegraph knows no partition " + name)
	}
	return p
}

// outdated makes the next update divide a server anew: only pages with a copy count.
func (d *division) outdated(s sitegraph.ServerID) { d.versions[s] = 0 } // those of a refreshed graph begin at 1

func (d *division) hasCopy(p sitegraph.PageID) bool {
	return d.corpus.Memory(p).State == sitegraph.StateAlive
}

// siteWithTop returns the site that p is a top of, nil if it is none.
func (d *division) siteWithTop(p sitegraph.PageID) *sitegraph.Site {
	if int(p) >= len(d.topOf) {
		return nil
	}
	return d.topOf[p]
}

// allServers stands for each of them.
const allServers sitegraph.ServerID = -1

// eachSite calls f for the sites of one server, or of allServers in their order.
func (d *division) eachSite(only sitegraph.ServerID, f func(site *sitegraph.Site)) {
	first, last := only, only
	if only == allServers {
		first, last = 0, sitegraph.ServerID(d.corpus.Graph.Servers())-1
	}
	for s := first; s <= last; s++ {
		sites := d.sites[s]
		for i := range sites {
			f(&sites[i])
		}
	}
}
