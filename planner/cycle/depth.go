package cycle

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

// depth is how many visits may wait in a line. Where politeness limits the crawl it is a few, so
// that all servers have some. Where the budget does, it is all that the server can be asked in the
// rest of the round, so that the best visits of all servers get the budget. While servers wait for
// their first visit it is a few, too, since their pages may be better.
func (c *crew) depth(l *line, now time.Time) int {
	room := c.room(l, now)
	switch {
	case c.few:
		return min(room, aFew)
	case c.parked >= c.batch/2:
		return min(room, max(aFew, c.batch/2/len(c.lines)))
	}
	return room
}

// measure decides whether a few visits of each server are chosen ahead from now on.
func (c *crew) measure(now time.Time) {
	c.weigh(now)
	c.dispatch.wake(now)
	before := c.few
	c.few = c.ample || c.dispatch.waits(unmet) || c.cut
	if before && !c.few {
		for _, l := range c.lines {
			c.admit(l, now) // all may have more at the same time
		}
	}
}

// room is how many visits politeness allows to a line in the rest of the round, with those that
// wait.
func (c *crew) room(l *line, now time.Time) int {
	room := c.visitsFrom(later(now, l.notBefore), max(l.pause, l.usual))
	if p := l.at; p != nil && p.parked > len(l.visits) {
		others := p.parked - len(l.visits)
		room = min(room, c.visitsFrom(later(now, p.notBefore), min(c.Pause, l.usual))-others)
	}
	return room
}

// visitsFrom is how many visits fit from a moment to the end of the round.
func (c *crew) visitsFrom(from time.Time, pause time.Duration) int {
	rest := c.round.End.Sub(from)
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

// weigh finds out whether the budget suffices for all that politeness allows in the rest of the
// round. It looks at each server, so it is done once a second.
func (c *crew) weigh(now time.Time) {
	if now.Sub(c.weighed) < time.Second {
		return
	}
	c.weighed = now
	c.unbar(now)
	defer func() { c.Planner.ShareByServer(c.ample) }()
	left := c.Planner.Left()
	switch {
	case c.Planner.Caps().BoundAll():
		c.ample = false
		return
	case left == planner.Unlimited:
		c.ample = true
		return
	}
	most, usual := 0, c.visitsFrom(now, c.Pause)
	for s := range sitegraph.ServerID(c.graph.Servers()) {
		visits := usual
		if l := c.lines[s]; l != nil {
			visits = c.visitsFrom(later(now, l.notBefore), max(l.pause, l.usual))
		}
		if most += min(visits, len(c.graph.ServerPages(s))); most > left+c.parked {
			c.ample = false
			return
		}
	}
	c.ample = true
}
