package fetch

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// Gate lets at most one request at a time through to a server and to an address, and none
// before the pause after the last one is over. It is safe for concurrent use.
//
// A request needs both its server and its address at once. They are taken together or not
// at all, so no two requests can each hold what the other waits for.
type Gate struct {
	clock Clock

	mu    sync.Mutex
	slots map[slotKey]*slot
	sweep int // size of slots at which entries whose time is past are dropped
}

// slotKey names a server or an address; the other field is zero.
type slotKey struct {
	server string
	addr   netip.Addr
}

type slot struct {
	busy     bool
	released chan struct{} // closed at the end of the request; nil while idle
	until    time.Time     // no request may start earlier
}

// minSweep keeps a small gate from sweeping at each request.
const minSweep = 1024

// NewGate returns a gate that has let no request pass yet.
func NewGate(clock Clock) *Gate {
	return &Gate{clock: clock, slots: map[slotKey]*slot{}, sweep: minSweep}
}

// Pass is the right to make one request, from Enter to Leave.
type Pass struct {
	gate *Gate
	keys []slotKey
}

// Enter waits until a request to server at addr may start. Its error is ctx's.
func (g *Gate) Enter(ctx context.Context, server string, addr netip.Addr) (*Pass, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, later := g.tryEnter(server, addr)
		if later == nil {
			return p, nil
		}
		if err := later.wait(ctx, g.clock); err != nil {
			return nil, err
		}
	}
}

// tryEnter lets a request to server at addr start now, or says what it must wait for. Without an
// address, as behind a proxy, only the server counts.
func (g *Gate) tryEnter(server string, addr netip.Addr) (*Pass, *notYet) {
	p := &Pass{gate: g, keys: []slotKey{{server: server}, {addr: addr}}}
	if !addr.IsValid() {
		p.keys = p.keys[:1]
	}
	if busy, until := g.try(p); busy != nil || !until.IsZero() {
		return nil, &notYet{busy: busy, until: until}
	}
	return p, nil
}

// try takes both slots of p, or returns what to wait for: the end of another request, or
// a moment.
func (g *Gate) try(p *Pass) (busy <-chan struct{}, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	for _, k := range p.keys {
		s := g.slots[k]
		if s == nil {
			continue
		}
		if s.busy {
			return s.released, time.Time{}
		}
		if s.until.After(now) && s.until.After(until) {
			until = s.until
		}
	}
	if !until.IsZero() {
		return nil, until
	}
	for _, k := range p.keys {
		s := g.slots[k]
		if s == nil {
			s = &slot{}
			g.slots[k] = s
		}
		s.busy, s.released = true, make(chan struct{})
	}
	return nil, time.Time{}
}

// Leave ends the request. The next one to the server may start at serverUntil, the next
// one to the address at addrUntil. A second Leave does nothing.
func (p *Pass) Leave(serverUntil, addrUntil time.Time) {
	g := p.gate
	if g == nil {
		return
	}
	p.gate = nil
	g.mu.Lock()
	defer g.mu.Unlock()
	untils := [2]time.Time{serverUntil, addrUntil}
	for i, k := range p.keys {
		s, until := g.slots[k], untils[i]
		close(s.released)
		s.busy, s.released = false, nil
		if until.After(s.until) {
			s.until = until
		}
	}
	g.dropPast()
}

// Postpone lets no request to server start before until. A pause is never made shorter.
func (g *Gate) Postpone(server string, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	k := slotKey{server: server}
	s := g.slots[k]
	if s == nil {
		s = &slot{}
		g.slots[k] = s
	}
	if until.After(s.until) {
		s.until = until
	}
}

// dropPast forgets the slots that no longer delay a request. It runs when their number has
// doubled since the last time, so its cost for each request is constant.
func (g *Gate) dropPast() {
	if len(g.slots) < g.sweep {
		return
	}
	now := g.clock.Now()
	for k, s := range g.slots {
		if !s.busy && !s.until.After(now) {
			delete(g.slots, k)
		}
	}
	g.sweep = max(minSweep, 2*len(g.slots))
}

// Len returns how many servers and addresses the gate remembers.
func (g *Gate) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.slots)
}
