package present

import (
	"slices"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// pagePrior is the hierarchy of priors for a page.
type pagePrior struct {
	*estimator.Prior
	site int32
}

func (p pagePrior) ofPage() *estimator.Rates { return &p.Sites[p.site] }

const (
	// priorPages bounds the pages from which a prior is learnt, on the page's server and on all
	// others each: 25 MB and about a second.
	priorPages  = 50_000
	priorRounds = 8
)

// priorOf learns the priors of a page's site, its server and the corpus from the revisited pages,
// without the page itself. If there are many, it takes a sample that is evenly spread.
func priorOf(c *planner.Pages, page sitegraph.PageID) pagePrior {
	sites := siteNumbers(c.Graph, c.Graph.Server(page))
	pages := revisited(c, page, sites)
	prior := estimator.NewPrior(
		estimator.DefaultRates(),
		estimator.DefaultStrength,
		c.Graph.Servers(),
		sites.serverOf,
	)
	for range priorRounds {
		prior.Learn(func(yield func(int32, *estimator.Grid) bool) {
			for i := range pages {
				if !yield(pages[i].site, &pages[i].grid) {
					return
				}
			}
		})
	}
	return pagePrior{prior, sites.of(c.Graph, page)}
}

// numbering numbers the sites of partition A on one server. All pages of this server outside sites
// are one site, and so is each other server.
type numbering struct {
	serverOf []int32                    // by site; the sites that are servers come first
	siteOf   map[sitegraph.PageID]int32 // of pages in a site of the server
}

func siteNumbers(g *sitegraph.Graph, server sitegraph.ServerID) numbering {
	n := numbering{
		serverOf: make([]int32, g.Servers()),
		siteOf:   make(map[sitegraph.PageID]int32, len(g.ServerPages(server))),
	}
	for s := range n.serverOf {
		n.serverOf[s] = int32(s)
	}
	for _, site := range g.PartitionA(server, nil).Sites {
		number := int32(len(n.serverOf))
		n.serverOf = append(n.serverOf, int32(server))
		for _, p := range slices.Concat(site.Tops, site.Members) {
			n.siteOf[p] = number
		}
	}
	return n
}

func (n *numbering) of(g *sitegraph.Graph, page sitegraph.PageID) int32 {
	if site, ok := n.siteOf[page]; ok {
		return site
	}
	return int32(g.Server(page))
}

// seen has the results of the visits to a page of a site.
type seen struct {
	site int32
	grid estimator.Grid
}

// revisited returns the pages from which a prior is learnt, the page's own server first.
func revisited(c *planner.Pages, page sitegraph.PageID, sites numbering) (pages []seen) {
	g := c.Graph
	look := func(p sitegraph.PageID) {
		h := c.Memory(p).History
		if p == page || h.Visits < 2 {
			return
		}
		pages = append(pages, seen{sites.of(g, p), estimator.GridFromHistory(h)})
	}
	server := g.Server(page)
	own := g.ServerPages(server)
	for i := 0; i < len(own); i += 1 + len(own)/priorPages {
		look(own[i])
	}
	for p := 0; p < c.Count(); p += 1 + c.Count()/priorPages {
		if g.Server(sitegraph.PageID(p)) != server {
			look(sitegraph.PageID(p))
		}
	}
	return pages
}
