package sites

import (
	"math"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// New pages are linked from few pages. So a change is worth as many more as changes of the same
// site made known in the mean.

const (
	// mostFound bounds what one change counts for: a list of everything is read once.
	mostFound = 20
	// parentChanges is how many changes the mean of a larger group counts for.
	parentChanges = 4
)

// Discovered learns that links of a page made pages known.
func (v *Policy) Discovered(p sitegraph.PageID, verdict sitegraph.Verdict,
	pages []sitegraph.PageID) {
	v.grow()
	if verdict != sitegraph.VerdictChanged {
		return
	}
	v.groups.found(p, len(pages))
	v.groups.born(pages)
	if isFollowUp, sample := v.samples.underWay[p]; sample && !isFollowUp {
		v.samples.rebuilds.discovered(len(pages))
	}
}

// found adds the pages that a change made known to the groups of a page.
func (g *groups) found(p sitegraph.PageID, pages int) {
	n := float32(min(pages, mostFound))
	server := &g.servers[g.corpus.Graph.Server(p)]
	for _, of := range [...]*evidence.Mean{&g.finding, &server.finds,
		&g.sites[g.pages[p].site].finds} {
		of.Add(n, 1, math.MaxFloat32)
	}
}

// finds returns how many pages a change of a page is expected to make known.
func (g *groups) finds(p sitegraph.PageID) float32 {
	s := &g.servers[g.corpus.Graph.Server(p)]
	all := s.finds.Toward(g.finding.Toward(0, parentChanges), parentChanges)
	return g.sites[g.pages[p].site].finds.Toward(all, parentChanges)
}

// born marks pages that became known by a change: they are taken to be born then.
func (g *groups) born(pages []sitegraph.PageID) {
	for _, p := range pages {
		if g.corpus.Memory(p).History.Visits == 0 {
			g.pages[p].traits |= isBorn
		}
	}
}
