package planner

import (
	"cmp"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// methodA is [LINK 4.1]: the tops of all sites first, then the members of those sites whose
// top changed. As a sweep it stops there. As a stream, half of a day's budget goes to the
// tops in turn; the rest to members of sites whose top changed since the member was last
// visited, and what is left to the oldest copies.
type methodA struct {
	cycling
	sites    map[sitegraph.ServerID][]sitegraph.Site
	versions []int             // of each server's graph when its sites were computed
	topOf    []*sitegraph.Site // by page: the site it is a top of; nil: no top
	tops     queue             // what is left of this cycle
	topsLeft int               // visits to tops left in this round
	promoted []*sitegraph.Site // sites whose top changed in this sweep
	members  queue             // members to visit
	oldest   ranking
	ranked   bool // oldest is filled for this round
}

func newMethodA(s Settings) Policy {
	return &methodA{cycling: newCycling(s), sites: map[sitegraph.ServerID][]sitegraph.Site{}}
}

func (a *methodA) Begin(r Round) {
	restart := len(a.versions) == 0
	a.partition()
	a.ranked = false
	a.topsLeft = (r.Budget + 1) / 2
	if a.Mode == Sweep || r.Budget == Unlimited {
		a.topsLeft = a.Corpus.Pages()
	}
	if restart {
		a.startTops()
	}
	if a.Mode == Stream {
		a.promoteAgain()
	}
}

// partition brings the sites of servers whose graph changed up to date.
func (a *methodA) partition() {
	g := a.Corpus.Graph
	a.topOf = append(a.topOf, make([]*sitegraph.Site, a.Corpus.Pages()-len(a.topOf))...)
	for s := range sitegraph.ServerID(g.Servers()) {
		if int(s) < len(a.versions) && a.versions[s] == g.Version(s) {
			continue
		}
		for _, site := range a.sites[s] {
			for _, top := range site.Tops {
				a.topOf[top] = nil
			}
		}
		sites := g.PartitionA(s, a.hasCopy).Sites
		for i := range sites {
			for _, top := range sites[i].Tops {
				a.topOf[top] = &sites[i]
			}
		}
		a.sites[s] = sites
		if int(s) == len(a.versions) {
			a.versions = append(a.versions, 0)
		}
		a.versions[s] = g.Version(s)
	}
}

// outdated makes the next round partition a server anew: only pages with a copy count.
func (a *methodA) outdated(s sitegraph.ServerID) {
	if int(s) < len(a.versions) {
		a.versions[s] = 0 // versions of a refreshed graph begin at 1
	}
}

func (a *methodA) hasCopy(p sitegraph.PageID) bool {
	return a.Corpus.Memory(p).State == sitegraph.StateAlive
}

func (a *methodA) startTops() {
	a.tops.reset()
	for p, site := range a.topOf {
		if site != nil {
			a.tops.push(sitegraph.PageID(p))
		}
	}
	if a.Mode == Sweep {
		a.byDepth(a.tops.pages)
	} else {
		a.byAge(a.tops.pages) // a new policy goes on where an old one stopped
	}
}

// promoteAgain finds the members that still wait for a visit because a top of theirs changed
// after it: their histories tell, also after a restart, and of visits handed back or failed.
func (a *methodA) promoteAgain() {
	a.members.reset()
	for _, sites := range a.sites {
		for i := range sites {
			for _, p := range sites[i].Members {
				if a.waiting(p, &sites[i]) {
					a.members.push(p)
				}
			}
		}
	}
	a.byAge(a.members.pages)
}

// byAge sorts pages by their last visit, the oldest first, then by depth.
func (a *methodA) byAge(pages []sitegraph.PageID) {
	a.byDepth(pages)
	slices.SortStableFunc(pages, func(p, q sitegraph.PageID) int {
		return cmp.Compare(a.Corpus.Memory(p).History.Last, a.Corpus.Memory(q).History.Last)
	})
}

// waiting reports whether a top of the site changed after p was last visited.
func (a *methodA) waiting(p sitegraph.PageID, site *sitegraph.Site) bool {
	last := a.Corpus.Memory(p).History.Last
	for _, top := range site.Tops {
		if a.Corpus.Memory(top).History.LastChange > last {
			return true
		}
	}
	return false
}

// Observe promotes the members of a site whose top changed; one changed top of several
// suffices (reading R1).
func (a *methodA) Observe(p sitegraph.PageID, verdict sitegraph.Verdict) {
	if verdict == sitegraph.VerdictFirst || verdict == sitegraph.VerdictLeft {
		a.outdated(a.Corpus.Graph.Server(p))
	}
	if verdict != sitegraph.VerdictChanged || int(p) >= len(a.topOf) || a.topOf[p] == nil {
		return
	}
	if a.Mode == Sweep {
		a.promoted = append(a.promoted, a.topOf[p])
		return
	}
	var waiting []sitegraph.PageID
	for _, member := range a.topOf[p].Members {
		if a.waiting(member, a.topOf[p]) {
			waiting = append(waiting, member)
		}
	}
	a.byAge(waiting)
	a.members.push(waiting...)
}

func (a *methodA) Next() (Visit, bool) {
	if p, ok := a.nextTop(); ok {
		return unranked(p, because("top of its directory, depth %.0f", float64(a.Corpus.Graph.Depth(p)))), true
	}
	if a.Mode == Sweep && a.members.len() == 0 {
		a.startMembers()
	}
	for p, ok := a.members.pop(); ok; p, ok = a.members.pop() {
		if a.Corpus.Refetchable(p) {
			return unranked(p, because("the top page of its directory changed")), true
		}
	}
	if a.Mode == Sweep {
		return Visit{}, false
	}
	return a.nextOldest()
}

func (a *methodA) nextTop() (sitegraph.PageID, bool) {
	for restarts := 0; restarts < 2 && a.topsLeft > 0; restarts++ {
		for p, ok := a.tops.pop(); ok; p, ok = a.tops.pop() {
			if a.topOf[p] != nil && a.Corpus.Refetchable(p) {
				a.topsLeft--
				return p, true
			}
		}
		if a.Mode == Sweep {
			break
		}
		a.startTops()
	}
	a.topsLeft = 0
	return sitegraph.NoPage, false
}

// siteTie is the smallest of its tops' ties: which top comes first is an order of discovery.
func siteTie(t []float32, s *sitegraph.Site) float32 {
	tie := t[s.Tops[0]]
	for _, p := range s.Tops[1:] {
		tie = min(tie, t[p])
	}
	return tie
}

// startMembers queues the members of the promoted sites, sites in seeded order.
func (a *methodA) startMembers() {
	t := a.ties.upTo(a.Corpus)
	slices.SortFunc(a.promoted, func(x, y *sitegraph.Site) int {
		if byTie := cmp.Compare(siteTie(t, x), siteTie(t, y)); byTie != 0 {
			return byTie
		}
		return int(x.Tops[0] - y.Tops[0])
	})
	for _, site := range a.promoted {
		members := slices.Clone(site.Members)
		a.byDepth(members)
		a.members.push(members...)
	}
	a.promoted = a.promoted[:0]
}

func (a *methodA) nextOldest() (Visit, bool) {
	if !a.ranked {
		a.oldest.fill(a.Corpus, a.ties.upTo(a.Corpus), func(p sitegraph.PageID) (float64, bool) {
			return -float64(a.Corpus.Memory(p).History.Last), true
		})
		a.ranked = true
	}
	best, ok := a.oldest.pop(a.Corpus)
	return unranked(best.page, because("oldest copy, budget left")), ok
}
