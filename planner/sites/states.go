package sites

import (
	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// gapsOf are those of a server.
func (g *groups) gapsOf(s sitegraph.ServerID) *evidence.Gaps {
	own := &g.servers[s].gaps
	if *own == nil {
		*own = new(evidence.Gaps)
	}
	return *own
}

// gapShare returns the share of the visits to a server after such a gap that see a change.
func (g *groups) gapShare(s sitegraph.ServerID, age float32) float32 {
	share := g.gaps.FirstShare(age)
	if own := g.servers[s].gaps; own != nil {
		share = own.Share(age, share)
	}
	return share
}

// byGap returns the log odds of a change by the gap, times the factor of the page.
func (g *groups) byGap(p sitegraph.PageID, s sitegraph.ServerID, age float32) float32 {
	h := &g.corpus.Memory(p).History
	looks := float32(max(int(h.Visits)-1, 0))
	return evidence.Log32(evidence.OddsByGap(g.gapShare(s, age), looks, float32(h.Changes),
		g.pages[p].expected))
}

// seeGap learns from a visit. Old visits are forgotten.
func (g *groups) seeGap(p sitegraph.PageID, s sitegraph.ServerID, age float32, changed bool) {
	g.pages[p].expected += g.gapShare(s, age)
	g.gaps.See(age, changed, 400)
	g.gapsOf(s).See(age, changed, 100)
}
