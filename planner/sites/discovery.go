package sites

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// New pages are linked from few pages (hubs: Kleinberg 1999). So a change is worth as much more as
// changes of the same page made known in the mean, pulled toward those of its site, and so on.

const (
	// mostFound bounds what one change counts for: a list of everything is read once.
	mostFound = 20
	// parentChanges is how many changes the mean of a larger group counts for.
	parentChanges = 4
)

// Discovered learns that links of a page made pages known. By a change: they are taken to be born
// then.
func (v *Policy) Discovered(p sitegraph.PageID, verdict sitegraph.Verdict,
	pages []sitegraph.PageID) {
	v.grow()
	if verdict != sitegraph.VerdictChanged {
		return
	}
	v.groups.found(p, len(pages))
	for _, found := range pages {
		if v.Pages.Memory(found).History.Visits == 0 {
			v.groups.pages[found].traits |= isBorn
		}
	}
	if isFollowUp, sample := v.samples.underWay[p]; sample && !isFollowUp {
		v.samples.finds.Sum += float32(min(len(pages), mostFound))
	}
}

// found adds the pages that a change made known to those of the page, if it ever led to some, and
// of its groups.
func (g *groups) found(p sitegraph.PageID, pages int) {
	n := float32(min(pages, mostFound))
	g.finding.Add(g.corpus.Graph.Server(p), n, 1, math.MaxFloat32)
	g.sites[g.pages[p].site].finds.Add(n, 1, math.MaxFloat32)
	if of := &g.pages[p]; n > 0 || of.traits&isHub != 0 {
		of.traits |= isHub
		own := g.hubs[p]
		own.Add(n, 1, math.MaxFloat32)
		g.hubs[p] = own
	}
}

// finds returns how many pages a change of a page is expected to make known.
func (g *groups) finds(p sitegraph.PageID) float32 {
	of := g.finding.Of(g.corpus.Graph.Server(p), parentChanges, 0, parentChanges)
	of = g.sites[g.pages[p].site].finds.Toward(of, parentChanges)
	if g.pages[p].traits&isHub != 0 {
		of = g.hubs[p].Toward(of, parentChanges)
	}
	return of
}
