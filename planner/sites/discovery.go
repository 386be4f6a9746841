package sites

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// Few pages (hubs: Kleinberg 1999) link to most new pages. So the worth of a change includes the
// new pages that it is expected to lead to. Their number is the mean over earlier changes of the
// page, pulled toward the means of its site, its server and all pages.

const (
	// mostFound bounds the new pages that one change counts for: a list of everything is read once.
	mostFound = 20
	// parentChanges is the weight of the mean of a larger group, in changes.
	parentChanges = 4
)

// Discovered notes that a visit to a page made other pages known. If the page had changed, the
// policy takes it that those pages were born then.
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

// found adds the number of pages that a change made known to the means of a page's groups. A page
// has a mean of its own once one of its changes led to a page.
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
