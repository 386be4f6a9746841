package planner

import "github.com/recrawl/recrawl/sitegraph"

// division is the sites of the corpus' servers, kept up to date with the graph.
type division struct {
	corpus   *Corpus
	how      method
	sites    map[sitegraph.ServerID][]sitegraph.Site
	versions map[sitegraph.ServerID]int // of each server's graph when its sites were made
	topOf    []*sitegraph.Site          // by page: the site it is a top of; nil: no top
}

func newDivision(c *Corpus, how method) *division {
	return &division{corpus: c, how: how, sites: map[sitegraph.ServerID][]sitegraph.Site{}, versions: map[sitegraph.ServerID]int{}}
}

// update makes the sites of servers anew whose graph changed.
func (d *division) update() {
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
	for _, site := range d.sites[s] {
		for _, top := range site.Tops {
			d.topOf[top] = nil
		}
	}
	sites := d.how.divide(g, s, d.hasCopy).Sites
	for i := range sites {
		for _, top := range sites[i].Tops {
			d.topOf[top] = &sites[i]
		}
	}
	d.sites[s] = sites
	d.versions[s] = g.Version(s)
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
