package cycle

import (
	"container/heap"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// line is a server's queue of chosen visits. It outlives the round, because what a server
// asked for does.
type line struct {
	server    sitegraph.ServerID
	visits    []planner.Visit
	flight                     // the last visit
	page      sitegraph.PageID // that it is to
	notBefore time.Time
	pause     time.Duration // last time between the end of a visit and notBefore
	slowdown                // what its troubles cost it
	blameless int           // faults in a row that were taken for this machine's
	barred    []bar

	at      *place
	located time.Time // when at was found out; zero: never
	seeking bool      // it is being found out, or is to be
	search  flight    // the last look-up
	index   int       // in at.lines; -1: not there
}

// place is an address at which one or more servers are asked, one visit at a time.
type place struct {
	address   string // "": of one server alone
	lines     byTurn // idle lines that have visits
	parked    int    // visits in the lines of the place, whether idle or not
	busy      bool   // a visit is under way
	notBefore time.Time
	pace      pace // of the readiness that it is in
	index     int  // there; -1: in none
}

// turn is when the first of a place's lines may be asked.
func (p *place) turn() time.Time {
	first := p.lines[0].notBefore
	if p.notBefore.After(first) {
		return p.notBefore
	}
	return first
}

// byTurn orders the lines of a place by when each may be asked: a heap.
type byTurn []*line

func (b byTurn) Len() int           { return len(b) }
func (b byTurn) Less(i, j int) bool { return b[i].notBefore.Before(b[j].notBefore) }
func (b byTurn) Swap(i, j int)      { b[i], b[j] = b[j], b[i]; b[i].index, b[j].index = i, j }
func (b *byTurn) Push(x any)        { l := x.(*line); l.index = len(*b); *b = append(*b, l) }
func (b *byTurn) Pop() any {
	last := len(*b) - 1
	l := (*b)[last]
	l.index = -1
	(*b)[last] = nil
	*b = (*b)[:last]
	return l
}

// readiness orders the idle places that have visits, and whose next line is of one pace, by when
// they may be asked: a heap.
type readiness []*place

func (r readiness) Len() int           { return len(r) }
func (r readiness) Less(i, j int) bool { return r[i].turn().Before(r[j].turn()) }
func (r readiness) Swap(i, j int)      { r[i], r[j] = r[j], r[i]; r[i].index, r[j].index = i, j }
func (r *readiness) Push(x any)        { p := x.(*place); p.index = len(*r); *r = append(*r, p) }
func (r *readiness) Pop() any {
	last := len(*r) - 1
	p := (*r)[last]
	p.index = -1
	(*r)[last] = nil
	*r = (*r)[:last]
	return p
}

// settle gives a line and its place the places that they have by now: in the heap of those that
// wait for their turn, or in none.
func (c *crew) settle(l *line) {
	p := l.at
	idle := !l.up && len(l.visits) > 0
	switch {
	case idle && l.index < 0:
		heap.Push(&p.lines, l)
	case idle:
		heap.Fix(&p.lines, l.index)
	case l.index >= 0:
		heap.Remove(&p.lines, l.index)
	}
	c.settlePlace(p)
}

func (c *crew) settlePlace(p *place) {
	idle := !p.busy && len(p.lines) > 0
	of := p.pace
	if idle {
		of = c.met.get(p.lines[0].server)
	}
	if p.index >= 0 && (!idle || of != p.pace) {
		heap.Remove(&c.ready[p.pace], p.index)
	}
	p.pace = of
	switch {
	case idle && p.index < 0:
		heap.Push(&c.ready[of], p)
	case idle:
		heap.Fix(&c.ready[of], p.index)
	}
}
