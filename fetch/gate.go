package fetch

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Gate lets one request at a time through to a server and to an address, and none before the pause
// after the last one. Goroutines may share it.
//
// A request takes the turns of its server and of its address together or not at all. So no two
// requests can each hold the turn that the other waits for.
type Gate struct {
	clock Clock

	mu    sync.Mutex
	slots map[slotKey]*slot
	sweep int // number of slots at which expired ones are dropped
}

// slotKey names a server or an address; the other field is zero.
type slotKey struct {
	server string
	addr   netip.Addr
}

type slot struct {
	busy     bool
	released chan struct{} // closed when the request ends; nil while idle
	until    time.Time     // no request may start earlier
	next     *waiter       // goes before others; nil: nobody
}

// waiter is a request whose caller blocks until its turn, such as Get and Post. Visits do not
// block: they try again and again, and a waiter of a busy crawl would never win against them. So
// the gate keeps the next turn of its server and address for it.
//
// Invariant: a waiter has the next turns of both its server and its address, or neither. So no two
// waiters can each keep a turn that the other needs.
type waiter struct {
	keys []slotKey // slots whose next turns it has; nil: none
	from time.Time // time from which others stay back for it
	held time.Time // time until which they do, unless a request is under way there
}

// waiterKey is the context key under which an exchange finds its waiter.
type waiterKey struct{}

// waiting returns a context for the exchanges of one waiter. The caller must call over when it no
// longer waits.
func (g *Gate) waiting(ctx context.Context) (waits context.Context, over func()) {
	w := &waiter{}
	return context.WithValue(ctx, waiterKey{}, w), func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.drop(w)
	}
}

const (
	// turnHeld is how long a turn is kept for a waiter that does not use it.
	turnHeld = time.Second
	// turnAgain is how long others wait before they try again.
	turnAgain = 50 * time.Millisecond
)

// minSweep keeps a small gate from dropping slots at each request.
const minSweep = 1024

// NewGate returns an empty gate.
func NewGate(clock Clock) *Gate {
	return &Gate{clock: clock, slots: map[slotKey]*slot{}, sweep: minSweep}
}

// Pass is the right to make one request, from Enter to Leave.
type Pass struct {
	gate *Gate
	keys []slotKey
}

// Enter waits until a request to server at addr may start. Its error is that of ctx.
func (g *Gate) Enter(ctx context.Context, server string, addr netip.Addr) (*Pass, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, later := g.tryEnter(server, addr, nil)
		if later == nil {
			return p, nil
		}
		if err := later.wait(ctx, g.clock); err != nil {
			return nil, err
		}
	}
}

// tryEnter lets a request to server at addr start now, or returns what it must wait for. Without an
// address, for example behind a proxy, only the server counts. If w is not nil, the gate keeps the
// next turn for it.
func (g *Gate) tryEnter(server string, addr netip.Addr, w *waiter) (*Pass, *notYet) {
	p := &Pass{gate: g, keys: []slotKey{{server: server}, {addr: addr}}}
	if !addr.IsValid() {
		p.keys = p.keys[:1]
	}
	if busy, until := g.try(p, w); busy != nil || !until.IsZero() {
		return nil, &notYet{busy: busy, until: until}
	}
	return p, nil
}

// try takes both slots of p, or returns what to wait for: the end of another request, or a time.
func (g *Gate) try(p *Pass, w *waiter) (busy <-chan struct{}, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock.Now()
	at := now
	for _, k := range p.keys {
		if s := g.slots[k]; s != nil {
			at = later(at, s.until)
			if s.busy && busy == nil {
				busy = s.released
			}
		}
	}
	kept := false // for another waiter
	for _, k := range p.keys {
		s := g.slots[k]
		if s == nil || s.next == nil || s.next == w {
			continue
		}
		switch other := s.next; {
		case g.gone(other, now), w != nil && at.Before(other.from):
			g.drop(other) // it went away, or could not use the turn yet and will try again
		case w != nil || !other.from.After(now):
			kept = true
		}
	}
	switch {
	case w == nil:
	case kept:
		g.drop(w)
	default:
		g.keep(w, p.keys, at)
	}
	switch {
	case busy != nil:
		return busy, time.Time{}
	case kept:
		return nil, later(at, now.Add(turnAgain))
	case at.After(now):
		return nil, at
	}
	g.drop(w)
	for _, k := range p.keys {
		s := g.slot(k)
		s.busy, s.released = true, make(chan struct{})
	}
	return nil, time.Time{}
}

// slot returns the slot of a key, and makes it if there is none.
func (g *Gate) slot(k slotKey) *slot {
	s := g.slots[k]
	if s == nil {
		s = &slot{}
		g.slots[k] = s
	}
	return s
}

// keep gives w the next turns of all keys, which no other waiter has. w can use them from at on.
func (g *Gate) keep(w *waiter, keys []slotKey, at time.Time) {
	if !slices.Equal(w.keys, keys) { // a server has several addresses
		g.drop(w)
		w.keys, w.from = keys, at
		for _, k := range keys {
			g.slot(k).next = w
		}
	}
	if at.Before(w.from) {
		w.from = at
	}
	w.held = at.Add(turnHeld)
}

// drop takes all turns from a waiter that has some.
func (g *Gate) drop(w *waiter) {
	if w == nil {
		return
	}
	for _, k := range w.keys {
		g.slots[k].next = nil
	}
	w.keys = nil
}

// gone reports whether a waiter has not used its turn in time.
func (g *Gate) gone(w *waiter, now time.Time) bool {
	for _, k := range w.keys {
		if g.slots[k].busy {
			return false
		}
	}
	return !w.held.After(now)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
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
		if w := s.next; w != nil {
			w.held = later(w.held, later(g.clock.Now(), s.until).Add(turnHeld))
		}
	}
	g.dropPast()
}

// Postpone lets no request to server start before until. A pause is never made shorter.
func (g *Gate) Postpone(server string, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.slot(slotKey{server: server}); until.After(s.until) {
		s.until = until
	}
}

// Closed returns until when no request to server may start, as far as earlier requests determine
// it. The zero time means that one may start now.
func (g *Gate) Closed(server string) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.slots[slotKey{server: server}]; s != nil && s.until.After(g.clock.Now()) {
		return s.until
	}
	return time.Time{}
}

// dropPast drops the slots that no longer delay a request. It runs when their number has doubled
// since its last run, so that its cost for each request is constant.
func (g *Gate) dropPast() {
	if len(g.slots) < g.sweep {
		return
	}
	now := g.clock.Now()
	for k, s := range g.slots {
		if s.next != nil && g.gone(s.next, now) {
			g.drop(s.next)
		}
		if !s.busy && s.next == nil && !s.until.After(now) {
			delete(g.slots, k)
		}
	}
	g.sweep = max(minSweep, 2*len(g.slots))
}

// Len returns the number of servers and addresses that the gate remembers.
func (g *Gate) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.slots)
}
