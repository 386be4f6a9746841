package sites

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// tally compares what visits to a group of pages found with what was predicted of them. The group
// is a server or a site.
//
// It is the random effect of the group (a shared frailty: Vaupel, Manton, Stallard 1979): the part
// of its odds of change that no model can know before, as when part of the server was rebuilt.
// Where n visits found c changes and their predicted probabilities add up to e, the odds of the
// pages that were last visited before them are multiplied by
//
//	(c + a) / (e + a) * (n - e + a) / (n - c + a)
//
// That is the ratio of observed to predicted odds, shrunk toward 1 by a changes, and as many visits
// without one, that came as predicted. The predictions are those of the experts and of claims,
// before this factor and before calibration.
//
// For a site, e is what was to be expected after the factor of its server, so that it says what
// the server does not.
//
// Tallies are kept with the memory of the planner.
type tally struct {
	start float32  // of the first span, in days; see clock
	spans []counts // ascending
}

// counts are of some days, up to end: how many visits there were that tell of them, in parts, how
// many of these found a change, and how many were expected to.
type counts struct{ end, visits, changed, expected float32 }

const (
	// serverPrior and sitePrior are a, in changes. Sweeps of real histories find the same by 1 to
	// 3 of the server and 2 to 4 of the site, streams by 1 to 10 and 3 to 4. Visits to a site
	// count in both.
	serverPrior = 2
	sitePrior   = 4
	// mostEffect bounds each factor and their product, and its inverse.
	mostEffect = 20
	// tallySpans bounds memory, 16 bytes each; a span is a day long, or as long as a shorter round,
	// or longer where that is long ago.
	tallySpans = 16
)

// see adds a visit on day to of a page whose copy was of day from, which was expected to find a
// change with some probability. It counts for the days since that copy, most for those on which the
// group is known to have changed (part). For after a server was rebuilt, visits go on to find pages
// that nobody visited since, and those that were visited since are none the likelier for it. Of a
// copy that is no older than a day it counts for the moment of the visit: what was predicted wrong
// today is best known by that. New spans have so many days.
func (f *tally) see(from, to, length float32, changed bool, expected float32,
	part func(from, after, to float32) float32) {
	n := len(f.spans)
	switch {
	case n == 0:
		f.start = to - length
		f.spans = append(f.spans, counts{end: to})
	case to <= f.spans[n-1].end: // an instant ago, or somewhat out of order
	case to <= f.begin(n-1)+length:
		f.spans[n-1].end = to
	default:
		if n == tallySpans {
			f.join(to)
		}
		f.spans = append(f.spans, counts{end: to})
	}
	found := float32(0)
	if changed {
		found = 1
	}
	if to-from <= 1 {
		from = to
	}
	given := float32(0)
	for i := len(f.spans) - 1; i >= 0 && given < 1; i-- {
		upTo := float32(1) // the first span has all that was before it, too
		if begin := f.begin(i); i > 0 && from < begin {
			upTo = max(part(from, begin, to), given)
		}
		s := &f.spans[i]
		s.visits += upTo - given
		s.expected += (upTo - given) * expected
		s.changed += (upTo - given) * found
		given = upTo
	}
}

func (f *tally) begin(i int) float32 {
	if i == 0 {
		return f.start
	}
	return f.spans[i-1].end
}

// join makes two neighbours one, those that are shortest for their age.
func (f *tally) join(now float32) {
	best, least := 0, float32(0)
	for i := range len(f.spans) - 1 {
		if long := (f.spans[i+1].end - f.begin(i)) / (now - f.begin(i)); i == 0 || long < least {
			best, least = i, long
		}
	}
	a, b := f.spans[best], &f.spans[best+1]
	b.visits, b.changed, b.expected = a.visits+b.visits, a.changed+b.changed, a.expected+b.expected
	f.spans = append(f.spans[:best], f.spans[best+1:]...)
}

// since adds up the visits after t; of a span in which t lies its share.
func (f *tally) since(t float32) (all counts) {
	for i := len(f.spans) - 1; i >= 0 && f.spans[i].end > t; i-- {
		s, begin := f.spans[i], f.begin(i)
		part := min((s.end-t)/(s.end-begin), 1)
		all.visits += part * s.visits
		all.changed += part * s.changed
		all.expected += part * s.expected
	}
	return all
}

// ratio of the odds seen to those expected, pulled toward 1: 1 where there was no visit.
func (s counts) ratio(a float32) float32 {
	if s.visits == 0 {
		return 1
	}
	return bounded((s.changed + a) * (s.visits - s.expected + a) /
		((s.expected + a) * (s.visits - s.changed + a)))
}

func bounded(factor float32) float32 {
	switch {
	case factor < 1.0/mostEffect:
		return 1.0 / mostEffect
	case factor > mostEffect:
		return mostEffect
	}
	return factor
}

// effects is what visits to the server and to the site of a page found since a moment, and
// what was expected of them.
type effects struct {
	server, site counts
	trust        float32 // the power of the factors; see effectTrust
	top          float32 // the factor for what the top of the site showed; 0: none
}

// factors are what the odds of a page last visited then are multiplied by for its server, and with
// it for its site.
func (b *effects) factors() (server, both float32) {
	return power(b.server.ratio(serverPrior), b.trust), b.ofGroups()
}

// power is x to the power of a trust.
func power(x, trust float32) float32 {
	if x == 1 || trust == 1 {
		return x
	}
	return exp32(trust * log32(x))
}

// siteBeyondServer returns what the site showed, with what was to be expected of it after the
// factor of its server.
func (b *effects) siteBeyondServer(server float32) counts {
	s := b.site
	if s.visits > 0 {
		s.expected = s.visits * timesOdds(s.expected/s.visits, server)
	}
	return s
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
	server := b.server.ratio(serverPrior)
	return power(bounded(server*b.siteBeyondServer(server).ratio(sitePrior)), b.trust)
}

// tell adds a visit to the tallies of the server and the site of its page.
func (g *groups) tell(l outcome) {
	all, server, in := g.of(l.page)
	r := g.rates(all, server, in)
	tell := func(t *tally, e *account, rate float32) {
		part := func(from, after, to float32) float32 { return e.part(from, after, to, rate) }
		t.see(g.day(l.from), g.day(l.to), g.round, l.changed, l.raw, part)
	}
	s := g.corpus.Graph.Server(l.page)
	tell(&g.servers[s].tally, server, r.server)
	of := &g.sites[g.pages[l.page].site]
	if of.tally == nil {
		of.tally = new(tally)
	}
	tell(of.tally, in, r.site)
}

// effectsSince adds up the visits to the server and the site of a page after a moment, in unix
// seconds.
func (g *groups) effectsSince(p sitegraph.PageID, last uint32) (b effects) {
	since := g.day(last)
	b.server = g.servers[g.corpus.Graph.Server(p)].tally.since(since)
	if showed := g.sites[g.pages[p].site].tally; showed != nil {
		b.site = showed.since(since)
	}
	return b
}

// timesOdds multiplies the odds of a probability.
func timesOdds(probability, factor float32) float32 {
	return min(probability*factor/(1+probability*(factor-1)), 1)
}

// effectTrust learns how far what visits to a server and a site find tells of their other pages.
// On a web whose servers are rebuilt it tells much. Where pages change one by one it is chance, and
// a factor of the odds that follows chance does harm.
//
// The trust is the power of the factors: 1 takes them as they are, 0 not at all. Each outcome moves
// it by the gradient of the log loss, for the corpus and, beside it, for the server, as the weights
// of a mixture are moved; what is learnt is forgotten as it is there.
type effectTrust struct {
	first   float32   // before anything was seen
	corpus  float32   // beside it
	servers []float32 // beside that of the corpus
}

const (
	// mostTrust bounds the power.
	mostTrust = 1.2
	// firstTopTrust is the trust in what tops show, before anything was seen.
	firstTopTrust = 0.3
	// trustStep is how far an outcome moves it.
	trustStep = 0.02
)

func (t *effectTrust) of(s sitegraph.ServerID) float32 {
	trust := t.first + t.corpus
	if int(s) < len(t.servers) {
		trust += t.servers[s]
	}
	return min(max(trust, 0), mostTrust)
}

// see learns from the outcome of a visit that was believed to find a change with some probability,
// where the factor of the odds was so large before it was trusted.
func (t *effectTrust) see(s sitegraph.ServerID, changed bool, believed, factor float32) {
	own := t.server(s)
	missed := -believed
	if changed {
		missed++
	}
	step := trustStep * missed * float32(math.Log(float64(factor)))
	t.corpus = min(max(corpusKept*t.corpus+step, -t.first), mostTrust-t.first)
	*own = min(max(serverKept**own+step, -1), 1)
}

func (t *effectTrust) server(s sitegraph.ServerID) *float32 {
	for len(t.servers) <= int(s) {
		t.servers = append(t.servers, 0)
	}
	return &t.servers[s]
}
