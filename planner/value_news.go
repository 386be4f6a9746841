package planner

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/sitegraph"
)

// What a visit shows can make other pages of its server worth more than they are ranked by. Where visits surprised, some
// are scored anew: pages of like address, and the best of the server. Not all of them: pages come by their scores, in blocks,
// so that those of a block are alike; one of each is probed, and the others are scored only where that one came to be worth more.
// What makes pages worth less needs no work: their scores are made anew when it is their turn.

// newsOf a server since the scores of its pages were made.
type newsOf struct {
	surprise float32 // sum of outcome - probability, where that is positive
	looks    int32
	inRound  int32
	follow   int32 // looks that followed others in this round
	doubts   doubts
	// order is its pages by their scores, in this round, best first: those still to be thought of. At most leastKept at
	// a time, or as many as were visited in the round; after is the last of them.
	order []sitegraph.PageID
	after standing
}

// beforeAll is before any other.
var beforeAll = standing{score: float32(math.Inf(1))}

const (
	// surprised is the surprise at which other pages are thought of again.
	surprised = 0.5
	// mostLike bounds the pages of like address that are.
	mostLike = 64
	// leastNews is how many of the best pages of a server are thought of, a block after the other. The next news are for those after them.
	leastNews = 400
	// idleMost pages in a row of which no probe was worth more than before: what was seen does not tell of those after them.
	idleMost = 200
	// block is the pages for which one is probed, at most one more than Lanes, and leastKept those that are put in order at once.
	block     = 8
	leastKept = 1600
)

// spread thinks again of pages that what a visit to one saw may have made worth more.
func (v *value) spread(p sitegraph.PageID, surprise float32) {
	v.thinkOfLike(p, v.kin.hear(p, surprise))
	server := v.Corpus.Graph.Server(p)
	n := &v.news[server]
	n.surprise += surprise
	n.looks++
	n.inRound++
	if n.surprise < surprised || n.looks < n.inRound/3 {
		return
	}
	// Until news come again half as many visits more are made here: to the best of them.
	n.surprise, n.looks = 0, 0
	pages := max(int(n.inRound), leastNews)
	for idle := 0; pages > 0 && idle < idleMost; {
		if len(n.order) == 0 && !v.byScore(server, n) {
			return
		}
		next := n.order[:min(block*logodds.Lanes, pages, len(n.order))]
		n.order = n.order[len(next):]
		pages -= len(next)
		if idle += len(next); v.probe(next) {
			idle = 0
		}
	}
}

// thinkOfLike thinks again of so many pages of the shape of a page, a batch at a time, as long as some came to be worth more.
func (v *value) thinkOfLike(p sitegraph.PageID, pages int) {
	b := &v.batch
	for pages > 0 {
		for b.clear(); pages > 0 && !b.full(); pages-- {
			if q := v.kin.nextLike(p); v.open(q) && !b.has(q) {
				b.add(q)
			}
		}
		if v.rescore(b) == 0 {
			return
		}
	}
}

// probe scores one open page of each block anew, and the others of those that came to be worth more; it reports whether
// there were any. Where they stay below what is of use in this round, the others are scored in the next.
func (v *value) probe(pages []sitegraph.PageID) bool {
	b := &v.batch
	b.clear()
	var rest [logodds.Lanes][]sitegraph.PageID
	for some := range slices.Chunk(pages, block) {
		if i := slices.IndexFunc(some, v.open); i >= 0 {
			rest[b.n] = some[i+1:]
			b.add(some[i])
		}
	}
	probed, n := b.pages, b.n
	rose := v.rescore(b)
	for lane, p := range probed[:n] {
		if rose>>lane&1 == 0 {
			continue
		}
		b.clear()
		for _, q := range rest[lane] {
			switch {
			case !v.open(q):
			case v.worth(p) < v.reserve:
				v.scores[q].again = v.now
			default:
				b.add(q)
			}
		}
		v.rescore(b)
	}
	return rose != 0
}

// rescore makes the scores of a batch of open pages anew; bit by bit: which came to be worth clearly more than before.
func (v *value) rescore(b *batch) (rose uint) {
	var before [logodds.Lanes]scored
	for lane, p := range b.all() {
		before[lane] = v.scores[p]
	}
	v.rateAll(b)
	for lane, p := range b.all() {
		if v.settle(p, before[lane]) {
			rose |= 1 << lane
		}
	}
	return rose
}

// reconsider scores an open page anew.
func (v *value) reconsider(p sitegraph.PageID) {
	before := v.scores[p]
	v.rate(p)
	v.settle(p, before)
}

// settle gives a page that was scored anew its place, and reports whether it is worth clearly more than before. If it is not,
// its score stays what it is ranked by, until it is the first.
func (v *value) settle(p sitegraph.PageID, before scored) bool {
	s := &v.scores[p]
	better := float64(s.worth) > (1+v.tolerance)*float64(before.worth)
	if better && s.worth >= v.reserve {
		v.rankings.push(v, p)
		return true
	}
	*s = before
	if better {
		s.again = v.now // in the next round
	}
	return better
}

// open reports whether a page may be visited and was not in this round.
func (v *value) open(p sitegraph.PageID) bool {
	return v.scores[p].again != 0 && v.Corpus.Refetchable(p)
}

// byScore finds those pages of a server that come next by their scores; false: there are no more, and
// the next news are for the first again.
func (v *value) byScore(server sitegraph.ServerID, n *newsOf) bool {
	after := v.room[:0]
	for _, p := range v.Corpus.Graph.ServerPages(server) {
		if c := (standing{v.scores[p].raw, v.ties.of[p], p}); n.after.before(c) && v.open(p) {
			after = append(after, c)
		}
	}
	v.room = after
	if len(after) == 0 {
		n.after = beforeAll
		return false
	}
	next := firstOf(after, max(leastKept, int(n.inRound)))
	slices.SortFunc(next, standing.compare)
	n.order, n.after = make([]sitegraph.PageID, len(next)), next[len(next)-1]
	for i, c := range next {
		n.order[i] = c.page
	}
	return true
}
