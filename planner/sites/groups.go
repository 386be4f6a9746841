package sites

import (
	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// groups assigns each page to its site and server, and keeps the outcomes of visits to them.
type groups struct {
	clock    evidence.Clock
	corpus   *planner.Pages
	ties     *planner.Ties
	all      evidence.Account             // of all pages but tops
	levels   [2 * levels]evidence.Account // by depth: of members, then of tops
	unlinked evidence.Account             // of pages to which no links lead any more
	ages     evidence.Account             // of pages born during the crawl, over their age
	servers  []server
	sites    []site
	keys     map[uint64]int32 // of sites, by GroupKey
	pages    []page
	beliefs  [2]*evidence.RateBelief // of members, and of tops
	hours    evidence.DayTimes
	states   evidence.States
	told     topTally
	room     []int32 `state:"-"` // scratch space
	finding  evidence.Pooled
	// hubs has the mean number of pages that a change of a page made known.
	hubs map[sitegraph.PageID]evidence.Mean
	dead evidence.Pooled
	// directories are indexed by graph.Directory.
	directories []directory
	round       float32 // days of a round, at most 1
	// sweep is set if one round visits all pages. See effects.go.
	sweep bool
}

// server holds what is known of the pages of a server.
type server struct {
	evidence.Account // of its pages but tops
	pages            int32
	tops             evidence.Account // of the tops of its sites
	unlinked         evidence.Account // of pages to which no links lead any more
	ages             evidence.Account // of pages born during the crawl, over their age
	tally            *evidence.Tally
	depths           [levels]*evidence.Tally // of its pages, by depth
	method           int8                    // in divisions
	divided          uint32                  // the number of its pages then
	next             float32                 // days: when it is divided again
	divisions        int                     // how often it was divided
	told             topTally
}

// site is a part of a server whose pages change together, by the evidence of links and addresses.
type site struct {
	evidence.Account
	pages      int32
	tally      *evidence.Tally
	server     sitegraph.ServerID
	top        sitegraph.PageID // NoPage: it has none
	last       sitegraph.PageID // the page of its ring that was promoted last
	surprise   float32          // of visits since then
	topSeen    uint32           // unix seconds of the last visit to a top
	topChanged uint32           // unix seconds when a top was last seen to have changed
	finds      evidence.Mean
}

// directory holds what is known of the pages of a directory.
type directory struct {
	dead  evidence.Mean // first visits
	tally *evidence.Tally
}

// page holds what is known of a page beside the corpus: 20 bytes.
type page struct {
	site     int32
	next     sitegraph.PageID // the next page of its site, in a ring
	last     uint32           // unix seconds of its last visit, or when it was found gone
	expected float32          // changes that its gaps between visits predicted
	traits   uint8
	scored   uint16 // the round of its score; 0: none since its last visit
}

const (
	isTop  = 1 << iota // the top of its site
	isBorn             // it became known by a change, so its age is known
	isHub              // changes of it made pages known: it has an entry in hubs
)

func newGroups(c *planner.Pages, t *planner.Ties) *groups {
	g := &groups{corpus: c, ties: t, round: 1, keys: map[uint64]int32{},
		hubs:    map[sitegraph.PageID]evidence.Mean{},
		beliefs: [2]*evidence.RateBelief{evidence.NewRateBelief(), evidence.NewRateBelief()}}
	newest := uint32(0)
	for p := range sitegraph.PageID(c.Count()) {
		newest = max(newest, c.Memory(p).Tried, c.Memory(p).LastInformative())
	}
	g.clock.Anchor(newest)
	return g
}

// day returns a time in days since the origin of the clock; 0 for never.
func (g *groups) day(unix uint32) float32 { return g.clock.Day(unix) }

// grow assigns pages that became known to sites.
func (g *groups) grow() {
	graph := g.corpus.Graph
	for len(g.servers) < graph.Servers() {
		g.servers = append(g.servers, server{})
	}
	first := sitegraph.PageID(len(g.pages))
	if int(first) >= g.corpus.Count() {
		return
	}
	g.pages = arena.Grow(graph.Scratch(), g.pages, g.corpus.Count())
	g.ties.UpTo(g.corpus)
	fresh := make([]sitegraph.PageID, 0, g.corpus.Count()-int(first))
	for p := first; int(p) < g.corpus.Count(); p++ {
		g.pages[p] = page{site: -1, next: p, last: g.corpus.Memory(p).LastInformative()}
		g.servers[graph.Server(p)].pages++
		fresh = append(fresh, p)
	}
	g.joinAll(fresh)
}

// of returns the accounts of a page: of all pages, of its server and of its site. Tops have their
// own. So have pages that lost all links, such as old news: they change at other rates than the
// linked pages of their site.
func (g *groups) of(p sitegraph.PageID) (all, server, site *evidence.Account) {
	s := &g.servers[g.corpus.Graph.Server(p)]
	if !g.corpus.Reached(p) {
		return &g.unlinked, &s.unlinked, &s.unlinked
	}
	if g.pages[p].traits&isTop != 0 {
		return g.level(p), &s.tops, &s.tops
	}
	return g.level(p), &s.Account, &g.sites[g.pages[p].site].Account
}

// rates are the long-run changes a day that the groups of a page are believed to have.
type rates struct{ all, server, site float32 }

func (g *groups) rates(all, server, site *evidence.Account) (r rates) {
	r.all = all.Rate(g.all.Rate(defaultRate))
	r.server = server.Rate(r.all)
	if r.site = r.server; site != server {
		r.site = site.Rate(r.server)
	}
	return r
}

// defaultRate is the mean of estimator.DefaultPrior.
const defaultRate = 0.0038

// noteVisit records in the groups of a page what a visit saw, and how long it came after the last.
func (g *groups) noteVisit(l outcome) {
	g.observe(l)
	s := g.corpus.Graph.Server(l.page)
	gap, passed := g.day(l.to)-g.day(l.from), g.hours.Passed(s, g.day(l.from), g.day(l.to))
	g.pages[l.page].expected += g.states.Share(s, gap, passed)
	g.states.See(s, gap, passed, l.changed)
}

// observe records in the accounts of a page what a visit saw.
func (g *groups) observe(l outcome) {
	all, server, site := g.of(l.page)
	r := g.rates(all, server, site)
	from, to := g.day(l.from), g.day(l.to)
	g.all.Observe(from, to, l.changed, g.all.Rate(defaultRate))
	all.Observe(from, to, l.changed, r.all)
	server.Observe(from, to, l.changed, r.server)
	if site != server {
		site.Observe(from, to, l.changed, r.site)
	}
	of := &g.pages[l.page]
	if of.traits&isTop != 0 {
		in := &g.sites[of.site]
		if in.topSeen = l.to; l.changed {
			in.topChanged = l.to
		}
	}
	if of.traits&isBorn != 0 {
		born := g.day(g.corpus.Memory(l.page).History.Epoch)
		g.ages.Observe(from-born, to-born, l.changed, r.all)
		g.servers[g.corpus.Graph.Server(l.page)].ages.Observe(from-born, to-born, l.changed,
			r.server)
	}
}

// visited notes a visit. It reports whether the visit compared the page with its copy or found that
// it left. A page that left does not count as changed.
func (g *groups) visited(p sitegraph.PageID, verdict sitegraph.Verdict) (l outcome, tells bool) {
	m := g.corpus.Memory(p)
	l = outcome{
		page:    p,
		from:    g.pages[p].last,
		to:      m.LastInformative(),
		changed: verdict == sitegraph.VerdictChanged,
		left:    verdict == sitegraph.VerdictLeft,
	}
	g.pages[p].last = l.to
	g.belief(p).Visited(p, g.ties.Of(p), &m.History)
	g.clock.Anchor(l.to)
	switch {
	case l.from == 0: // there was no copy
		return l, false
	case l.left: // the history ends with the last visit at its content
		return l, l.from == m.History.Last
	}
	return l, l.changed || verdict == sitegraph.VerdictUnchanged
}

// depth returns the links from the start page; MaxDepth + 1 if no links lead to the page.
func (g *groups) depth(p sitegraph.PageID) int {
	if d := g.corpus.Graph.Depth(p); d > 0 {
		return d
	}
	return sitegraph.MaxDepth + 1
}

// belief returns the distribution of rates for pages like this one: tops differ from members.
func (g *groups) belief(p sitegraph.PageID) *evidence.RateBelief {
	return g.beliefs[g.pages[p].traits&isTop]
}

// learnRates fits the distribution of rates over pages to all visits so far.
func (g *groups) learnRates() {
	g.ties.UpTo(g.corpus)
	for _, b := range g.beliefs {
		b.Sample(len(g.pages), func(yield func(sitegraph.PageID, *sitegraph.History) bool) {
			for p := range sitegraph.PageID(len(g.pages)) {
				if g.belief(p) == b && !yield(p, &g.corpus.Memory(p).History) {
					return
				}
			}
		}, g.ties.Of)
		b.Learn(g.round)
	}
}

// levels is the number of depths kept apart, in links from the start page; the last has the rest.
const levels = 9

// level returns the account of all pages, on any server, at the depth of a page. Tops and other
// pages have separate accounts. In rounds shorter than a day all depths share one account, so that
// the account learns the hours of the day sooner.
func (g *groups) level(p sitegraph.PageID) *evidence.Account {
	level := 0
	if g.round == 1 {
		level = min(g.depth(p), levels) - 1
	}
	if g.pages[p].traits&isTop != 0 {
		level += levels
	}
	return &g.levels[level]
}
