package planner

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// serverRankings rank the pages of a round that are worth reserve or more, server by server, and the servers by the
// best of each. What a visit tells, it tells first of all of the pages of its server: where
// thousands of them are worth less than they were ranked by, their server takes its new place after a
// few were scored anew, and no other server's pages have to be looked at.
//
// Scores that pages are ranked by may be too high: what was seen since can have lowered them. None is too low
// but by what nobody has looked at yet.
type serverRankings struct {
	of      []serverRanking // by server
	servers standings       // of servers: page is a ServerID; an entry is good if its score is the server's lead
}

// standing of a page by its worth, and of a server by the best of its own.
type (
	standing  = candidateOf[float32]
	standings = rankingOf[float32]
)

// serverRanking ranks pages of a server.
type serverRanking struct {
	pages standings // an entry is good if its score is the page's worth, and the page open
	lead  float32   // what the server is ranked by
	alive int32     // pages that could be visited when the round began
	tie   float32
}

// clear forgets all pages, before add and order, and makes room for new servers.
func (r *serverRankings) clear(v *value) {
	for s := sitegraph.ServerID(len(r.of)); int(s) < v.Corpus.Graph.Servers(); s++ {
		r.of = append(r.of, serverRanking{tie: float32(tie(v.Seed, v.Corpus.Graph.ServerName(s)))})
	}
	for s := range r.of {
		r.of[s].pages.heap, r.of[s].alive = r.of[s].pages.heap[:0], 0
	}
}

// standing is a page as its server ranks it.
func (v *value) standing(p sitegraph.PageID) standing {
	return standing{v.worth(p), v.ties.of[p], p}
}

// add ranks a page, before order.
func (r *serverRankings) add(v *value, p sitegraph.PageID) {
	of := &r.of[v.Corpus.Graph.Server(p)]
	of.pages.heap = append(of.pages.heap, v.standing(p))
}

// fit gives back room for far more pages than there are.
func (of *serverRanking) fit() {
	if n := len(of.pages.heap); cap(of.pages.heap) > 2*n+64 {
		of.pages.heap = slices.Clone(of.pages.heap)
	}
}

// order ranks all pages that were added, and the servers.
func (r *serverRankings) order() {
	r.servers.heap = r.servers.heap[:0]
	for s := range r.of {
		of := &r.of[s]
		of.pages.order()
		if len(of.pages.heap) > 0 {
			of.lead = of.pages.heap[0].score
			r.servers.heap = append(r.servers.heap, standing{of.lead, of.tie, sitegraph.PageID(s)})
		}
	}
	r.servers.order()
}

// price is what the last of so many visits is worth, if all go by the scores of now; NaN where there are none.
func (r *serverRankings) price(visits int) float64 {
	var all []float64
	for s := range r.of {
		for _, c := range r.of[s].pages.heap {
			all = append(all, float64(c.score))
		}
	}
	if len(all) == 0 || visits <= 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[max(len(all)-visits, 0)]
}

// push ranks a page by its worth.
func (r *serverRankings) push(v *value, p sitegraph.PageID) {
	s := v.Corpus.Graph.Server(p)
	of := &r.of[s]
	worth := v.worth(p)
	of.pages.push(v.standing(p))
	if len(of.pages.heap) == 1 || worth > of.lead {
		r.rank(s, worth)
	}
}

// rank gives a server its place.
func (r *serverRankings) rank(s sitegraph.ServerID, lead float32) {
	of := &r.of[s]
	of.lead = lead
	r.servers.push(standing{lead, of.tie, sitegraph.PageID(s)})
}

// next takes the page that is worth most, by a score made now, of the row left in v.row; false: there are no more. Another one
// may be worth more by a share of tolerance.
func (r *serverRankings) next(v *value) (sitegraph.PageID, bool) {
	for len(r.servers.heap) > 0 {
		first := r.servers.take()
		s := sitegraph.ServerID(first.page)
		if first.score != r.of[s].lead {
			continue // it was ranked anew since
		}
		p, ok := r.best(v, s)
		if !ok {
			continue // none is left: push brings it back
		}
		worth := v.worth(p)
		if len(r.servers.heap) > 0 && float64(worth) < (1-v.tolerance)*float64(r.servers.heap[0].score) {
			r.of[s].pages.push(v.standing(p))
			r.rank(s, worth)
			continue
		}
		if next, ok := r.of[s].first(v); ok {
			r.rank(s, next.score)
		}
		return p, true
	}
	return sitegraph.NoPage, false
}

// best takes the best page of a server: the first, if it stays the first when it is scored anew, else the best of it and
// a batch of the next. Its row is left in v.row.
func (r *serverRankings) best(v *value, s sitegraph.ServerID) (sitegraph.PageID, bool) {
	of := &r.of[s]
	best, ok := of.take(v)
	if !ok {
		return best, false
	}
	v.rate(best)
	if next, ok := of.first(v); !ok || float64(v.worth(best)) >= (1-v.tolerance)*float64(next.score) {
		return best, true
	}
	b := &v.batch
	for b.clear(); !b.full(); {
		p, ok := of.take(v)
		if !ok {
			break
		}
		b.add(p)
	}
	v.rateAll(b)
	for lane, p := range b.all() {
		if v.worth(p) > v.worth(best) {
			best, p = p, best
			v.row = b.rows[lane]
		}
		of.pages.push(v.standing(p))
	}
	return best, true
}

// first is the best entry that is good; those before it are dropped. False: there is none.
func (of *serverRanking) first(v *value) (standing, bool) {
	for ; len(of.pages.heap) > 0; of.pages.take() {
		if c := of.pages.heap[0]; c.score == v.worth(c.page) && v.open(c.page) {
			return c, true
		}
	}
	return standing{}, false
}

// take the page of the first entry; it may have several, which are alike.
func (of *serverRanking) take(v *value) (sitegraph.PageID, bool) {
	c, ok := of.first(v)
	if !ok {
		return sitegraph.NoPage, false
	}
	for len(of.pages.heap) > 0 && of.pages.heap[0] == c {
		of.pages.take()
	}
	return c.page, true
}
