package sites

import (
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// ranker yields the candidate that is worth most.
type ranker struct {
	scorer
	surprises      []surpriseOf       // by server
	scratch        []sitegraph.PageID `state:"-"` // room for work
	rankings       []serverRanking    `state:"-"` // by server: candidates of this round
	servers        standings          `state:"-"` // page is a ServerID; an entry is good if its score is the lead
	offered        []sitegraph.PageID `state:"-"` // to be ranked
	unordered      bool               `state:"-"`
	samplesPlanned bool               `state:"-"`
	tolerance      float64            // 0 in a sweep
	least          float32            `state:"-"` // worth of the visits that are wanted
}

// standing of a page by its worth, and of a server by the best of its own.
type (
	standing  = planner.Candidate[float32]
	standings = planner.Heap[float32]
)

// serverRanking ranks the candidates of a server. Scores that pages are ranked by may be too high:
// what was seen since can have lowered them. So the best are scored anew before one is taken.
type serverRanking struct {
	pages standings // an entry is good if its score is the page's worth, and the page open
	lead  float32   // what the server is ranked by
	alive int32     // pages that could be visited when the round began
	tie   float32
}

const (
	// tolerance is how much less a visit of a stream may be worth than the best one. A sweep, which
	// is judged by its order, has none.
	tolerance = 0.02
	// refreshed pages are scored anew at most before one is taken, and refreshedInSweep in sweeps.
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

// orderRankings ranks the pages that were offered, and the servers.
func (v *ranker) orderRankings() {
	for _, p := range v.offered {
		of := &v.rankings[v.Pages.Graph.Server(p)]
		of.pages.All = append(of.pages.All, v.standing(p))
	}
	if n := len(v.offered); cap(v.offered) > 4*n+64 { // of a round with more
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

// standing is a page as its server ranks it.
func (v *scorer) standing(p sitegraph.PageID) standing {
	return standing{Score: v.worth(p), Tie: v.ties.Of(p), Page: p}
}

// priceAt is what the last of so many visits is worth, if all go by the scores of now; NaN where
// there are none.
func (v *ranker) priceAt(visits int) float64 {
	return planner.NthLargest(visits, func(yield func(float32) bool) {
		for _, p := range v.offered {
			yield(max(v.worth(p), 0))
		}
	})
}

// changesFrom is the share of expected changes in what visits to the pages that are worth a price
// or more are worth; 1 where there are none.
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

// rankServer gives a server its place.
func (v *ranker) rankServer(s sitegraph.ServerID, lead float32) {
	of := &v.rankings[s]
	of.lead = lead
	v.servers.Push(standing{Score: lead, Tie: of.tie, Page: sitegraph.PageID(s)})
}

// best takes the page that is worth most, by a score made anew; false: there are no more. Of a
// stream another one may be worth more by a share of tolerance.
func (v *ranker) best() (sitegraph.PageID, bool) {
	for len(v.servers.All) > 0 {
		first := v.servers.Take()
		s := sitegraph.ServerID(first.Page)
		of := &v.rankings[s]
		if first.Score != of.lead {
			continue // it was ranked anew since
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

// bestPage takes the best page of a server by a score made anew, or the best of refreshed that are.
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

// top is the best entry that is good; those before it are dropped. False: there is none.
func (v *ranker) top(of *standings) (standing, bool) {
	for ; len(of.All) > 0; of.Take() {
		if c := of.All[0]; c.Score == v.worth(c.Page) && v.Pages.Refetchable(c.Page) {
			return c, true
		}
	}
	return standing{}, false
}
