package crawl

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// seekers bounds the look-ups of addresses under way, as Workers bounds visits. They hold no
	// worker, and a dead name server delays no other look-up.
	seekers = 128
	// locateAgain is the time for which an address is valid after its look-up.
	locateAgain = 5 * time.Minute
)

// lookup is the look-up of a server's address.
type lookup struct {
	server  sitegraph.ServerID
	address string
	took    time.Duration
}

// requestLookup looks up the address of a server unless it is known. Until then its queue waits.
// Without a Locator each server has an address of its own.
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

// startLookups begins as many look-ups as may be under way.
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

// nextLookup reports whether a look-up of a speed waits. Empty queues need none.
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

// applyLookup sets the address that was found for a server. If none was found, the server has an
// address of its own, and its visit finds the reason.
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

// moveTo moves a server from one address to another. If a visit is under way, it moves after its
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
