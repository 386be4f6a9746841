package value

import (
	"iter"
	"math"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/scratch"
)

// ranker yields the page that is worth most.
type ranker struct {
	scorer
	rankings  serverRankings  `state:"-"` // of this round: pages worth reserve or more
	queue     queue           `state:"-"` // what the next round takes over of them
	packed    *packedRankings // of both, while they are written down or read
	more      bool            // there are others
	reserve   float32         // half of the price, or more where too many pages are worth that
	batch     batch           `state:"-"` // room for work
	tolerance float64         // 0 in a sweep, as patience
	patience  float32
	least     float32 `state:"-"` // worth of the visits that are wanted

	// mostBlocks bounds the pages that are ranked at first to those of about so many blocks, the
	// blocks with the best pages; 0: no bound. A round has blocksAVisit for each of its visits, or
	// leastBlocks if that is more.
	mostBlocks                int `state:"-"`
	leastBlocks, blocksAVisit int `state:"-"`
}

const (
	blocksAVisit = 64
	leastBlocks  = 1 << 17
)

// serverRankings rank the pages of a round that are worth reserve or more, server by server, and
// the servers by the best of each. What a visit tells, it tells first of all of the pages of its
// server: where thousands of them are worth less than they were ranked by, their server takes its
// new place after a few were scored anew, and no other server's pages have to be looked at.
//
// Scores that pages are ranked by may be too high: what was seen since can have lowered them. None
// is too low but by the days that they wait (see note), by what nobody has looked at yet, and where
// pages were lifted by less than their scores would be (see probe). So the best of a server are
// scored anew, a batch at a time, and taken one after the other until the visits to their server
// brought so much that was not expected that these scores are doubtful, too. The others are
// expected to keep as much of their worth as the last batch did.
type serverRankings struct {
	of []serverRanking // by server
	// Of servers: page is a ServerID; an entry is good if its score is the server's lead.
	servers standings
}

// standing of a page by its worth, and of a server by the best of its own.
type (
	standing  = rank.Candidate[float32]
	standings = rank.Heap[float32]
)

// serverRanking ranks pages of a server.
type serverRanking struct {
	*ranked
	surprise float32 // since then: sum of |outcome - probability| of visits to the server
	// Share of the worth that the last batch of pages kept when it was scored anew; 1 at most.
	retention float32
	lead      float32 // what the server is ranked by
	alive     int32   // pages that could be visited when the round began
	tie       float32
}

// ranked are the pages of a server by their worth.
type ranked struct {
	pages standings  // an entry is good if its score is the page's worth, and the page open
	fresh standings  // the same, of the best, scored anew
	low   []standing // of pages worth less than reserve, for later rounds: see queue
}

// unranked is what is ranked of servers that never had a page to rank, as where none was visited.
// It is only read: own comes before a page is added.
var unranked ranked

// own makes room for pages.
func (of *serverRanking) own() *ranked {
	if of.ranked == &unranked {
		of.ranked = new(ranked)
	}
	return of.ranked
}

const (
	// tolerance is how much less a visit of a stream may be worth than the best one. A sweep, which
	// is judged by its order, has none, and no patience.
	tolerance = 0.02
	// patience is what may be learnt before fresh scores are doubtful. By 0.1 to 0.5 streams of
	// real histories find the same.
	patience = 0.25
	// leastStays bounds stays from below: pages of a server differ. In a sweep it stays 1.
	leastStays = 0.8
	// mostFresh scores are kept; when there are more, and again when they are doubtful, the best
	// are scored anew and the rest are not fresh.
	mostFresh = 8 * logodds.Lanes
)

// roomForServers ranks no page of new servers yet.
func (v *ranker) roomForServers() {
	for s := sitegraph.ServerID(len(v.rankings.of)); int(s) < v.Corpus.Graph.Servers(); s++ {
		v.rankings.of = append(
			v.rankings.of,
			serverRanking{ranked: &unranked,
				tie: float32(rank.Tie(v.Seed, v.Corpus.Graph.ServerName(s)))},
		)
	}
}

// standing is a page as its server ranks it.
func (v *scorer) standing(p sitegraph.PageID) standing {
	return standing{Score: v.worth(p), Tie: v.ties.Of(p), Page: p}
}

// add ranks a page, before order.
func (v *ranker) add(p sitegraph.PageID) {
	of := v.rankings.of[v.Corpus.Graph.Server(p)].own()
	of.pages.All = append(of.pages.All, v.standing(p))
}

// fit gives back room for far more pages than there are.
func (of *ranked) fit() {
	of.pages.Fit()
	of.fresh.Fit()
}

// orderRankings ranks all pages that were added, and the servers.
func (v *ranker) orderRankings() {
	v.rankings.servers.All = v.rankings.servers.All[:0]
	for s := range v.rankings.of {
		of := &v.rankings.of[s]
		of.pages.Order()
		if lead, ok := of.best(v); ok {
			of.lead = lead
			v.rankings.servers.All = append(
				v.rankings.servers.All,
				standing{Score: of.lead, Tie: of.tie, Page: sitegraph.PageID(s)},
			)
		}
	}
	v.rankings.servers.Order()
}

// nthLargest is the n-th largest of numbers that are not negative, or the least where there are
// fewer; NaN where there are none. It takes no memory by number: it counts them by the upper half
// of their bits, whose order is theirs, and then those that share one by the lower half.
func nthLargest(n int, of iter.Seq[float32]) float64 {
	const half = 16
	count := make([]int, 1<<half)
	lastOf := func(n int) (bits uint32, left int) {
		last := uint32(0)
		for bits = 1 << half; bits > 0 && n > 0; {
			bits--
			if count[bits] > 0 {
				last, left = bits, n
				n -= count[bits]
			}
		}
		return last, min(left, count[last])
	}
	all := 0
	for x := range of {
		count[math.Float32bits(x)>>half]++
		all++
	}
	if all == 0 || n <= 0 {
		return math.NaN()
	}
	upper, left := lastOf(n)
	clear(count)
	for x := range of {
		if bits := math.Float32bits(x); bits>>half == upper {
			count[bits&(1<<half-1)]++
		}
	}
	lower, _ := lastOf(left)
	return float64(math.Float32frombits(upper<<half | lower))
}

// priceAt is what the last of so many visits is worth, if all go by the scores of now; NaN where
// there are none.
func (v *ranker) priceAt(visits int) float64 {
	return nthLargest(visits, func(yield func(float32) bool) {
		pace := scratch.Pace{Alone: true}
		for i := range v.blocks {
			pace.Read(v.Corpus.Graph.Scratch(), 1)
			from, to := v.pagesOf(i)
			for p := from; p < to; p++ {
				if worth := v.worth(p); worth >= 0 && v.Corpus.Refetchable(p) {
					yield(max(worth, 0))
				}
			}
		}
	})
}

// leastOf is the worth of the n-th best block, where a block counts by its best page; 0 where there
// are no more than n.
func (v *ranker) leastOf(n int) float32 {
	if n >= len(v.blocks) {
		return 0
	}
	return float32(nthLargest(n, func(yield func(float32) bool) {
		for i := range v.blocks {
			yield(max(v.blocks[i].most, 0))
		}
	}))
}

// changesFrom is the share of expected changes in what visits to the pages that are worth a price
// or more are worth, by the scores of now; 1 where there are none.
func (v *ranker) changesFrom(price float64) float64 {
	var of spent
	for s := range v.rankings.of {
		for _, c := range v.rankings.of[s].pages.All {
			if float64(c.Score) >= price {
				of.changes += v.visit(c.Page).Value
				of.worth += float64(c.Score)
			}
		}
	}
	if !(of.worth > 0) {
		return 1
	}
	return of.changes / of.worth
}

// push ranks a page by its worth.
func (v *ranker) push(p sitegraph.PageID) {
	s := v.Corpus.Graph.Server(p)
	of := &v.rankings.of[s]
	worth := v.worth(p)
	of.own().pages.Push(v.standing(p))
	if len(of.pages.All)+len(of.fresh.All) == 1 || worth > of.lead {
		v.rankServer(s, worth)
	}
}

// rankServer gives a server its place.
func (v *ranker) rankServer(s sitegraph.ServerID, lead float32) {
	of := &v.rankings.of[s]
	of.lead = lead
	v.rankings.servers.Push(standing{Score: lead, Tie: of.tie, Page: sitegraph.PageID(s)})
}

// reopen ranks a server again that was passed while it was closed.
func (v *ranker) reopen(s sitegraph.ServerID) {
	if int(s) >= len(v.rankings.of) {
		return
	}
	if lead, ok := v.rankings.of[s].best(v); ok {
		v.rankServer(s, lead)
	}
}

// doubt adds what a visit to a server brought that was not expected.
func (v *ranker) doubt(s sitegraph.ServerID, surprise float32) {
	v.rankings.of[s].surprise += surprise
}

// best takes the page that is worth most, by a score that is fresh; false: there are no more. Of a
// stream another one may be worth more: by a share of tolerance, by what patience lets pass, and of
// those not scored anew by what leastStays takes from them.
func (v *ranker) best() (sitegraph.PageID, bool) {
	for len(v.rankings.servers.All) > 0 {
		first := v.rankings.servers.Take()
		s := sitegraph.ServerID(first.Page)
		of := &v.rankings.of[s]
		if first.Score != of.lead {
			continue // it was ranked anew since
		}
		if v.Corpus.Closed(s) {
			continue // opened brings it back
		}
		p, ok := of.take(v)
		if !ok {
			continue // none is left: push brings it back
		}
		worth := v.worth(p)
		if len(v.rankings.servers.All) > 0 &&
			float64(worth) < (1-v.tolerance)*float64(v.rankings.servers.All[0].Score) {
			of.fresh.Push(v.standing(p))
			v.rankServer(s, worth)
			continue
		}
		if lead, ok := of.best(v); ok {
			v.rankServer(s, lead)
		}
		return p, true
	}
	return sitegraph.NoPage, false
}

// best takes the best page of a server by fresh scores.
func (of *serverRanking) take(v *ranker) (sitegraph.PageID, bool) {
	if of.surprise >= v.patience || len(of.fresh.All) > mostFresh {
		of.refresh(v, &of.fresh)
		of.surprise = 0
	}
	fresh, ok := v.top(&of.fresh)
	other, more := v.top(&of.pages)
	if more && (!ok || float64(fresh.Score) < (1-v.tolerance)*float64(of.retention*other.Score)) {
		before, after := of.refresh(v, &of.pages)
		if v.Mode == planner.Stream && before > 0 {
			of.retention = min(max(after/before, leastStays), 1)
		}
	}
	return v.take(&of.fresh)
}

// refresh scores a batch of the best anew, of fresh scores or of the others, and returns what they
// were worth together and what they are. Fresh scores that are not of the batch are fresh no more.
func (of *serverRanking) refresh(v *ranker, from *standings) (before, after float32) {
	b := &v.batch
	for b.clear(); !b.full(); {
		p, ok := v.take(from)
		if !ok {
			break
		}
		before += v.worth(p)
		b.add(p)
	}
	if from == &of.fresh {
		for _, c := range of.fresh.All {
			of.pages.Push(c)
		}
		of.fresh.All = of.fresh.All[:0]
	}
	v.rateAll(b)
	v.invalidateAll(b)
	for _, p := range b.all() {
		after += v.worth(p)
		of.fresh.Push(v.standing(p))
	}
	return before, after
}

// best is what a server is ranked by; false: it has no page left.
func (of *serverRanking) best(v *ranker) (lead float32, ok bool) {
	fresh, ok := v.top(&of.fresh)
	other, more := v.top(&of.pages)
	return max(fresh.Score, of.retention*other.Score), ok || more
}

// top is the best entry that is good; those before it are dropped. False: there is none.
func (v *ranker) top(of *standings) (standing, bool) {
	for ; len(of.All) > 0; of.Take() {
		v.batch.pace.Read(v.Corpus.Graph.Scratch(), 2)
		if c := of.All[0]; c.Score == v.worth(c.Page) {
			if v.open(c.Page) {
				return c, true
			}
			v.queue.drop(c.Page)
		}
	}
	return standing{}, false
}

// take the page of the first entry that is good; it may have several, which are alike.
func (v *ranker) take(of *standings) (sitegraph.PageID, bool) {
	c, ok := v.top(of)
	if !ok {
		return sitegraph.NoPage, false
	}
	for len(of.All) > 0 && of.All[0] == c {
		of.Take()
	}
	v.queue.drop(c.Page)
	return c.Page, true
}
