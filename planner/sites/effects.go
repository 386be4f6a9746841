package sites

import (
	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// serverPrior and sitePrior are a, in changes. Sweeps of real histories find the same by 1 to
	// 3 of the server and 2 to 4 of the site, streams by 1 to 10 and 3 to 4. Visits to a site
	// count in both.
	serverPrior = 2
	sitePrior   = 4
)

// effects is what visits to the server and to the site of a page found since a moment, and
// what was expected of them.
type effects struct {
	server, site evidence.Counts
	trust        float32 // the power of the factors; see evidence.Trust
	top          float32 // the factor for what the top of the site showed; 0: none
}

// factors are what the odds of a page last visited then are multiplied by for its server, and with
// it for its site.
func (b *effects) factors() (server, both float32) {
	return evidence.Power(b.server.Ratio(serverPrior), b.trust), b.ofGroups()
}

// total returns the factor of the odds for server, site and top.
func (b *effects) total() float32 {
	both := b.ofGroups()
	if b.top > 0 {
		both *= b.top
	}
	return both
}

// ofGroups returns the factor of the odds for server and site.
func (b *effects) ofGroups() float32 {
	server := b.server.Ratio(serverPrior)
	both := evidence.Bounded(server * b.site.Beyond(server).Ratio(sitePrior))
	return evidence.Power(both, b.trust)
}

// tell adds a visit to the tallies of the server and the site of its page.
func (g *groups) tell(l outcome) {
	all, server, in := g.of(l.page)
	r := g.rates(all, server, in)
	tell := func(t *evidence.Tally, e *evidence.Account, rate float32) {
		part := func(from, after, to float32) float32 { return e.Part(from, after, to, rate) }
		t.See(g.day(l.from), g.day(l.to), g.round, l.changed, l.raw, part)
	}
	s := g.corpus.Graph.Server(l.page)
	tell(&g.servers[s].tally, server, r.server)
	of := &g.sites[g.pages[l.page].site]
	if of.tally == nil {
		of.tally = new(evidence.Tally)
	}
	tell(of.tally, in, r.site)
}

// effectsSince adds up the visits to the server and the site of a page after a moment, in unix
// seconds.
func (g *groups) effectsSince(p sitegraph.PageID, last uint32) (b effects) {
	since := g.day(last)
	b.server = g.servers[g.corpus.Graph.Server(p)].tally.Since(since)
	if showed := g.sites[g.pages[p].site].tally; showed != nil {
		b.site = showed.Since(since)
	}
	return b
}
