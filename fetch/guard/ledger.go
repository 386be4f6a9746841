package guard

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// ledger counts requests, and decides which may be made now. Goroutines may share it. Its times are
// since its start, by a monotonic clock.
type ledger struct {
	limits *Limits

	mu        sync.Mutex
	addresses book
	hosts     book
	all       account
	count     counts
}

// counts are totals.
type counts struct {
	requests, tunnels, bytes int64
	refused                  map[string]int64 // violations, by limit
}

func newLedger(l *Limits) *ledger {
	return &ledger{limits: l, all: account{hour: new(hour)}, addresses: newBook(l.Addresses),
		hosts: newBook(l.Addresses),
		count: counts{refused: map[string]int64{}}}
}

// pass is the right to make one request, from enter to leave.
type pass struct {
	ledger  *ledger
	host    *account
	address *account
	addr    netip.Addr
	start   time.Duration    // earliest start
	last    [2]time.Duration // last use of host and address before it
	asked   [2]bool
	left    bool
	cut     *Refusal // limit that cut the answer or tunnel
}

// enter permits a request to a host at its first address with room, or returns the limit that
// refuses it. Addresses that failed lately come last.
func (l *ledger) enter(host string, addrs []netip.Addr, isTunnel bool, now time.Duration) (
	*pass, *Refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.hosts.get(host)
	var refusal *Refusal
	for _, addr := range l.inOrder(addrs) {
		name := addr.String()
		a := l.addresses.get(name)
		r := l.judge(h, a, now)
		if r == nil && (h == nil && !l.hosts.room(l.over(now)) || a == nil &&
			!l.addresses.room(l.over(now))) {
			r = &Refusal{Limit: LimitRemembered, Allowed: fmt.Sprint(l.limits.Addresses),
				Got: "one more", Wait: time.Minute}
		}
		if r != nil {
			r.Host, r.Address = host, addr
			if refusal == nil || r.Wait < refusal.Wait {
				refusal = r
			}
			continue
		}
		p := &pass{ledger: l, host: h, address: a, addr: addr}
		if h == nil {
			p.host = &account{name: host}
		}
		if a == nil {
			p.address = &account{name: name, hour: new(hour)}
		}
		l.begin(p, isTunnel, now)
		return p, nil
	}
	if refusal != nil {
		l.refuse(refusal, h, l.addresses.get(refusal.Address.String()))
	}
	return nil, refusal
}

// inOrder sorts addresses: IPv4 first, because IPv6 is more often announced than reachable, and
// failed ones last.
func (l *ledger) inOrder(addrs []netip.Addr) []netip.Addr {
	failed := func(addr netip.Addr) time.Duration {
		if a := l.addresses.get(addr.String()); a != nil {
			return a.failed
		}
		return 0
	}
	if len(addrs) > 1 {
		addrs = slices.Clone(addrs)
		slices.SortStableFunc(addrs, func(a, b netip.Addr) int {
			return cmp.Or(cmp.Compare(failed(a), failed(b)), a.BitLen()-b.BitLen())
		})
	}
	return addrs
}

// over returns a function that reports whether no limit depends on an account any more.
func (l *ledger) over(now time.Duration) func(*account) bool {
	return func(a *account) bool {
		return a.under == 0 && !a.stopped && now >= a.last+l.limits.Interval &&
			(a.hour == nil || a.hour.requests.sum(now) == 0 && a.hour.bytes.sum(now) == 0)
	}
}

// judge returns the refusal with the longest wait, or nil. Accounts may be nil.
func (l *ledger) judge(host, address *account, now time.Duration) (worst *Refusal) {
	refuse := func(limit, scope, allowed, got string, wait time.Duration) {
		if worst == nil || wait > worst.Wait {
			worst = &Refusal{Limit: limit, Scope: scope, Allowed: allowed, Got: got, Wait: wait}
		}
	}
	hours := func(a *account, scope string, requests, bytes int64) {
		if n := a.hour.requests.sum(now); requests > 0 && n >= requests {
			refuse(LimitHour, scope, fmt.Sprint(requests), fmt.Sprint(n+1),
				a.hour.requests.below(now, requests)-now)
		}
		if n := a.hour.bytes.sum(now); bytes > 0 && n >= bytes {
			refuse(LimitBytes, scope, fmt.Sprint(bytes), fmt.Sprint(n),
				a.hour.bytes.below(now, bytes)-now)
		}
	}
	pauses := func(a *account, scope string) {
		if a.under >= l.limits.Parallel {
			refuse(LimitParallel, scope, fmt.Sprint(l.limits.Parallel), fmt.Sprint(a.under+1),
				max(l.limits.Interval, time.Second))
		} else if until := a.last + l.limits.Interval; a.asked && until-now > grace {
			refuse(LimitInterval, scope, l.limits.Interval.String(), rounded(now-a.last).String(),
				until-now)
		}
	}
	if l.all.stopped {
		refuse(LimitStopped, ScopeAll, fmt.Sprint(l.limits.StopAfter), fmt.Sprint(l.all.row+1),
			stoppedFor)
	}
	hours(&l.all, ScopeAll, l.limits.AllHour, l.limits.AllBytes)
	if address != nil {
		if address.stopped {
			refuse(LimitStopped, ScopeAddress, fmt.Sprint(l.limits.StopAddressAfter),
				fmt.Sprint(address.row+1), stoppedFor)
		}
		pauses(address, ScopeAddress)
		hours(address, ScopeAddress, l.limits.AddressHour, l.limits.AddressBytes)
	}
	if host != nil {
		pauses(host, ScopeHost)
	}
	return worst
}

// begin notes a permitted request.
func (l *ledger) begin(p *pass, isTunnel bool, now time.Duration) {
	p.start = now
	for _, a := range []*account{p.host, p.address} {
		if a.asked {
			p.start = max(p.start, a.last+l.limits.Interval)
		}
	}
	p.last = [2]time.Duration{p.host.last, p.address.last}
	p.asked = [2]bool{p.host.asked, p.address.asked}
	for _, a := range []*account{p.host, p.address, &l.all} {
		a.under++
		a.asked, a.last, a.row = true, max(a.last, p.start), 0
	}
	p.address.hour.requests.add(p.start, 1)
	l.all.hour.requests.add(p.start, 1)
	l.hosts.touch(p.host)
	l.addresses.touch(p.address)
	l.count.requests++
	if isTunnel {
		l.count.tunnels++
	}
}

// refuse counts a violation, and shuts an address or everything after too many in a row.
func (l *ledger) refuse(r *Refusal, host, address *account) {
	l.count.refused[r.Limit]++
	l.all.row++
	l.all.refused++
	if host != nil {
		host.refused++
	}
	if n := l.limits.StopAfter; n > 0 && l.all.row >= n && !l.all.stopped {
		l.all.stopped, r.Stops = true, ScopeAll
	}
	if address == nil {
		return
	}
	address.refused++
	if r.Scope == ScopeAll {
		return // not the fault of the address
	}
	address.row++
	if n := l.limits.StopAddressAfter; n > 0 && address.row >= n && !address.stopped {
		address.stopped, r.Stops = true, cmp.Or(r.Stops, ScopeAddress)
	}
}

// leave ends a request. A second leave does nothing.
func (p *pass) leave(now time.Duration) {
	l := p.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.left {
		return
	}
	p.left = true
	for _, a := range []*account{p.host, p.address, &l.all} {
		a.under--
		a.last = max(a.last, now)
	}
	l.hosts.touch(p.host)
	l.addresses.touch(p.address)
}

// withdraw ends a request that was never sent, because its client left during the wait. No server
// was asked, so the next request need not wait for it. It still counts in the hour.
func (p *pass) withdraw() {
	l := p.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	p.left = true
	for i, a := range []*account{p.host, p.address} {
		a.under--
		if a.last == p.start {
			a.last, a.asked = p.last[i], p.asked[i]
		}
	}
	l.all.under--
	l.count.requests--
}

// fails notes that a connection to the address failed.
func (p *pass) fails(now time.Duration) {
	p.ledger.mu.Lock()
	defer p.ledger.mu.Unlock()
	p.address.failed = now
}

// exceeds notes that a limit cuts the answer or tunnel. Only the first limit is noted.
func (p *pass) exceeds(limit string, scope string, allowed int64) {
	p.ledger.mu.Lock()
	defer p.ledger.mu.Unlock()
	if p.cut != nil {
		return
	}
	p.cut = &Refusal{Limit: limit, Scope: scope, Host: p.host.name, Address: p.addr,
		Allowed: fmt.Sprint(allowed), Got: "more"}
	p.ledger.refuse(p.cut, p.host, p.address)
}

// exceeded returns the limit that exceeds noted.
func (p *pass) exceeded() *Refusal {
	p.ledger.mu.Lock()
	defer p.ledger.mu.Unlock()
	return p.cut
}

// spend returns how many of n bytes may be read now, and counts them. Callers return unread bytes
// with a negative n. If nothing may be read, scope and allowed name the limit.
func (p *pass) spend(n int64, now time.Duration) (may int64, scope string, allowed int64) {
	l := p.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit := l.limits.AllBytes; n > 0 && limit > 0 {
		if n = min(n, limit-l.all.hour.bytes.sum(now)); n <= 0 {
			return 0, ScopeAll, limit
		}
	}
	if limit := l.limits.AddressBytes; n > 0 && limit > 0 {
		if n = min(n, limit-p.address.hour.bytes.sum(now)); n <= 0 {
			return 0, ScopeAddress, limit
		}
	}
	p.address.hour.bytes.add(now, n)
	l.all.hour.bytes.add(now, n)
	l.count.bytes += n
	return n, "", 0
}

// rounded makes a duration readable.
func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

// refuseAny counts a violation that concerns no address.
func (l *ledger) refuseAny(r *Refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse(r, nil, nil)
}
