package cycle

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// seekers bounds the look-ups of addresses at a time as Workers does the visits. They hold no
	// worker. A name server that does not answer holds up no other.
	seekers = 128
	// locateAgain is how long a server is taken to stay at its address.
	locateAgain = 5 * time.Minute
)

// found is an address that was looked up.
type found struct {
	server  sitegraph.ServerID
	address string
	took    time.Duration
}

// seek finds out where a server is asked, unless that is known. Until then its line waits; without
// a Locator each server has a place of its own.
func (c *crew) seek(l *line, now time.Time) {
	if c.locator == nil {
		if l.at == nil {
			l.at = &place{id: noID}
		}
		return
	}
	if l.seeking || l.at != nil && now.Sub(l.located) < locateAgain {
		return
	}
	l.seeking = true
	p := c.seeks.met.get(l.server)
	c.unsought[p] = append(c.unsought[p], l)
}

// lookUp begins look-ups, as many as may be under way.
func (c *crew) lookUp(ctx context.Context, now time.Time) {
	for c.stall.most == 0 || c.seeks.inFlight < c.stall.most {
		p, ok := c.seeks.next(now, c.sought)
		if !ok {
			return
		}
		l := c.unsought[p][0]
		c.unsought[p] = c.unsought[p][1:]
		c.seeks.takeOff(&l.search, p, now)
		server, url := l.server, c.graph.URL(l.visits[0].Page)
		go func() {
			began := c.Clock.Now()
			address := c.locator.Locate(ctx, url)
			c.found <- found{server, address, c.Clock.Now().Sub(began)}
		}()
	}
}

// sought reports whether a look-up of a pace waits. Lines that have no visits left need none.
func (c *crew) sought(p pace) bool {
	for len(c.unsought[p]) > 0 {
		l := c.unsought[p][0]
		if len(l.visits) > 0 {
			return true
		}
		l.seeking = false
		c.unsought[p] = c.unsought[p][1:]
	}
	return false
}

// locate gives a line the place that was found for it. An address that is not known is a place of
// its own: the visit says why.
func (c *crew) locate(f found, now time.Time) {
	l := c.lines[f.server]
	c.seeks.land(&l.search)
	c.seeks.met.see(f.server, f.took, f.address != "")
	l.seeking, l.located = false, now
	to := c.places[f.address]
	switch {
	case f.address == "" && l.at != nil && l.at.address == "":
		to = l.at
	case to == nil:
		to = &place{id: noID, address: f.address}
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
	if l.up {
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
