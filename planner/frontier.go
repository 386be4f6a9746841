package planner

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// frontier holds the known pages without a copy, in a queue for each server. The next page is the
// one that has waited longest among the first pages of all queues or, with turns, that of the
// server whose turn it is. Pages that the policy doubts wait.
type frontier struct {
	pages *Pages
	turns bool `state:"same"` // servers take turns
	// worth returns the worth of meeting a page: servers of better pages have more turns.
	worth func(p sitegraph.PageID) float64
	lines []newLine // by server
	// order ranks servers: Page is a ServerID, and an entry is valid if its score is the server's.
	order Heap[float64]
	// later ranks the servers that have used up their share.
	later Heap[float64]
	// share bounds the first visits among the visits of a server; 0: no bound.
	share   float64
	front   int32              // number of the last page that was put first
	back    int32              // number of the last page that was put last
	passed  float64            // turns: position of the server served last
	waiting int                // pages in queues
	failed  []sitegraph.PageID // to be asked for again in a later round
	// doubtful has the pages that the policy thinks not worth a visit in this round.
	doubtful []sitegraph.PageID
	// poor has the pages worth less than Options.LeastValue in this round.
	poor     []sitegraph.PageID
	recalled bool               // the round has room for these as well
	deep     []sitegraph.PageID // too deep and unlisted when it was their turn
}

// newLine is the queue of a server's new pages, first in, first out.
type newLine struct {
	pages    []ticket
	score    float64 // rank of the server
	claim    float64 // first visits left in its share
	served   float64 // turns: position after its last turn; see frontier.rank
	head     int32   // index of the first page
	ranked   bool
	later    bool  // it is ranked in later
	unlooked uint8 // first visits since the last refetch
}

// ticket is the place of a page among all that wait.
type ticket struct {
	number int32
	page   sitegraph.PageID
}

func (l *newLine) len() int { return len(l.pages) - int(l.head) }

// begin queues pages again whose wait after a failure is over, and deep pages that a shorter path
// now reaches. Depths must be up to date.
func (f *frontier) begin() {
	slices.Sort(f.deep)
	f.deep = slices.Compact(f.deep)
	f.deep = slices.DeleteFunc(f.deep, func(p sitegraph.PageID) bool {
		if !f.pages.Reached(p) {
			return false
		}
		f.add(p)
		return true
	})
	f.putBack(f.poor)
	f.putBack(f.doubtful)
	f.poor, f.doubtful, f.recalled = f.poor[:0], f.doubtful[:0], false
	failed := f.failed
	f.failed = f.failed[len(f.failed):]
	for _, p := range failed {
		if f.pages.Memory(p).State == sitegraph.StateNew {
			f.add(p)
		}
	}
}

// add queues a new page.
func (f *frontier) add(p sitegraph.PageID) {
	if m := f.pages.Memory(p); !m.queued {
		m.queued = true
		f.push(p)
	}
}

// push queues a page after all others.
func (f *frontier) push(p sitegraph.PageID) {
	f.back++
	s := f.pages.Graph.Server(p)
	l := f.line(s)
	if l.head > 1024 && int(l.head) > len(l.pages)/2 { // free the part before head
		l.pages = append(l.pages[:0], l.pages[l.head:]...)
		l.head = 0
	}
	l.pages = append(l.pages, ticket{f.back, p})
	f.waiting++
	f.rank(s)
}

// putBack queues pages that were popped as the next ones, in their order.
func (f *frontier) putBack(pages []sitegraph.PageID) {
	of := map[sitegraph.ServerID][]ticket{}
	number := f.front - int32(len(pages))
	f.front = number
	for _, p := range pages {
		number++
		s := f.pages.Graph.Server(p)
		of[s] = append(of[s], ticket{number, p})
	}
	f.waiting += len(pages)
	for s, tickets := range of {
		l := f.line(s)
		l.pages, l.head = slices.Concat(tickets, l.pages[l.head:]), 0
		f.rank(s)
	}
}

func (f *frontier) line(s sitegraph.ServerID) *newLine {
	for int(s) >= len(f.lines) {
		f.lines = append(f.lines, newLine{claim: 1})
	}
	return &f.lines[s]
}

// rank ranks a server, unless it is closed or none of its pages wait. With turns its rank is the
// end of its last turn, but not before that of the server served last: a server without waiting
// pages saves up no turns (start-time fair queueing: Goyal, Vin, Cheng 1996).
func (f *frontier) rank(s sitegraph.ServerID) {
	l := f.line(s)
	if l.len() == 0 || f.pages.Closed(s) {
		l.ranked = false
		return
	}
	first := l.pages[l.head]
	score := -float64(first.number)
	if f.turns {
		score = -max(l.served, f.passed)
	}
	later := f.share > 0 && l.claim < 1
	if l.ranked && l.score == score && l.later == later {
		return
	}
	l.score, l.ranked, l.later = score, true, later
	order := &f.order
	if later {
		order = &f.later
	}
	order.Push(Candidate[float64]{Score: score, Tie: float32(first.number),
		Page: sitegraph.PageID(s)})
}

// doubt keeps a page that was next for the next round, or for recall.
func (f *frontier) doubt(p sitegraph.PageID) {
	f.pages.Memory(p).queued = true
	f.doubtful = append(f.doubtful, p)
}

// leave keeps a page that was next for the next round, whatever is left of this one.
func (f *frontier) leave(p sitegraph.PageID) {
	f.pages.Memory(p).queued = true
	f.poor = append(f.poor, p)
}

// unpop makes the page popped last the next one again.
func (f *frontier) unpop(p sitegraph.PageID) {
	f.pages.Memory(p).queued = true
	s := f.pages.Graph.Server(p)
	l := f.line(s)
	if l.head == 0 || l.pages[l.head-1].page != p {
		f.putBack([]sitegraph.PageID{p})
		return
	}
	l.head--
	f.waiting++
	f.rank(s)
}

// recall queues the doubtful pages as the last. They are not doubted again in this round.
func (f *frontier) recall() {
	for _, p := range f.doubtful {
		f.push(p)
	}
	f.doubtful, f.recalled = f.doubtful[:0], true
}

// shareOut bounds first visits by a share of each server's visits; 0: no bound. A server begins
// with one.
func (f *frontier) shareOut(share float64) {
	if f.share == share {
		return
	}
	f.share = share
	for s := range f.lines {
		f.rank(sitegraph.ServerID(s))
	}
}

// count counts a visit of a server in its share, which a first visit uses unless it is a leftover,
// and for looksNow.
func (f *frontier) count(s sitegraph.ServerID, v *Visit) {
	l := f.line(s)
	if v.First {
		l.unlooked = min(l.unlooked+1, lookAfter)
	} else {
		l.unlooked = 0
	}
	if f.share == 0 {
		return
	}
	l.claim += f.share
	if v.First && !v.leftover {
		l.claim--
	}
	l.claim = min(max(l.claim, 0), 1)
	f.rank(s)
}

// uncount returns a first visit that was not made to its server's share.
func (f *frontier) uncount(s sitegraph.ServerID, v *Visit) {
	if f.share > 0 && !v.leftover {
		l := f.line(s)
		l.claim = min(l.claim+1, 1)
		f.rank(s)
	}
}

// next takes the page whose turn it is; with beyond, also of servers whose share is used up. It
// leaves pages deeper than MaxDepth until links bring them nearer.
func (f *frontier) next(beyond bool) (Visit, bool) {
	for p, ok := f.pop(beyond); ok; p, ok = f.pop(beyond) {
		m := f.pages.Memory(p)
		m.queued = false
		if m.State != sitegraph.StateNew {
			continue
		}
		if !f.pages.Reached(p) {
			f.deep = append(f.deep, p)
			continue
		}
		if !f.pages.Eligible(p) {
			f.failed = append(f.failed, p)
			continue
		}
		reason := Because("new page at depth %.0f", float64(f.pages.Graph.Depth(p)))
		if f.pages.Graph.Depth(p) == 0 {
			reason = Because("new page in a feed or sitemap")
		}
		return Visit{Page: p, First: true, Probability: math.NaN(), Value: math.NaN(),
			Reason: reason}, true
	}
	return Visit{}, false
}

// lookAfter is the number of first visits of a server in a row before a refetch is made, whatever
// its worth. Without refetches the policy would not learn which pages change, and no refetch would
// ever be worth a visit while new pages wait. This costs one visit in twenty.
const lookAfter = 19

// looksNow reports whether a server's next visit is to be a refetch.
func (f *frontier) looksNow(s sitegraph.ServerID) bool { return f.line(s).unlooked >= lookAfter }

// leastTurn is the least worth in a turn: 20 turns of a server of doubtful pages take as long as
// one of another.
const leastTurn = 0.05

// serve counts a turn for the server of a page that next returned and that is visited.
func (f *frontier) serve(p sitegraph.PageID) {
	if !f.turns {
		return
	}
	s := f.pages.Graph.Server(p)
	l := f.line(s)
	f.passed = max(l.served, f.passed)
	l.served = f.passed + 1/max(f.worth(p), leastTurn)
	f.rank(s)
}

// pop takes the next page of an open server.
func (f *frontier) pop(beyond bool) (sitegraph.PageID, bool) {
	for len(f.order.All) > 0 || beyond && len(f.later.All) > 0 {
		order, later := &f.order, false
		if len(f.order.All) == 0 {
			order, later = &f.later, true
		}
		first := order.Take()
		s := sitegraph.ServerID(first.Page)
		l := f.line(s)
		if !l.ranked || first.Score != l.score || l.later != later {
			continue // it was ranked again since
		}
		l.ranked = false
		if f.pages.Closed(s) {
			continue // Open brings it back
		}
		p := l.pages[l.head].page
		l.head++
		f.waiting--
		f.rank(s)
		return p, true
	}
	return sitegraph.NoPage, false
}

// len returns the number of queued pages, without those that are too deep.
func (f *frontier) len() int { return f.waiting + len(f.failed) + len(f.doubtful) + len(f.poor) }
