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
	busy      bool      // a visit is under way
	began     time.Time // the last one
	old       bool      // and is for long
	notBefore time.Time
	pause     time.Duration // last time between the end of a visit and notBefore
	slow      bool          // its last answer took longer than slowAnswer
	slowdown                // what its troubles cost it
	blameless int           // faults in a row that were taken for this machine's

	at      *place
	located time.Time // when at was found out; zero: never
	seeking bool      // it is being found out
	index   int       // in at.lines; -1: not there
}

// place is an address at which one or more servers are asked, one visit at a time.
type place struct {
	address   string // "": of one server alone
	lines     byTurn // idle lines that have visits
	parked    int    // visits in the lines of the place, whether idle or not
	busy      bool   // a visit is under way
	notBefore time.Time
	index     int // in readiness; -1: not there
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

// readiness orders the idle places that have visits by when they may be asked: a heap.
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
	idle := !l.busy && len(l.visits) > 0
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
	switch {
	case idle && p.index < 0:
		heap.Push(&c.ready, p)
	case idle:
		heap.Fix(&c.ready, p.index)
	default:
		c.unready(p)
	}
}

// unready takes a place out of those that wait for their turn.
func (c *crew) unready(p *place) {
	if p.index >= 0 {
		heap.Remove(&c.ready, p.index)
	}
}
