package cycle

import (
	"container/heap"
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph"
)

// line is a server's queue of chosen visits. It outlives the round, because what a server
// asked for does.
type line struct {
	server    sitegraph.ServerID
	page      sitegraph.PageID // of the last visit
	flight                     // the last visit
	visits    []planner.Visit
	asked     int // of visits, at its head: those that somebody asked for
	made      int // that began in this round
	notBefore time.Time
	pause     time.Duration // last time between the end of a visit and notBefore
	usual     time.Duration // and what it is at least
	slowdown                // what its troubles cost it
	seeking   bool          // at is being found out, or is to be
	index     int32         // in at.lines; -1: not there
	blameless int           // faults in a row that were taken for this machine's
	barred    []bar
	vanished  vanished

	at      *place
	located time.Time // when at was found out; zero: never
	search  flight    // the last look-up
}

// place is an address at which one or more servers are asked, one visit at a time.
type place struct {
	address   string // "": of one server alone
	lines     byTurn // idle lines that have visits
	parked    int    // visits in the lines of the place, whether idle or not
	busy      bool   // a visit is under way
	notBefore time.Time
	pool      pace        // of dispatch that it is in
	id        schedule.ID // there; noID: in none yet
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
func (b byTurn) Swap(i, j int) {
	b[i], b[j] = b[j], b[i]
	b[i].index, b[j].index = int32(i), int32(j)
}
func (b *byTurn) Push(x any) { l := x.(*line); l.index = int32(len(*b)); *b = append(*b, l) }
func (b *byTurn) Pop() any {
	last := len(*b) - 1
	l := (*b)[last]
	l.index = -1
	(*b)[last] = nil
	*b = (*b)[:last]
	return l
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
		heap.Fix(&p.lines, int(l.index))
	case l.index >= 0:
		heap.Remove(&p.lines, int(l.index))
	}
	c.settlePlace(p)
}

// park puts a visit in its server's line, or hands it back if the server has no room for it in this
// round.
func (c *crew) park(v planner.Visit, now time.Time) error {
	l, err := c.line(c.graph.Server(v.Page))
	if err != nil {
		return err
	}
	if b := l.bars(c.graph.URL(v.Page), now); b != nil {
		b.pages = append(b.pages, v.Page)
		c.Planner.Return(v)
		return nil
	}
	room := c.room(l, now)
	if v.Asked && room <= len(l.visits) && room > l.asked {
		c.Planner.Return(c.takeLast(l)) // which nobody asked for
	}
	if room <= len(l.visits) {
		c.Planner.Close(l.server)
		c.Planner.Return(v)
		return nil
	}
	c.enqueue(l, v, false)
	c.seek(l, now)
	c.admit(l, now)
	return nil
}

// line returns that of a server.
func (c *crew) line(server sitegraph.ServerID) (*line, error) {
	l := c.lines[server]
	if l == nil {
		h, err := c.heldOf(server)
		if err != nil {
			return nil, err
		}
		if err := c.recallTimes(server); err != nil {
			return nil, err
		}
		l = &line{server: server, notBefore: h.Until, slowdown: slowdown{h.Steps}, index: -1,
			usual: c.pauseOf(server)}
		if h.Steps > 0 {
			l.notBefore = later(l.notBefore, c.resumed.Add(l.slowdown.least(l.usual)))
		}
		if l.recall(h.Vanished, c.Clock.Now()); len(l.barred) > 0 {
			c.barring[server] = l
		}
		c.lines[server] = l
	}
	return l, nil
}

// enqueue puts a visit behind the others of its line, or before them. What somebody asked for goes
// before all others.
func (c *crew) enqueue(l *line, v planner.Visit, first bool) {
	at := len(l.visits)
	switch {
	case first && v.Asked:
		at = 0
	case first || v.Asked:
		at = l.asked
	}
	l.visits = slices.Insert(l.visits, at, v)
	if v.Asked {
		l.asked++
	}
	c.parked++
	if l.at != nil {
		l.at.parked++
	}
}

// takeFirst takes the visit from a line that is next, and takeLast the one that was chosen last.
func (c *crew) takeFirst(l *line) planner.Visit {
	v := l.visits[0]
	if l.visits = l.visits[1:]; len(l.visits) == 0 {
		l.visits = nil // of many servers one visit waits
	}
	c.taken(l, &v)
	return v
}

func (c *crew) takeLast(l *line) planner.Visit {
	last := len(l.visits) - 1
	v := l.visits[last]
	l.visits = l.visits[:last]
	c.taken(l, &v)
	return v
}

func (c *crew) taken(l *line, v *planner.Visit) {
	c.parked--
	if l.at != nil {
		l.at.parked--
	}
	if v.Asked {
		l.asked--
	}
}

// admit closes a server whose line is full, opens one whose is not, and gives both their places.
func (c *crew) admit(l *line, now time.Time) {
	if len(l.visits) >= c.depth(l, now) {
		c.Planner.Close(l.server)
	} else {
		c.Planner.Open(l.server)
	}
	if l.at != nil {
		c.settle(l)
	}
}

// trim hands back what a server turned out to have no room for in this round: it asked for more
// time than was thought. What they would have taken of the budget is free for others.
func (c *crew) trim(l *line, now time.Time) {
	for room := max(c.room(l, now), 1); len(l.visits) > room; {
		c.Planner.Return(c.takeLast(l))
	}
}

// giveBack hands the visits that have not begun back to the planner, and opens all servers again.
// Lines and places of which nothing need be remembered are forgotten; addresses are looked up anew
// in the next round.
func (c *crew) giveBack() {
	now := c.Clock.Now()
	for s, l := range c.lines {
		for _, v := range l.visits {
			c.Planner.Return(v)
		}
		l.visits, l.asked, l.made, l.index = nil, 0, 0, -1
		for i := range l.barred {
			l.barred[i].pages = nil // the next round has them again
		}
		c.Planner.Open(s)
		if l.up {
			l.at.id = noID // not one of places, where servers have no address
			l.seeking = l.search.up
			continue
		}
		l.at, l.seeking = nil, l.search.up
		if !l.search.up && l.steps == 0 && l.pause <= l.usual && !l.notBefore.After(now) &&
			len(l.barred) == 0 &&
			len(l.vanished.Dirs) == 0 {
			delete(c.lines, s)
		}
	}
	for address, p := range c.places {
		p.lines, p.parked, p.id = nil, 0, noID
		if !p.busy && !p.notBefore.After(now) {
			delete(c.places, address)
		}
	}
	c.unsought, c.parked = [allPaces][]*line{}, 0
	c.dispatch.clear()
	c.feasible = 0
}
