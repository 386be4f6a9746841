package sites

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// ranker returns the candidates in order of their worth.
type ranker struct {
	scorer
	surprises []surpriseOf       // by server
	scratch   []sitegraph.PageID `state:"-"` // scratch space
	rankings  []serverRanking    `state:"-"` // by server: candidates of this round
	// servers has a ServerID as Page. An entry is valid if its score is the server's lead.
	servers        standings          `state:"-"`
	offered        []sitegraph.PageID `state:"-"` // offered pages, not ranked yet
	unordered      bool               `state:"-"`
	samplesPlanned bool               `state:"-"`
	tolerance      float64            // 0 in a sweep
	least          float32            `state:"-"` // least worth of a visit that Next returns
}

// standing is the rank of a page by its worth, or of a server by that of its best page.
type (
	standing  = planner.Candidate[float32]
	standings = planner.Heap[float32]
)

// serverRanking ranks the candidates of a server. Their scores may be too high, since later
// outcomes can have lowered them. So the best pages are scored anew before one is taken.
type serverRanking struct {
	pages standings // an entry is valid if its score is the page's worth and the page is open
	lead  float32   // the worth by which the server is ranked
	alive int32     // pages open to visits when the round began
	tie   float32
}

const (
	// tolerance is the share by which a visit of a stream may be worth less than the best one. It
	// is zero in a sweep, which is judged by its order.
	tolerance = 0.02
	// refreshed bounds the pages scored anew before one is taken; refreshedInSweep in sweeps.
	refreshed, refreshedInSweep = 8, 32
)

// beginRanking begins a round, before pages are offered.
func (v *ranker) beginRanking() {
	v.offered, v.servers.All = v.offered[:0], v.servers.All[:0]
	for s := range v.rankings {
		of := &v.rankings[s]
		of.pages.All = of.pages.All[:0]
		of.pages.Fit()
		of.alive = int32(v.Pages.Alive(sitegraph.ServerID(s)))
		n := &v.surprises[s]
		n.inRound, n.followUps, n.byScore = 0, 0, standings{}
	}
}

// orderRankings ranks the offered pages and the servers.
func (v *ranker) orderRankings() {
	for _, p := range v.offered {
		of := &v.rankings[v.Pages.Graph.Server(p)]
		of.pages.All = append(of.pages.All, v.standing(p))
	}
	if n := len(v.offered); cap(v.offered) > 4*n+64 { // room for a larger round is let go
		v.offered = nil
	}
	v.offered = v.offered[:0]
	v.servers.All = v.servers.All[:0]
	for s := range v.rankings {
		of := &v.rankings[s]
		of.pages.Order()
		if first, ok := v.top(&of.pages); ok {
			of.lead = first.Score
			v.servers.All = append(v.servers.All,
				standing{Score: of.lead, Tie: of.tie, Page: sitegraph.PageID(s)})
		}
	}
	v.servers.Order()
}

// standing returns the rank of a page at its server.
func (v *scorer) standing(p sitegraph.PageID) standing {
	return standing{Score: v.worth(p), Tie: v.ties.Of(p), Page: p}
}

// priceAt returns the worth of the last of a number of visits, by present scores; NaN without any.
func (v *ranker) priceAt(visits int) float64 {
	return planner.NthLargest(visits, func(yield func(float32) bool) {
		for _, p := range v.offered {
			yield(max(v.worth(p), 0))
		}
	})
}

// changesFrom returns the share of expected changes in the worth of visits to pages above a price;
// 1 if there are none.
func (v *ranker) changesFrom(price float64) float64 {
	var of spent
	for _, p := range v.offered {
		if w := float64(v.worth(p)); w >= price {
			of.changes += v.visit(p).Value
			of.worth += w
		}
	}
	if !(of.worth > 0) {
		return 1
	}
	return of.changes / of.worth
}

// push ranks a page by its worth.
func (v *ranker) push(p sitegraph.PageID) {
	s, worth := v.Pages.Graph.Server(p), v.worth(p)
	of := &v.rankings[s]
	of.pages.Push(v.standing(p))
	if len(of.pages.All) == 1 || worth > of.lead {
		v.rankServer(s, worth)
	}
}

// rankServer ranks a server by the worth of its best page.
func (v *ranker) rankServer(s sitegraph.ServerID, lead float32) {
	of := &v.rankings[s]
	of.lead = lead
	v.servers.Push(standing{Score: lead, Tie: of.tie, Page: sitegraph.PageID(s)})
}

// best takes the page that is worth most, by a new score; false if none is left. In a stream
// another page may be worth more, by a share of tolerance.
func (v *ranker) best() (sitegraph.PageID, bool) {
	for len(v.servers.All) > 0 {
		first := v.servers.Take()
		s := sitegraph.ServerID(first.Page)
		of := &v.rankings[s]
		if first.Score != of.lead {
			continue // it was ranked again since
		}
		if v.Pages.Closed(s) {
			continue // Opened brings it back
		}
		p, ok := of.bestPage(v)
		if !ok {
			continue // none is left: push brings it back
		}
		worth := v.worth(p)
		if len(v.servers.All) > 0 &&
			float64(worth) < (1-v.tolerance)*float64(v.servers.All[0].Score) {
			of.pages.Push(v.standing(p))
			v.rankServer(s, worth)
			continue
		}
		if next, ok := v.top(&of.pages); ok {
			v.rankServer(s, next.Score)
		}
		return p, true
	}
	return sitegraph.NoPage, false
}

// bestPage takes the best page of a server. It scores pages anew first, at most refreshed.
func (of *serverRanking) bestPage(v *ranker) (sitegraph.PageID, bool) {
	var room [refreshedInSweep]standing
	scored, most := room[:0], refreshed
	if v.Mode == planner.Sweep {
		most = refreshedInSweep
	}
	best := 0
	for len(scored) < most {
		next, ok := v.top(&of.pages)
		if !ok || len(scored) > 0 && !next.Before(scored[best]) {
			break
		}
		of.pages.Take()
		v.rate(next.Page)
		scored = append(scored, v.standing(next.Page))
		if last := len(scored) - 1; scored[last].Before(scored[best]) {
			best = last
		}
	}
	for i, c := range scored {
		if i != best {
			of.pages.Push(c)
		}
	}
	if len(scored) == 0 {
		return sitegraph.NoPage, false
	}
	return scored[best].Page, true
}

// top drops invalid entries and returns the best valid one; false if there is none.
func (v *ranker) top(of *standings) (standing, bool) {
	for ; len(of.All) > 0; of.Take() {
		if c := of.All[0]; c.Score == v.worth(c.Page) && v.Pages.Refetchable(c.Page) {
			return c, true
		}
	}
	return standing{}, false
}
