package cycle

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// mostSeeking bounds the look-ups of addresses at a time. They hold no worker; a name server
	// that does not answer holds one of these for its time-out.
	mostSeeking = 256
	// locateAgain is how long a server is taken to stay at its address.
	locateAgain = 5 * time.Minute
)

// found is an address that was looked up.
type found struct {
	server  sitegraph.ServerID
	address string
}

// seek finds out where a server is asked, unless that is known. Until then its line waits; without
// a Locator each server has a place of its own.
func (c *crew) seek(l *line, now time.Time) {
	if c.locator == nil {
		if l.at == nil {
			l.at = &place{index: -1}
		}
		return
	}
	if l.seeking || l.at != nil && now.Sub(l.located) < locateAgain {
		return
	}
	l.seeking = true
	c.unsought = append(c.unsought, l)
}

// lookUp begins look-ups, as many as may be under way.
func (c *crew) lookUp(ctx context.Context) {
	for c.seeking < mostSeeking && len(c.unsought) > 0 {
		l := c.unsought[0]
		c.unsought = c.unsought[1:]
		if len(l.visits) == 0 {
			l.seeking = false
			continue
		}
		c.seeking++
		server, url := l.server, c.graph.URL(l.visits[0].Page)
		go func() { c.found <- found{server, c.locator.Locate(ctx, url)} }()
	}
}

// locate gives a line the place that was found for it. An address that is not known is a place of
// its own: the visit says why.
func (c *crew) locate(f found, now time.Time) {
	c.seeking--
	l := c.lines[f.server]
	if l == nil || !l.seeking {
		return // the round ended since
	}
	l.seeking, l.located = false, now
	to := c.places[f.address]
	switch {
	case f.address == "" && l.at != nil && l.at.address == "":
		to = l.at
	case to == nil:
		to = &place{index: -1, address: f.address}
		if f.address != "" {
			c.places[f.address] = to
		}
	}
	c.move(l, to)
}

// move takes a line from one place to another. One that is under way moves later, with its next
// look-up.
func (c *crew) move(l *line, to *place) {
	if l.at == to {
		return
	}
	if l.busy {
		l.located = time.Time{}
		return
	}
	if from := l.at; from != nil {
		visits := l.visits
		from.parked -= len(visits)
		l.visits = nil
		c.settle(l)
		l.visits = visits
	}
	l.at = to
	to.parked += len(l.visits)
	c.settle(l)
}
