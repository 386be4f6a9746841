package value

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/sitegraph"
)

// An outcome can make other pages of its server worth more than they are ranked by. Where outcomes
// surprised, some pages are scored anew: those of the same address shape, and the best of the
// server.
//
// Scoring all of them would cost too much. So the pages are taken in the order of their scores, in
// blocks of similar ones. One page of each block is scored anew; where its worth rose, the worth of
// the others is raised by the same factor. Their own scores are made anew when it is their turn. In
// a sweep, which is judged by its order, and where examples for learning are collected, all are
// scored at once.

// propagation finds the pages that an outcome makes worth more.
type propagation struct {
	ranker
	surprises []surpriseOf // by server
	scratch   []place      `state:"-"` // room for work
}

// surpriseOf a server since the scores of its pages were made.
type surpriseOf struct {
	sum       float32 // sum of outcome - probability, where that is positive
	visits    int32
	inRound   int32
	followUps int32 // probes that followed others in this round
	order     *order
}

// order is that of a server's pages by their scores, in this round. Most servers need none.
type order struct {
	// pages are those still to be thought of, best first. At most leastKept at a time, or as many
	// as were visited in the round; after is the last of them.
	pages []sitegraph.PageID `state:"-"`
	after place
}

// place of a page in the order of scores: the larger ones first, and among equal ones the smaller
// ties. The zero value is before all.
type place struct {
	key  uint64 // the bits of both numbers, which are 0 or more; those of the score inverted
	page sitegraph.PageID
}

func placed(score, tie float32, p sitegraph.PageID) place {
	return place{uint64(^math.Float32bits(score))<<32 | uint64(math.Float32bits(tie)), p}
}

func (a place) before(b place) bool { return a.key < b.key || a.key == b.key && a.page < b.page }

func (a place) compare(b place) int {
	switch {
	case a.before(b):
		return -1
	case b.before(a):
		return 1
	}
	return 0
}

const (
	// surprised is the surprise at which other pages are thought of again.
	surpriseThreshold = 0.5
	// mostLike bounds the pages of like address that are.
	mostOfShape = 64
	// leastRescored is how many of the best pages of a server are looked through, a block after the
	// other. The next surprise is for those after them.
	leastRescored = 400
	// idleMost pages in a row of which no probe was worth more than before: what was seen does not
	// tell of those after them.
	mostIdle = 200
	// block is the pages for which one is probed; by mostLift times at most it lifts the others.
	block    = 8
	mostLift = 1000
	// leastKept is the pages that are put in order at once.
	leastKept = 1600
)

// propagate thinks again of pages that what a visit to one saw may have made worth more.
func (v *propagation) propagate(p sitegraph.PageID, surprise float32) {
	v.rescoreShape(p, v.groups.addSurprise(p, surprise))
	server := v.Corpus.Graph.Server(p)
	n := &v.surprises[server]
	n.sum += surprise
	n.visits++
	n.inRound++
	if n.sum < surpriseThreshold || n.visits < n.inRound/3 {
		return
	}
	// Until the next time half as many visits more are made here: to the best of them.
	n.sum, n.visits = 0, 0
	pages := max(int(n.inRound), leastRescored)
	if n.order == nil {
		n.order = new(order)
	}
	for idle := 0; pages > 0 && idle < mostIdle; {
		if len(n.order.pages) == 0 && !v.inScoreOrder(server, n) {
			return
		}
		next := n.order.pages[:min(block*logodds.Lanes, pages, len(n.order.pages))]
		n.order.pages = n.order.pages[len(next):]
		pages -= len(next)
		if idle += len(next); v.rescoreSample(next) {
			idle = 0
		}
	}
}

// rescoreShape thinks again of so many pages of the shape of a page, a batch at a time, as long as
// some came to be worth more.
func (v *propagation) rescoreShape(p sitegraph.PageID, pages int) {
	b := &v.batch
	for pages > 0 {
		for b.clear(); pages > 0 && !b.full(); pages-- {
			if q := v.groups.nextOfShape(p); v.open(q) && !b.has(q) {
				b.add(q)
			}
		}
		if v.rescore(b) == 0 {
			return
		}
	}
}

// rescoreSample scores one open page of each block anew, and where it came to be worth more lifts
// the others, or scores them, too, if it is to be exact; it reports whether there were any. Those
// that stay below what is of use in this round are scored in the next.
func (v *propagation) rescoreSample(pages []sitegraph.PageID) bool {
	b := &v.batch
	b.clear()
	b.pace.Read(v.Corpus.Graph.Scratch(), len(pages)) // for those that are not scored
	var others [logodds.Lanes][]sitegraph.PageID
	var before [logodds.Lanes]float32
	for some := range slices.Chunk(pages, block) {
		if i := slices.IndexFunc(some, v.open); i >= 0 {
			others[b.n], before[b.n] = some[i+1:], v.worth(some[i])
			b.add(some[i])
		}
	}
	probed, n := b.pages, b.n
	rose := v.rescore(b)
	b.clear()
	for lane, p := range probed[:n] {
		if rose>>lane&1 == 0 {
			continue
		}
		times := min(v.worth(p)/before[lane], mostLift)
		for _, q := range others[lane] {
			s := &v.scores[q]
			v.invalidate(q)
			switch lifted := s.worth * times; {
			case !v.open(q):
			case v.worth(p) < v.reserve, !v.exact && lifted < v.reserve:
				s.again = v.now
			case !v.exact:
				s.worth = lifted
				v.push(q)
			default:
				if b.add(q); b.full() {
					v.rescore(b)
					b.clear()
				}
			}
		}
	}
	v.rescore(b)
	return rose != 0
}

// rescore makes the scores of a batch of open pages anew; bit by bit: which came to be worth
// clearly more than before.
func (v *ranker) rescore(b *batch) (rose uint) {
	var before [logodds.Lanes]scored
	for lane, p := range b.all() {
		before[lane] = v.scores[p]
	}
	v.rateAll(b)
	v.invalidateAll(b)
	for lane, p := range b.all() {
		if v.settle(p, before[lane]) {
			rose |= 1 << lane
		}
	}
	return rose
}

// reconsider scores an open page anew.
func (v *ranker) reconsider(p sitegraph.PageID) {
	before := v.scores[p]
	v.rate(p)
	v.settle(p, before)
}

// settle gives a page that was scored anew its place, and reports whether it is worth clearly more
// than before. If it is not, its score stays what it is ranked by, until it is the first.
func (v *ranker) settle(p sitegraph.PageID, before scored) bool {
	s := &v.scores[p]
	better := float64(s.worth) > (1+v.tolerance)*float64(before.worth)
	if better && s.worth >= v.reserve {
		v.push(p)
		return true
	}
	*s = before
	if better {
		s.again = v.now // in the next round
	}
	return better
}

// open reports whether a page may be visited and was not in this round.
func (v *scorer) open(p sitegraph.PageID) bool {
	return v.scores[p].again != 0 && v.Corpus.Refetchable(p)
}

// inScoreOrder finds those pages of a server that come next by their scores; false: there are no
// more, and the next surprise is for the first again.
func (v *propagation) inScoreOrder(server sitegraph.ServerID, n *surpriseOf) bool {
	after := v.scratch[:0]
	for _, p := range v.Corpus.Graph.ServerPages(server) {
		v.batch.pace.Read(v.Corpus.Graph.Scratch(), 1)
		if s := &v.scores[p]; s.again != 0 { // whether it is open is asked when it is its turn
			if c := placed(s.raw, v.ties.Of(p), p); n.order.after.before(c) {
				after = append(after, c)
			}
		}
	}
	v.scratch = after
	if len(after) == 0 {
		n.order.after = place{}
		return false
	}
	next := firstOf(after, max(leastKept, int(n.inRound)))
	slices.SortFunc(next, place.compare)
	n.order.pages, n.order.after = make([]sitegraph.PageID, len(next)), next[len(next)-1]
	for i, c := range next {
		n.order.pages[i] = c.page
	}
	return true
}

// firstOf puts the first n places before the others, in any order, and returns them (Hoare's
// quickselect 1961).
func firstOf(all []place, n int) []place {
	if n >= len(all) {
		return all
	}
	for low, high := 0, len(all)-1; low < high; {
		pivot := all[(low+high)/2]
		i, j := low, high
		for i <= j {
			for all[i].before(pivot) {
				i++
			}
			for pivot.before(all[j]) {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			high = j
		case n > i:
			low = i
		default:
			low = high
		}
	}
	return all[:n]
}
