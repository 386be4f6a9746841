package crawl

import (
	"container/heap"
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph"
)

// serverQueue holds the chosen visits of a server. It outlives the round, because pauses do.
type serverQueue struct {
	server        sitegraph.ServerID
	page          sitegraph.PageID // page of the last visit
	attempt                        // the last visit
	visits        []planner.Visit
	asked         int // visits at its head that a user asked for
	made          int // visits that began in this round
	notBefore     time.Time
	pause         time.Duration // last time between the end of a visit and notBefore
	usual         time.Duration // the least value of pause
	backOff                     // the slowdown for its troubles
	lookupPending bool          // the address is being looked up, or will be
	index         int32         // in address.queues; -1: in none
	blameless     int           // faults in a row that counted as this machine's
	blocks        []block
	vanished      vanished

	address *addressQueue
	located time.Time // when the address was looked up; zero: never
	lookup  attempt   // the last look-up
}

// addressQueue is an address at which one or more servers are asked, one visit at a time.
type addressQueue struct {
	name      string // "": one server without a known address
	queues    byTurn // idle servers with visits
	waiting   int    // visits of all its servers
	busy      bool   // whether a visit is under way
	notBefore time.Time
	pool      speed       // its pool in dispatch
	id        schedule.ID // its number there; noID: in none yet
}

// turn returns when the first of its servers may be asked.
func (a *addressQueue) turn() time.Time {
	first := a.queues[0].notBefore
	if a.notBefore.After(first) {
		return a.notBefore
	}
	return first
}

// byTurn is a heap of the servers of an address by when each may be asked.
type byTurn []*serverQueue

func (b byTurn) Len() int           { return len(b) }
func (b byTurn) Less(i, j int) bool { return b[i].notBefore.Before(b[j].notBefore) }
func (b byTurn) Swap(i, j int) {
	b[i], b[j] = b[j], b[i]
	b[i].index, b[j].index = int32(i), int32(j)
}
func (b *byTurn) Push(x any) { q := x.(*serverQueue); q.index = int32(len(*b)); *b = append(*b, q) }
func (b *byTurn) Pop() any {
	last := len(*b) - 1
	q := (*b)[last]
	q.index = -1
	(*b)[last] = nil
	*b = (*b)[:last]
	return q
}

// reorder updates the place of a server, and then of its address, in the heap of those that wait
// for their turn. It adds or removes them if need be.
func (p *pool) reorder(q *serverQueue) {
	a := q.address
	idle := !q.up && len(q.visits) > 0
	switch {
	case idle && q.index < 0:
		heap.Push(&a.queues, q)
	case idle:
		heap.Fix(&a.queues, int(q.index))
	case q.index >= 0:
		heap.Remove(&a.queues, int(q.index))
	}
	p.reorderAddress(a)
}

// enqueueVisit adds a visit to the queue of its server, or returns it to the planner if the server
// has no room for it in this round.
func (p *pool) enqueueVisit(v planner.Visit, now time.Time) error {
	q, err := p.queueOf(p.graph.Server(v.Page))
	if err != nil {
		return err
	}
	if b := q.blockOf(p.graph.URL(v.Page), now); b != nil {
		b.pages = append(b.pages, v.Page)
		p.Planner.Return(v)
		return nil
	}
	room := p.room(q, now)
	if v.Asked && room <= len(q.visits) && room > q.asked {
		p.Planner.Return(p.takeLast(q)) // which no user asked for
	}
	if room <= len(q.visits) {
		p.Planner.Close(q.server)
		p.Planner.Return(v)
		return nil
	}
	p.enqueue(q, v, false)
	p.requestLookup(q, now)
	p.openOrClose(q, now)
	return nil
}

// queueOf returns the queue of a server.
func (p *pool) queueOf(server sitegraph.ServerID) (*serverQueue, error) {
	q := p.queues[server]
	if q == nil {
		h, err := p.savedWaitOf(server)
		if err != nil {
			return nil, err
		}
		if err := p.recallTimes(server); err != nil {
			return nil, err
		}
		q = &serverQueue{server: server, notBefore: h.Until, backOff: backOff{h.Steps}, index: -1,
			usual: p.pauseOf(server)}
		if h.Steps > 0 {
			q.notBefore = later(q.notBefore, p.resumed.Add(q.backOff.least(q.usual)))
		}
		if q.restoreVanished(h.Vanished, p.Clock.Now()); len(q.blocks) > 0 {
			p.blocked[server] = q
		}
		p.queues[server] = q
	}
	return q, nil
}

// enqueue adds a visit at the end of its queue, or at its head. Visits that a user asked for
// precede all others.
func (p *pool) enqueue(q *serverQueue, v planner.Visit, first bool) {
	at := len(q.visits)
	switch {
	case first && v.Asked:
		at = 0
	case first || v.Asked:
		at = q.asked
	}
	q.visits = slices.Insert(q.visits, at, v)
	if v.Asked {
		q.asked++
	}
	p.waiting++
	if q.address != nil {
		q.address.waiting++
	}
}

// takeFirst takes the next visit of a queue, and takeLast the one that was chosen last.
func (p *pool) takeFirst(q *serverQueue) planner.Visit {
	v := q.visits[0]
	if q.visits = q.visits[1:]; len(q.visits) == 0 {
		q.visits = nil // many servers have one visit only
	}
	p.noteTaken(q, &v)
	return v
}

func (p *pool) takeLast(q *serverQueue) planner.Visit {
	last := len(q.visits) - 1
	v := q.visits[last]
	q.visits = q.visits[:last]
	p.noteTaken(q, &v)
	return v
}

func (p *pool) noteTaken(q *serverQueue, v *planner.Visit) {
	p.waiting--
	if q.address != nil {
		q.address.waiting--
	}
	if v.Asked {
		q.asked--
	}
}

// openOrClose closes a server whose queue is full, opens one whose queue has room, and reorders it.
func (p *pool) openOrClose(q *serverQueue, now time.Time) {
	if len(q.visits) >= p.depth(q, now) {
		p.Planner.Close(q.server)
	} else {
		p.Planner.Open(q.server)
	}
	if q.address != nil {
		p.reorder(q)
	}
}

// returnSurplus returns the visits that no longer fit into the round, since a server asked for
// longer pauses. Other servers can use their budget.
func (p *pool) returnSurplus(q *serverQueue, now time.Time) {
	for room := max(p.room(q, now), 1); len(q.visits) > room; {
		p.Planner.Return(p.takeLast(q))
	}
}

// returnAll returns the visits that have not begun to the planner, and opens all servers again. It
// forgets queues and addresses that hold nothing to remember. Addresses are looked up anew in the
// next round.
func (p *pool) returnAll() {
	now := p.Clock.Now()
	for s, q := range p.queues {
		for _, v := range q.visits {
			p.Planner.Return(v)
		}
		q.visits, q.asked, q.made, q.index = nil, 0, 0, -1
		for i := range q.blocks {
			q.blocks[i].pages = nil // the next round hands them out again
		}
		p.Planner.Open(s)
		if q.up {
			q.address.id = noID // without a known address it is not one of addresses
			q.lookupPending = q.lookup.up
			continue
		}
		q.address, q.lookupPending = nil, q.lookup.up
		if !q.lookup.up && q.steps == 0 && q.pause <= q.usual && !q.notBefore.After(now) &&
			len(q.blocks) == 0 &&
			len(q.vanished.Dirs) == 0 {
			delete(p.queues, s)
		}
	}
	for address, a := range p.addresses {
		a.queues, a.waiting, a.id = nil, 0, noID
		if !a.busy && !a.notBefore.After(now) {
			delete(p.addresses, address)
		}
	}
	p.toLookUp, p.waiting = [speedCount][]*serverQueue{}, 0
	p.dispatch.clear()
	p.feasible = 0
}
