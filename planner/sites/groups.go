package sites

import (
	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// groups puts each page into its site and its server, and keeps what visits told of them.
type groups struct {
	clock    evidence.Clock
	corpus   *planner.Pages
	ties     *planner.Ties
	all      evidence.Account             // of all pages but tops
	levels   [2 * levels]evidence.Account // by depth: of pages that are no tops, and of tops
	unlinked evidence.Account             // of pages to which no links lead any more
	ages     evidence.Account             // of pages that were born here, over their age
	servers  []server
	sites    []site
	keys     map[uint64]int32 // of sites, by GroupKey
	pages    []page
	beliefs  [2]*evidence.RateBelief // of members, and of tops
	hours    evidence.DayTimes
	states   evidence.States
	told     topTally
	room     []int32 `state:"-"` // for work
	finding  evidence.Pooled
	hubs     map[sitegraph.PageID]evidence.Mean // how many pages a change of a page made known, by page
	dead     evidence.Pooled
	// directories are by graph.Directory.
	directories []directory
	round       float32 // days that a round lasts, 1 at most
	// sweep: there is one round, of all pages. See effects.go.
	sweep bool
}

// server is what is known of the pages of a server.
type server struct {
	evidence.Account // of its pages but tops
	pages            int32
	tops             evidence.Account // of the tops of its sites
	unlinked         evidence.Account // of pages to which no links lead any more
	ages             evidence.Account // of pages born here, over their age
	tally            *evidence.Tally
	depths           [levels]*evidence.Tally // of its pages, by depth
	method           int8                    // in divisions
	divided          uint32                  // pages that it had then
	next             float32                 // days: when it is divided again
	divisions        int                     // made so far
	told             topTally
}

// site is a part of a server whose pages change together, as far as links and addresses tell.
type site struct {
	evidence.Account
	pages      int32
	tally      *evidence.Tally
	server     sitegraph.ServerID
	top        sitegraph.PageID // NoPage: it has none
	last       sitegraph.PageID // of its ring of pages, the page that was promoted last
	surprise   float32          // of visits since then
	topSeen    uint32           // unix seconds: when a top was last looked at
	topChanged uint32           // and when it was last seen to have changed
	finds      evidence.Mean
}

// directory is what is known of the pages of a directory.
type directory struct {
	dead  evidence.Mean // first visits
	tally *evidence.Tally
}

// page is what is known of a page beside the corpus: 20 bytes.
type page struct {
	site     int32
	next     sitegraph.PageID // of the same site, in a ring
	last     uint32           // unix seconds of its last visit, or when it was found gone
	expected float32          // changes expected of its visits by the gaps between them
	traits   uint8
	scored   uint16 // the round in which its score was made, and no visit followed; 0: another
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

// day of a moment, in days since the origin of the clock; 0 for never.
func (g *groups) day(unix uint32) float32 { return g.clock.Day(unix) }

// grow puts pages that became known into sites.
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

// of returns the accounts that a page belongs to: those of all pages, of its server and of its
// site. Tops have accounts of their own. So have pages to which no links lead any more, as old
// news: they change at other rates than the pages that their site still links to.
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

// rates are the changes a day that the groups of a page are believed to have in the long run.
type rates struct{ all, server, site float32 }

func (g *groups) rates(all, server, site *evidence.Account) (r rates) {
	r.all = all.Rate(g.all.Rate(defaultRate))
	r.server = server.Rate(r.all)
	if r.site = r.server; site != server {
		r.site = site.Rate(r.server)
	}
	return r
}

// defaultRate is that of estimator.DefaultPrior.
const defaultRate = 0.0038

// noteVisit tells the groups of a page what a visit saw, and how long after the one before.
func (g *groups) noteVisit(l outcome) {
	g.observe(l)
	s := g.corpus.Graph.Server(l.page)
	gap, passed := g.day(l.to)-g.day(l.from), g.hours.Passed(s, g.day(l.from), g.day(l.to))
	g.pages[l.page].expected += g.states.Share(s, gap, passed)
	g.states.See(s, gap, passed, l.changed)
}

// observe tells the accounts of a page what a visit saw.
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

// visited notes a visit, and reports whether it compared the page with its copy, or found that it
// left. A page that left is no change found.
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

// depth is in links from the start page, one more than any where none lead.
func (g *groups) depth(p sitegraph.PageID) int {
	if d := g.corpus.Graph.Depth(p); d > 0 {
		return d
	}
	return sitegraph.MaxDepth + 1
}

// belief is what is believed of the rates of pages like this one: tops differ from members.
func (g *groups) belief(p sitegraph.PageID) *evidence.RateBelief {
	return g.beliefs[g.pages[p].traits&isTop]
}

// learnRates learns how rates are distributed over pages, by what is known of them now.
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

// levels are the depths that are told apart, in links from the start page; the last is of all that
// lie deeper.
const levels = 9

// level is the account of all pages, of any server, at the depth of a page. Rounds shorter than a
// day have one of all depths: one of each would learn the hours of the day later.
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
