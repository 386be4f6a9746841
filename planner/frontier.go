package planner

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// frontier holds the pages that are known by a link and have no copy, in a line for each server. Of
// the first pages of all lines the one that has waited longest is next; with turns, the one of the
// server whose turn it is. Pages that the policy doubts wait.
type frontier struct {
	pages *Pages
	turns bool `state:"same"` // servers take turns
	// of meeting a page: a server of better pages has more turns
	worth func(p sitegraph.PageID) float64
	lines []newLine // by server
	// Of servers; page is a ServerID; an entry is good if its score is the line's.
	order Heap[float64]
	// Of servers that have had their share, if each has one.
	later Heap[float64]
	// of a server's visits that first ones of its new pages take; 0: no bound
	share   float64
	front   int32              // number of the last page that was put before all others
	back    int32              // and behind
	passed  float64            // turns: where the server stood that was served last
	waiting int                // pages in lines
	failed  []sitegraph.PageID // to be asked for again in a later round
	// doubtful are pages that the policy does not think worth a visit in this round.
	doubtful []sitegraph.PageID
	// poor are those worth less than Options.LeastValue in this round.
	poor     []sitegraph.PageID
	recalled bool               // in this round there is room for these, too
	deep     []sitegraph.PageID // neither reached within MaxDepth nor listed when it was their turn
}

// newLine is what waits of a server, first in, first out.
type newLine struct {
	pages    []ticket
	score    float64 // what the server is ranked by
	claim    float64 // first visits that its share has room for
	served   float64 // turns: where it stands after what was served; see frontier.rank
	head     int32   // of pages
	ranked   bool
	later    bool  // there
	unlooked uint8 // first visits since the last visit to a page with a copy
}

// ticket is a page's place among all that wait.
type ticket struct {
	number int32
	page   sitegraph.PageID
}

func (l *newLine) len() int { return len(l.pages) - int(l.head) }

// begin puts pages whose visit failed back in line once their wait is over, and deep ones
// that a shorter path reaches by now. Depths must be up to date.
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

// add puts a new page in line.
func (f *frontier) add(p sitegraph.PageID) {
	if m := f.pages.Memory(p); !m.queued {
		m.queued = true
		f.push(p)
	}
}

// push puts a page behind all others.
func (f *frontier) push(p sitegraph.PageID) {
	f.back++
	s := f.pages.Graph.Server(p)
	l := f.line(s)
	if l.head > 1024 && int(l.head) > len(l.pages)/2 { // give back what was popped
		l.pages = append(l.pages[:0], l.pages[l.head:]...)
		l.head = 0
	}
	l.pages = append(l.pages, ticket{f.back, p})
	f.waiting++
	f.rank(s)
}

// putBack lets pages that were popped be the next again, in their order.
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

// rank gives a server its place, unless it is closed or nothing of it waits. With turns that is
// where its last served page ended, but not before the server that was served last: a server
// without waiting pages saves up no turns (start-time fair queueing: Goyal, Vin, Cheng 1996).
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

// doubt lets a page that was next wait for the next round, or recall.
func (f *frontier) doubt(p sitegraph.PageID) {
	f.pages.Memory(p).queued = true
	f.doubtful = append(f.doubtful, p)
}

// leave lets a page that was next wait for the next round, whatever is left of this one.
func (f *frontier) leave(p sitegraph.PageID) {
	f.pages.Memory(p).queued = true
	f.poor = append(f.poor, p)
}

// unpop makes the page that was popped last the next again.
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

// recall puts the doubtful pages back in line, as the last. They are not doubted again in this
// round.
func (f *frontier) recall() {
	for _, p := range f.doubtful {
		f.push(p)
	}
	f.doubtful, f.recalled = f.doubtful[:0], true
}

// shareOut lets first visits take no more than a share of the visits of each server, or with 0 as
// many as there are. A server begins with one.
func (f *frontier) shareOut(share float64) {
	if f.share == share {
		return
	}
	f.share = share
	for s := range f.lines {
		f.rank(sitegraph.ServerID(s))
	}
}

// count counts a visit of a server for its share, which a first visit uses unless it is one of the
// leftovers, and for looksNow.
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

// uncount gives back what a first visit used of its server's share, as it was not made.
func (f *frontier) uncount(s sitegraph.ServerID, v *Visit) {
	if f.share > 0 && !v.leftover {
		l := f.line(s)
		l.claim = min(l.claim+1, 1)
		f.rank(s)
	}
}

// next takes the page whose turn it is; with beyond, also of servers whose share is used up. Pages
// deeper than MaxDepth are not fetched until links bring them nearer.
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

// lookAfter is after how many first visits of a server in a row its next refetch is made, whatever
// that is worth. Without refetches the policy does not learn which pages change, and no refetch
// would ever be worth a visit while new pages wait. It costs one visit in twenty.
const lookAfter = 19

// looksNow reports whether it is time to look at a page of a server that has a copy.
func (f *frontier) looksNow(s sitegraph.ServerID) bool { return f.line(s).unlooked >= lookAfter }

// leastTurn is the least worth that a turn goes by: 20 turns of a server of doubtful pages take as
// long as one of another.
const leastTurn = 0.05

// serve counts a turn of the server of a page that next returned and that is visited.
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

// pop takes the page that is the next in line, of an open server.
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
			continue // it was ranked anew since
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

// len is the number of pages in line, without those that are too deep.
func (f *frontier) len() int { return f.waiting + len(f.failed) + len(f.doubtful) + len(f.poor) }
