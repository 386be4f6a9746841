package crawl

import (
	"container/heap"
	"slices"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph"
)

// serverQueue has the chosen visits of a server. It outlives the round, because what a server asked
// for does.
type serverQueue struct {
	server        sitegraph.ServerID
	page          sitegraph.PageID // of the last visit
	attempt                        // the last visit
	visits        []planner.Visit
	asked         int // of visits, at its head: those that somebody asked for
	made          int // that began in this round
	notBefore     time.Time
	pause         time.Duration // last time between the end of a visit and notBefore
	usual         time.Duration // and what it is at least
	backOff                     // what its troubles cost it
	lookupPending bool          // at is being found out, or is to be
	index         int32         // in address.queues; -1: not there
	blameless     int           // faults in a row that were taken for this machine's
	blocks        []block
	vanished      vanished

	address *addressQueue
	located time.Time // when at was found out; zero: never
	lookup  attempt   // the last look-up
}

// addressQueue is for an address at which one or more servers are asked, one visit at a time.
type addressQueue struct {
	name      string // "": of one server alone
	queues    byTurn // idle ones that have visits
	waiting   int    // visits of all its servers, whether idle or not
	busy      bool   // a visit is under way
	notBefore time.Time
	pool      speed       // of dispatch that it is in
	id        schedule.ID // there; noID: in none yet
}

// turn returns when the first of its servers may be asked.
func (a *addressQueue) turn() time.Time {
	first := a.queues[0].notBefore
	if a.notBefore.After(first) {
		return a.notBefore
	}
	return first
}

// byTurn orders the servers of an address by when each may be asked: a heap.
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

// reorder puts a server, and its address, where they belong by now: into the heap of those that
// wait for their turn, or out of it.
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

// enqueueVisit puts a visit into the queue of its server, or hands it back if the server has no
// room for it in this round.
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
		p.Planner.Return(p.takeLast(q)) // which nobody asked for
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

// enqueue puts a visit behind the others of its queue, or before them. What somebody asked for goes
// before all others.
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

// takeFirst takes the visit of a queue that is next, and takeLast the one that was chosen last.
func (p *pool) takeFirst(q *serverQueue) planner.Visit {
	v := q.visits[0]
	if q.visits = q.visits[1:]; len(q.visits) == 0 {
		q.visits = nil // of many servers one visit waits
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

// openOrClose closes a server whose queue is full, opens one whose is not, and reorders both.
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

// returnSurplus hands back what a server turned out to have no room for in this round: it asked for
// more time than was thought. What they would have taken of the budget is free for others.
func (p *pool) returnSurplus(q *serverQueue, now time.Time) {
	for room := max(p.room(q, now), 1); len(q.visits) > room; {
		p.Planner.Return(p.takeLast(q))
	}
}

// returnAll hands the visits that have not begun back to the planner, and opens all servers again.
// Queues and addresses of which nothing need be remembered are forgotten; addresses are looked up
// anew in the next round.
func (p *pool) returnAll() {
	now := p.Clock.Now()
	for s, q := range p.queues {
		for _, v := range q.visits {
			p.Planner.Return(v)
		}
		q.visits, q.asked, q.made, q.index = nil, 0, 0, -1
		for i := range q.blocks {
			q.blocks[i].pages = nil // the next round has them again
		}
		p.Planner.Open(s)
		if q.up {
			q.address.id = noID // not one of addresses, where servers have no address
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
