package sites

import (
	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// The groups of a page whose visits change its odds at once. Depth and directory count in sweeps
// alone. There a policy knows little of a page beyond the outcomes of the round, and a rebuild may
// cover a depth or a directory that is no site. In streams they would leave less for samples.
const (
	ofServer = iota
	ofSite
	ofDepth // of the server
	ofDirectory
	groupKinds
)

// groupNames complete the sentence "more changes than expected ...".
var groupNames = [groupKinds]string{"on its server", "in its site",
	"at its depth of its server", "in its directory"}

// effects holds what visits to the groups of a page found, and what was expected of them.
type effects struct {
	groups [groupKinds]evidence.Counts
	trust  float32 // the power of the factors; see evidence.Trust
	top    float32 // the factor for what the top of the site showed
}

// effectPrior pulls the factor of each group toward 1, with the weight of this many changes that
// came as predicted (evidence.Tally). The tally of a server also counts the visits to its sites.
var effectPrior = [groupKinds]float32{ofServer: 2, ofSite: 4, ofDepth: 2, ofDirectory: 2}

// beyond returns for each group the counts of its visits and its factor of the page's odds, before
// trust is applied; and the product of the factors. Changes that the factors of earlier groups
// explain count as expected.
func (b *effects) beyond() (found [groupKinds]evidence.Counts, factors [groupKinds]float32,
	all float32) {
	all = 1
	for i := range b.groups {
		found[i] = b.groups[i].Beyond(all)
		factors[i] = found[i].Ratio(effectPrior[i])
		all = evidence.Bounded(all * factors[i])
	}
	return found, factors, all
}

// total returns the factor of the odds for groups and top.
func (b effects) total() float32 { return b.ofGroups() * b.top }

// ofGroups returns the factor of the odds for all groups.
func (b effects) ofGroups() float32 {
	_, _, all := b.beyond()
	return evidence.Power(all, b.trust)
}

// addToTallies adds a visit to the tallies of the groups of its page.
func (g *groups) addToTallies(l outcome) {
	all, server, in := g.of(l.page)
	r := g.rates(all, server, in)
	tallies, n := g.tallies(l.page)
	for i, t := range tallies[:n] {
		e, rate := server, r.server
		if i == ofSite || i == ofDirectory {
			e, rate = in, r.site
		}
		if *t == nil {
			*t = new(evidence.Tally)
		}
		part := func(from, after, to float32) float32 { return e.Part(from, after, to, rate) }
		(*t).See(g.day(l.from), g.day(l.to), g.round, l.changed, l.raw, part)
	}
}

// tallies returns the tallies of a page's groups, nil before any visit, and how many are in use.
func (g *groups) tallies(p sitegraph.PageID) (of [groupKinds]**evidence.Tally, kinds int) {
	s := &g.servers[g.corpus.Graph.Server(p)]
	of[ofServer], of[ofSite] = &s.tally, &g.sites[g.pages[p].site].tally
	if !g.sweep {
		return of, ofDepth
	}
	of[ofDepth], of[ofDirectory] = &s.depths[min(g.depth(p), levels)-1], &g.directory(p).tally
	return of, groupKinds
}

// effectsSince returns the counts of visits to the groups of a page after `last`, in unix seconds.
func (g *groups) effectsSince(p sitegraph.PageID, last uint32) (b effects) {
	tallies, n := g.tallies(p)
	for i, t := range tallies[:n] {
		if *t != nil {
			b.groups[i] = (*t).Since(g.day(last))
		}
	}
	return b
}
