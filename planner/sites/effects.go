package sites

import (
	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

// The groups whose visits tell of a page at once. Those from ofDepth on count in sweeps alone,
// where hardly more is known of a page than what the round shows: what was rebuilt of a server may
// be a depth or a directory, and no site. In streams they leave less for samples and for pages that
// may be gone.
const (
	ofServer = iota
	ofSite
	ofDepth // of the server
	ofDirectory
	groupKinds
)

// groupNames say where more changes were seen than expected.
var groupNames = [groupKinds]string{"on its server", "in its site",
	"at its depth of its server", "in its directory"}

// effects is what visits to the groups of a page found since a moment, and what was expected of
// them.
type effects struct {
	groups [groupKinds]evidence.Counts
	trust  float32 // the power of the factors; see evidence.Trust
	top    float32 // the factor for what the top of the site showed
}

// effectPrior is how many changes that came as predicted pull the factor of each group toward 1: a
// of evidence.Tally. Visits to a site count for its server, too.
var effectPrior = [groupKinds]float32{ofServer: 2, ofSite: 4, ofDepth: 2, ofDirectory: 2}

// beyond returns for each group what visits to it found, with the changes that were to be expected
// after the factors of the groups before it, and by what it multiplies the odds of the page, before
// that is trusted; and the product of these factors.
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

// tallies returns where the tallies of the groups of a page are, and of how many kinds they are.
// One is nil where nothing was told.
func (g *groups) tallies(p sitegraph.PageID) (of [groupKinds]**evidence.Tally, kinds int) {
	s := &g.servers[g.corpus.Graph.Server(p)]
	of[ofServer], of[ofSite] = &s.tally, &g.sites[g.pages[p].site].tally
	if !g.sweep {
		return of, ofDepth
	}
	of[ofDepth], of[ofDirectory] = &s.depths[min(g.depth(p), levels)-1], &g.directory(p).tally
	return of, groupKinds
}

// effectsSince adds up the visits to the groups of a page after a moment, in unix seconds.
func (g *groups) effectsSince(p sitegraph.PageID, last uint32) (b effects) {
	tallies, n := g.tallies(p)
	for i, t := range tallies[:n] {
		if *t != nil {
			b.groups[i] = (*t).Since(g.day(last))
		}
	}
	return b
}
