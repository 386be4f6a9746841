package sites

import (
	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// byGap returns the log odds of a change by the gap, times the factor of the page.
func (g *groups) byGap(p sitegraph.PageID, s sitegraph.ServerID, age float32) float32 {
	h := &g.corpus.Memory(p).History
	looks := float32(max(int(h.Visits)-1, 0))
	return evidence.Log32(evidence.OddsByGap(g.states.Share(s, age), looks, float32(h.Changes),
		g.pages[p].expected))
}

// seeGap learns from a visit.
func (g *groups) seeGap(p sitegraph.PageID, s sitegraph.ServerID, age float32, changed bool) {
	g.pages[p].expected += g.states.Share(s, age)
	g.states.See(s, age, changed)
}
