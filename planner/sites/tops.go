package sites

import (
	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// topTally counts visits to members by what the top of their site showed since their own last
// visit ([LINK 4]: members are visited where their top changed). The changes that these visits
// found, beside those expected, tell how much a top tells: everything on some servers, nothing on
// others. There is one tally for the corpus and one for each server, whose factor is pulled toward
// that of the corpus.
type topTally [3]evidence.Counts

// What a top showed: it was not visited, had not changed, or had changed.
const (
	topUnseen = iota
	topSame
	topChanged
)

// firstTopTrust is the trust in what tops show, before anything was seen.
const firstTopTrust = 0.3

// topPrior is how many expected changes the factor before counts for.
const topPrior = 10

// topState tells what the top of a page's site showed since a moment, in unix seconds.
func (g *groups) topState(p sitegraph.PageID, last uint32) int {
	of := &g.pages[p]
	if of.traits&isTop != 0 {
		return topUnseen
	}
	in := &g.sites[of.site]
	switch {
	case in.topChanged > last:
		return topChanged
	case in.topSeen > last:
		return topSame
	}
	return topUnseen
}

// topBefore returns the page that is to be visited before p: the top of its site, if that is due
// and was not visited in this round; else NoPage. What the top shows then counts for p. The top is
// scored anew, and is not visited if that shows that it is not due.
func (v *ranker) topBefore(p sitegraph.PageID) sitegraph.PageID {
	of := &v.groups.pages[p]
	top := v.groups.sites[of.site].top
	if of.traits&isTop != 0 || top == sitegraph.NoPage || !v.isDue(top) {
		return sitegraph.NoPage
	}
	if v.rate(top); !v.isDue(top) {
		v.push(top)
		return sitegraph.NoPage
	}
	return top
}

// isDue reports whether a page can be visited now, and is worth the price.
func (v *ranker) isDue(p sitegraph.PageID) bool {
	return v.Pages.InPlay(p) && v.Pages.Refetchable(p) && !v.Pages.Outside(p) &&
		!(float64(v.worth(p)) < v.price) && v.worth(p) >= v.least
}

// topFactor returns what the odds of a page are multiplied by for what its top showed.
func (g *groups) topFactor(p sitegraph.PageID, last uint32) float32 {
	k := g.topState(p, last)
	if k == topUnseen {
		return 1
	}
	corpus := g.told[k].Ratio(topPrior)
	own := g.servers[g.corpus.Graph.Server(p)].told[k].Beyond(corpus)
	return evidence.Bounded(corpus * own.Ratio(topPrior))
}

// seeTop learns from a visit to a member what its top told. Old visits are forgotten.
func (g *groups) seeTop(l outcome) {
	if k := g.topState(l.page, l.from); k != topUnseen {
		g.told[k].See(l.changed, l.byGroups, 2000)
		g.servers[g.corpus.Graph.Server(l.page)].told[k].See(l.changed, l.byGroups, 200)
	}
}
