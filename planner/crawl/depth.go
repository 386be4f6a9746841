package crawl

import (
	"math"
	"runtime"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// batchPerProcessor bounds the visits that are chosen and wait for their server: with all
	// that is remembered of so many servers they take 15 MB. At a visit each 10 s they are 1,600
	// visits a second, about as many as a processor can fetch.
	batchPerProcessor = 1 << 14
	leastBatch        = 1 << 15
	mostBatch         = 1 << 16
	// aFew visits of a server are chosen ahead where the budget suffices for all that politeness
	// allows. More would be chosen without knowing the newest outcomes.
	aFew = 2
)

// usualBatch is the batch where Options name none.
func usualBatch() int {
	return min(max(batchPerProcessor*runtime.GOMAXPROCS(0), leastBatch), mostBatch)
}

// depth returns how many visits may wait in a server's queue. Where politeness limits the crawl it
// is a few, so that all servers have some. Where the budget does, it is all that the server can be
// asked in the rest of the round, so that the best visits of all servers get the budget. While
// servers wait for their first visit it is a few, too, since their pages may be better.
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

// chooseDepth decides whether the pool queues only a few visits of each server from now on.
func (p *pool) chooseDepth(now time.Time) {
	p.compareBudget(now)
	p.dispatch.wake(now)
	before := p.few
	p.few = p.ample || p.dispatch.waits(speedUnknown) || p.cut
	if before && !p.few {
		for _, q := range p.queues {
			p.openOrClose(q, now) // all may have more at the same time
		}
	}
}

// room returns how many visits politeness allows to a server in the rest of the round, with those
// that wait.
func (p *pool) room(q *serverQueue, now time.Time) int {
	room := p.visitsFrom(later(now, q.notBefore), max(q.pause, q.usual))
	if a := q.address; a != nil && a.waiting > len(q.visits) {
		others := a.waiting - len(q.visits)
		room = min(room, p.visitsFrom(later(now, a.notBefore), min(p.Pause, q.usual))-others)
	}
	return room
}

// visitsFrom is how many visits fit from a moment to the end of the round.
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

// compareBudget finds out whether the budget suffices for all that politeness allows in the rest of
// the round. It looks at each server, so it is done once a second.
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
