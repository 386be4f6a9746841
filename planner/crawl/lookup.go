package crawl

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

// lookup is an address that was looked up.
type lookup struct {
	server  sitegraph.ServerID
	address string
	took    time.Duration
}

// requestLookup finds out where a server is asked, unless that is known. Until then its queue
// waits; without a Locator each server has an address of its own.
func (p *pool) requestLookup(q *serverQueue, now time.Time) {
	if p.locator == nil {
		if q.address == nil {
			q.address = &addressQueue{id: noID}
		}
		return
	}
	if q.lookupPending || q.address != nil && now.Sub(q.located) < locateAgain {
		return
	}
	q.lookupPending = true
	s := p.lookups.met.get(q.server)
	p.toLookUp[s] = append(p.toLookUp[s], q)
}

// startLookups begins look-ups, as many as may be under way.
func (p *pool) startLookups(ctx context.Context, now time.Time) {
	for p.outage.most == 0 || p.lookups.inFlight < p.outage.most {
		s, ok := p.lookups.next(now, p.nextLookup)
		if !ok {
			return
		}
		q := p.toLookUp[s][0]
		p.toLookUp[s] = p.toLookUp[s][1:]
		p.lookups.noteStart(&q.lookup, s, now)
		server, url := q.server, p.graph.URL(q.visits[0].Page)
		go func() {
			began := p.Clock.Now()
			address := p.locator.Locate(ctx, url)
			p.found <- lookup{server, address, p.Clock.Now().Sub(began)}
		}()
	}
}

// nextLookup reports whether a look-up of a speed waits. Queues that have no visits left need none.
func (p *pool) nextLookup(s speed) bool {
	for len(p.toLookUp[s]) > 0 {
		q := p.toLookUp[s][0]
		if len(q.visits) > 0 {
			return true
		}
		q.lookupPending = false
		p.toLookUp[s] = p.toLookUp[s][1:]
	}
	return false
}

// applyLookup gives a server the address that was found for it. One that is not known is an address
// of its own: the visit says why.
func (p *pool) applyLookup(f lookup, now time.Time) {
	q := p.queues[f.server]
	p.lookups.noteEnd(&q.lookup)
	p.lookups.met.note(f.server, f.took, f.address != "")
	q.lookupPending, q.located = false, now
	to := p.addresses[f.address]
	switch {
	case f.address == "" && q.address != nil && q.address.name == "":
		to = q.address
	case to == nil:
		to = &addressQueue{id: noID, name: f.address}
		if f.address != "" {
			p.addresses[f.address] = to
		}
	}
	p.moveTo(q, to)
}

// moveTo takes a server from one address to another. One that is under way moves later, with its
// next look-up.
func (p *pool) moveTo(q *serverQueue, to *addressQueue) {
	if q.address == to {
		return
	}
	if q.up {
		q.located = time.Time{}
		return
	}
	if from := q.address; from != nil {
		visits := q.visits
		from.waiting -= len(visits)
		q.visits = nil
		p.reorder(q)
		q.visits = visits
	}
	q.address = to
	to.waiting += len(q.visits)
	p.reorder(q)
}
