package crawl

import (
	"math"
	"runtime"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// batchPerProcessor bounds the chosen visits that wait for their server. With the memory of as
	// many servers they take 15 MB. With one visit per server each 10 s they make 1,600 visits a
	// second, about as many as a processor can fetch.
	batchPerProcessor = 1 << 14
	leastBatch        = 1 << 15
	mostBatch         = 1 << 16
	// aFew is how many visits of a server are chosen ahead if the budget covers all that politeness
	// allows. Choosing more would ignore the newest outcomes.
	aFew = 2
)

// usualBatch returns the batch if Options set none.
func usualBatch() int {
	return min(max(batchPerProcessor*runtime.GOMAXPROCS(0), leastBatch), mostBatch)
}

// depth returns how many visits may wait in a server's queue. If politeness limits the crawl it is
// a few, so that all servers have some. If the budget does, it is all that the server can be asked
// in the rest of the round, so that the best visits of all servers get the budget. While servers
// wait for their first visit it is also a few, since their pages may be better.
func (p *pool) depth(q *serverQueue, now time.Time) int {
	room := p.room(q, now)
	switch {
	case p.few:
		return min(room, aFew)
	case p.waiting >= p.batch/2:
		return min(room, max(aFew, p.batch/2/len(p.queues)))
	}
	return room
}

// chooseDepth decides whether the pool queues only a few visits of each server.
func (p *pool) chooseDepth(now time.Time) {
	p.compareBudget(now)
	p.dispatch.wake(now)
	before := p.few
	p.few = p.ample || p.dispatch.waits(speedUnknown) || p.cut
	if before && !p.few {
		for _, q := range p.queues {
			p.openOrClose(q, now) // the bound of every queue changed
		}
	}
}

// room returns how many visits politeness allows to a server in the rest of the round, including
// those in its queue.
func (p *pool) room(q *serverQueue, now time.Time) int {
	room := p.visitsFrom(later(now, q.notBefore), max(q.pause, q.usual))
	if a := q.address; a != nil && a.waiting > len(q.visits) {
		others := a.waiting - len(q.visits)
		room = min(room, p.visitsFrom(later(now, a.notBefore), min(p.Pause, q.usual))-others)
	}
	return room
}

// visitsFrom returns how many visits fit between a time and the end of the round.
func (p *pool) visitsFrom(from time.Time, pause time.Duration) int {
	rest := p.round.End.Sub(from)
	switch {
	case rest <= 0:
		return 0
	case pause <= 0:
		return math.MaxInt32
	}
	return int(rest/pause) + 1
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// compareBudget decides whether the budget covers all that politeness allows in the rest of the
// round. It looks at each server, so it runs once a second at most.
func (p *pool) compareBudget(now time.Time) {
	if now.Sub(p.compared) < time.Second {
		return
	}
	p.compared = now
	p.endBlocks(now)
	defer func() { p.Planner.ShareByServer(p.ample) }()
	left := p.Planner.Left()
	switch {
	case p.Planner.Caps().BoundAll():
		p.ample = false
		return
	case left == planner.Unlimited:
		p.ample = true
		return
	}
	most, usual := 0, p.visitsFrom(now, p.Pause)
	for s := range sitegraph.ServerID(p.graph.Servers()) {
		visits := usual
		if q := p.queues[s]; q != nil {
			visits = p.visitsFrom(later(now, q.notBefore), max(q.pause, q.usual))
		}
		if most += min(visits, len(p.graph.ServerPages(s))); most > left+p.waiting {
			p.ample = false
			return
		}
	}
	p.ample = true
}
