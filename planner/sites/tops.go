package sites

import (
	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// topTally counts visits to members by what the top of their site showed since their own last visit
// ([LINK 4]: members are visited where their top changed). The changes found, compared with those
// expected, measure the evidence of a top: it decides everything on some servers and nothing on
// others. The corpus has one tally, and each server one whose factor is pulled toward that of the
// corpus.
type topTally [3]evidence.Counts

// States of a top: not visited, visited and unchanged, visited and changed.
const (
	topUnseen = iota
	topSame
	topChanged
)

// firstTopTrust is the trust in tops before any outcome.
const firstTopTrust = 0.3

// topPrior is the weight of the factor of the larger group, in expected changes.
const topPrior = 10

// topState returns the state of the top of a page's site since `last`, in unix seconds.
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

// topBefore returns the page to visit before p: the top of its site, if that is due and was not
// visited in this round; else NoPage. The outcome of the top then counts for p. The top's new score
// decides whether it is due.
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

// isDue reports whether a page can be visited now and is worth the price.
func (v *ranker) isDue(p sitegraph.PageID) bool {
	return v.Pages.InPlay(p) && v.Pages.Refetchable(p) && !v.Pages.Outside(p) &&
		!(float64(v.worth(p)) < v.price) && v.worth(p) >= v.least
}

// topFactor returns the factor of a page's odds for the state of its top.
func (g *groups) topFactor(p sitegraph.PageID, last uint32) float32 {
	k := g.topState(p, last)
	if k == topUnseen {
		return 1
	}
	corpus := g.told[k].Ratio(topPrior)
	own := g.servers[g.corpus.Graph.Server(p)].told[k].Beyond(corpus)
	return evidence.Bounded(corpus * own.Ratio(topPrior))
}

// seeTop learns from a visit to a member how its top predicts changes, and forgets old visits.
func (g *groups) seeTop(l outcome) {
	if k := g.topState(l.page, l.from); k != topUnseen {
		g.told[k].See(l.changed, l.byGroups, 2000)
		g.servers[g.corpus.Graph.Server(l.page)].told[k].See(l.changed, l.byGroups, 200)
	}
}
