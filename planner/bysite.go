package planner

import (
	"cmp"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// method is a way to use a partition of servers into sites [LINK 4].
type method struct {
	by        string // partition, of sitegraph's; auto: the one that suits each server
	gated     bool   // C: a site is checked only if the top of an upper site changed
	rest      bool   // C then B: afterwards the sites that were not checked
	sentinels bool   // the tops are chosen by the pages' past
}

// auto as a partition is chosen for each server by its past.
const auto = "auto"

// learns reports whether the sites depend on the pages' past.
func (m method) learns() bool { return m.by == auto || m.sentinels }

var methods = map[string]method{
	"a":                {by: "a"},
	"b":                {by: "b"},
	"b-closure":        {by: "b-closure"},
	"c":                {by: "c", gated: true},
	"c-closure":        {by: "c-closure", gated: true},
	"c-then-b":         {by: "b", gated: true, rest: true},
	"c-then-b-closure": {by: "b-closure", gated: true, rest: true},

	"prefix":    {by: "prefix"},
	"shape":     {by: "shape"},
	"community": {by: "community"},
	"auto":      {by: auto},

	"sentinel-a":         {by: "a", sentinels: true},
	"sentinel-prefix":    {by: "prefix", sentinels: true},
	"sentinel-shape":     {by: "shape", sentinels: true},
	"sentinel-community": {by: "community", sentinels: true},
	"sentinel-auto":      {by: auto, sentinels: true},
}

// bySite visits the tops of sites first, and then the members of those whose top changed.
//
// As a sweep it stops there. Method C checks the sites of start pages, and then those
// reached by a link from a page of a site whose top changed, breadth-first; C then B goes
// on with the tops that were not checked. Members of sites whose tops proved true in the past
// come first where the method learns, else sites come in seeded order.
//
// As a stream, half of a day's budget goes to the tops in turn (C: to start pages); the rest
// to members of sites whose top changed since the member was last visited, then (C) to tops
// of sites below a changed one, and what is left to the oldest copies.
type bySite struct {
	cycling
	method
	*division
	only      sitegraph.ServerID        // the server it works on, or allServers
	tops      queue                     // what is left of this cycle
	topsLeft  int                       // visits to tops left in this round
	topsCarry float64                   // half a visit carried over
	lower     queue                     // C: tops of sites below a changed one
	reached   map[sitegraph.PageID]bool // C: tops that were put in line; in a stream, that are in it
	resting   bool                      // C then B, sweep: the rest has begun
	promoted  []*sitegraph.Site         // sites whose top changed in this sweep
	members   queue                     // members to visit
	begun     bool
	oldest    ranking
	ranked    bool // oldest is filled for this round
}

// newBySite makes the policy of a method.
func newBySite(name string) func(Settings) Policy {
	return func(s Settings) Policy { return bySiteOn(s, newDivision(s.Corpus, methods[name]), allServers) }
}

// bySiteOn restricts the policy to one server, unless only is allServers.
func bySiteOn(s Settings, d *division, only sitegraph.ServerID) *bySite {
	return &bySite{cycling: newCycling(s), method: d.how, division: d, only: only, reached: map[sitegraph.PageID]bool{}}
}

func (b *bySite) Begin(r Round) {
	restart := !b.begun
	b.begun, b.ranked = true, false
	b.update()
	b.topsLeft = b.Corpus.Pages() // more than there are
	if b.Mode == Stream && r.Budget != Unlimited {
		half := Budget{PerDay: float64(r.Budget) / 2, Carry: b.topsCarry}
		b.topsLeft = half.Grant(24 * time.Hour)
		b.topsCarry = half.Carry
	}
	if restart {
		b.startTops()
	}
	if b.Mode == Stream {
		b.promoteAgain(restart)
	}
}

// startTops puts the tops in line that are looked at without further evidence.
func (b *bySite) startTops() {
	b.tops.reset()
	b.eachSite(b.only, func(site *sitegraph.Site) {
		if b.gated && !b.resting && !(b.rest && b.Mode == Stream) && b.Corpus.Graph.Depth(site.Tops[0]) > 1 {
			return
		}
		b.tops.push(site.Tops...)
	})
	if b.Mode == Sweep {
		b.byDepth(b.tops.pages)
	} else {
		b.byAge(b.tops.pages) // a new policy goes on where an old one stopped
	}
}

// promoteAgain finds the members that still wait for a visit because a top of theirs changed
// after it: their histories tell, also after a restart, and of visits handed back or failed.
func (b *bySite) promoteAgain(restart bool) {
	b.members.reset()
	b.eachSite(b.only, func(site *sitegraph.Site) {
		for _, p := range site.Members {
			if b.waiting(p, site) {
				b.members.push(p)
			}
		}
		if restart && b.gated {
			b.reach(site)
		}
	})
	b.byAge(b.members.pages)
}

// byAge sorts pages by their last visit, the oldest first, then by depth.
func (b *bySite) byAge(pages []sitegraph.PageID) {
	b.byDepth(pages)
	slices.SortStableFunc(pages, func(p, q sitegraph.PageID) int {
		return cmp.Compare(b.Corpus.Memory(p).History.Last, b.Corpus.Memory(q).History.Last)
	})
}

// waiting reports whether a top of the site changed after p was last visited.
func (b *bySite) waiting(p sitegraph.PageID, site *sitegraph.Site) bool {
	last := b.Corpus.Memory(p).History.Last
	return slices.ContainsFunc(site.Tops, func(top sitegraph.PageID) bool {
		return b.Corpus.Memory(top).History.LastChange > last
	})
}

// Observe promotes the members of a site whose top changed, and with method C the tops of
// the sites below it; one changed top of several suffices (reading R1).
func (b *bySite) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	if verdict == sitegraph.VerdictFirst || verdict == sitegraph.VerdictLeft {
		b.outdated(b.Corpus.Graph.Server(p))
	}
	site := b.siteWithTop(p)
	if verdict != sitegraph.VerdictChanged || site == nil {
		return
	}
	if b.gated && !b.resting {
		b.reach(site)
	}
	if b.Mode == Sweep {
		b.promoted = append(b.promoted, site)
		return
	}
	var waiting []sitegraph.PageID
	for _, member := range site.Members {
		if b.waiting(member, site) {
			waiting = append(waiting, member)
		}
	}
	b.byAge(waiting)
	b.members.push(waiting...)
}

// reach puts the tops in line that a page of the site links to [LINK 4.3].
func (b *bySite) reach(site *sitegraph.Site) {
	var below []sitegraph.PageID
	for _, pages := range [][]sitegraph.PageID{site.Tops, site.Members} {
		for _, p := range pages {
			for _, q := range b.Corpus.Graph.Links(p) {
				q = b.Corpus.Graph.Through(q, b.hasCopy)
				lower := b.siteWithTop(q)
				if lower == nil || lower == site {
					continue
				}
				if b.reached[q] || b.Mode == Stream && !b.waiting(q, site) {
					continue
				}
				b.reached[q] = true
				below = append(below, q)
			}
		}
	}
	b.byDepth(below)
	b.lower.push(slices.Compact(below)...)
}

func (b *bySite) Next() (Visit, bool) {
	for {
		if p, ok := b.nextTop(); ok {
			return unranked(p, b.whyTop(p)), true
		}
		if b.Mode == Sweep && b.members.len() == 0 {
			b.startMembers()
		}
		for p, ok := b.members.pop(); ok; p, ok = b.members.pop() {
			if b.Corpus.Refetchable(p) {
				return unranked(p, because("the top page of its site changed")), true
			}
		}
		switch {
		case b.Mode == Stream:
			if p, ok := b.popTop(&b.lower); ok {
				return unranked(p, because("top of a site below a changed one")), true
			}
			return b.nextOldest()
		case !b.rest || b.resting:
			return Visit{}, false
		}
		b.resting = true
		b.topsLeft = b.Corpus.Pages() // more than there are
		b.startTops()
	}
}

func (b *bySite) whyTop(p sitegraph.PageID) Reason {
	if site := b.siteWithTop(p); b.sentinels && len(site.Members) > 0 {
		return because("sentinel of its site: if it changed, so did a share of %.2f of the %.0f other pages", b.trust[site], float64(len(site.Members)))
	}
	return because("top of its site, depth %.0f", float64(b.Corpus.Graph.Depth(p)))
}

func (b *bySite) nextTop() (sitegraph.PageID, bool) {
	for restarts := 0; restarts < 2 && b.topsLeft > 0; restarts++ {
		if b.Mode == Sweep {
			if p, ok := b.popTop(&b.lower); ok {
				return p, true
			}
		}
		if p, ok := b.popTop(&b.tops); ok {
			b.topsLeft--
			return p, true
		}
		if b.Mode == Sweep {
			return sitegraph.NoPage, false
		}
		b.startTops()
	}
	b.topsLeft = 0
	return sitegraph.NoPage, false
}

// popTop returns the first of a line that is still a top to be visited.
func (b *bySite) popTop(line *queue) (sitegraph.PageID, bool) {
	for p, ok := line.pop(); ok; p, ok = line.pop() {
		if b.Mode == Stream && line == &b.lower {
			delete(b.reached, p)
		}
		if b.siteWithTop(p) != nil && b.Corpus.Refetchable(p) {
			return p, true
		}
	}
	return sitegraph.NoPage, false
}

// startMembers queues the members of the promoted sites: sites whose tops proved true first, if
// the method learns, and else in seeded order.
func (b *bySite) startMembers() {
	t := b.ties.upTo(b.Corpus)
	slices.SortFunc(b.promoted, func(x, y *sitegraph.Site) int {
		return cmp.Or(cmp.Compare(b.trust[y], b.trust[x]), cmp.Compare(siteTie(t, x), siteTie(t, y)), int(x.Tops[0]-y.Tops[0]))
	})
	for _, site := range b.promoted {
		members := slices.Clone(site.Members)
		b.byDepth(members)
		b.members.push(members...)
	}
	b.promoted = b.promoted[:0]
}

// siteTie is the smallest of its tops' ties: which top comes first is an order of discovery.
func siteTie(t []float32, s *sitegraph.Site) float32 {
	tie := t[s.Tops[0]]
	for _, p := range s.Tops[1:] {
		tie = min(tie, t[p])
	}
	return tie
}

func (b *bySite) nextOldest() (Visit, bool) {
	if !b.ranked {
		b.oldest.fill(b.Corpus, b.ties.upTo(b.Corpus), func(p sitegraph.PageID) (float64, bool) {
			return -float64(b.Corpus.Memory(p).History.Last), true
		})
		b.ranked = true
	}
	best, ok := b.oldest.pop(b.Corpus)
	return unranked(best.page, because("oldest copy, budget left")), ok
}
