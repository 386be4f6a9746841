package present

import (
	"slices"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// pagePrior is the hierarchy of priors that a page starts from.
type pagePrior struct {
	*estimator.Prior
	site int32
}

func (p pagePrior) ofPage() *estimator.Rates { return &p.Sites[p.site] }

const (
	// priorPages bounds the pages that a prior is learnt from, of the page's own server and of
	// all others each: 25 MB and about a second.
	priorPages  = 50_000
	priorRounds = 8
)

// priorOf learns the priors of a page's site, its server and the corpus from all that was
// revisited, or a part of it that is evenly spread if there are many. The page itself is left out.
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

// numbering gives numbers to sites: those of partition A on one server. Another server, and what
// of this one is in no site, counts as one site.
type numbering struct {
	serverOf []int32                    // by site; those of servers come first
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

// seen is what the visits to a page of a site saw.
type seen struct {
	site int32
	grid estimator.Grid
}

// revisited are the pages that a prior is learnt from, those of the page's own server first.
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
