package guard

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	// nameHolds is how long answers of DNS are valid, failureHolds failures. For staleHolds more an
	// answer is used during a new look-up, so that a slow name server delays nobody (RFC 8767).
	nameHolds    = time.Minute
	failureHolds = 10 * time.Second
	staleHolds   = 10 * time.Minute
	// lookupTime is the longest time of a look-up.
	lookupTime = 10 * time.Second
	// mostLookups limits concurrent look-ups, mostNames the answers that are kept.
	mostLookups = 256
	mostNames   = 50_000
)

// names looks up names. Goroutines may share it.
type names struct {
	resolver *net.Resolver
	places   chan struct{} // of look-ups

	mu   sync.Mutex
	kept map[string]*name
}

type name struct {
	addrs  []netip.Addr
	err    error
	until  time.Time
	asking chan struct{} // closed when the look-up ends; nil: there is none
}

func newNames(nameserver string) *names {
	n := &names{resolver: &net.Resolver{PreferGo: true}, places: make(chan struct{}, mostLookups),
		kept: map[string]*name{}}
	if nameserver != "" {
		n.resolver.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, nameserver)
		}
	}
	return n
}

// lookup returns the addresses of a host, which may be an address itself.
func (n *names) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	n.mu.Lock()
	now := time.Now()
	e := n.kept[host]
	if e == nil {
		n.room(now)
		e = &name{}
		n.kept[host] = e
	}
	if !now.Before(e.until) && e.asking == nil {
		e.asking = make(chan struct{})
		go n.ask(host, e)
	}
	addrs, err, asking := e.addrs, e.err, e.asking
	usable := now.Before(e.until) || len(addrs) > 0 && now.Before(e.until.Add(staleHolds))
	n.mu.Unlock()
	if usable {
		return addrs, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-asking:
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return e.addrs, e.err
}

// ask looks up a name. It continues when its callers leave.
func (n *names) ask(host string, e *name) {
	n.places <- struct{}{}
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	full := host
	for i := range len(host) {
		if host[i] == '.' { // keeps search domains of this machine out
			full = host + "."
			break
		}
	}
	addrs, err := n.resolver.LookupNetIP(ctx, "ip", full)
	cancel()
	<-n.places
	for i, a := range addrs {
		addrs[i] = a.Unmap()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	e.until = time.Now().Add(nameHolds)
	if err != nil {
		e.until = time.Now().Add(failureHolds)
	}
	e.addrs, e.err = addrs, err
	close(e.asking)
	e.asking = nil
}

// room drops names without a look-up if there are too many. The caller holds the mutex.
func (n *names) room(now time.Time) {
	if len(n.kept) < mostNames {
		return
	}
	tries := 16
	for host, e := range n.kept {
		if e.asking == nil {
			delete(n.kept, host)
			return
		}
		if tries--; tries == 0 {
			return
		}
	}
}
