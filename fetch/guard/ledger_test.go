package guard

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

func testLimits() *Limits {
	return &Limits{Listen: "127.0.0.1:0", Interval: 10 * time.Second, Parallel: 1, AddressHour: 360,
		AllHour: 1000, AnswerBytes: 1 << 20,
		AddressBytes: 1 << 20, AllBytes: 1 << 30, Connect: "bound", TunnelTurns: 5,
		TunnelSent: 1 << 14, Longest: time.Minute,
		Addresses: 1000, Connections: 100}
}

func addressOf(i int) []netip.Addr {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, byte(i >> 16), byte(i >> 8), byte(i)})}
}

// TestLedger asks at random times for random hosts and addresses. It counts permitted requests
// independently: each limit holds in any hour.
func TestLedger(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	l := testLimits()
	l.AddressHour, l.AllHour, l.Addresses, l.Parallel = 40, 300, 30, 1+rng.IntN(2)
	ledger := newLedger(l)
	type event struct {
		begin, end time.Duration
		bytes      int64
	}
	byAddress, byHost, all := map[netip.Addr][]*event{}, map[string][]*event{}, []*event{}
	type open struct {
		p *pass
		e *event
	}
	var under []open
	for now := time.Duration(0); now < 5*time.Hour; now += time.Duration(
		rng.Int64N(int64(6 * time.Second))) {
		for len(under) > 0 && rng.IntN(2) == 0 {
			o := under[0]
			under = under[1:]
			o.p.leave(max(now, o.p.start))
			o.e.end = max(now, o.p.start)
		}
		host := fmt.Sprintf("h%d", rng.IntN(60))
		p, refusal := ledger.enter(host,
			[]netip.Addr{addressOf(rng.IntN(20))[0], addressOf(rng.IntN(20))[0]}, false, now)
		if (p == nil) == (refusal == nil) {
			t.Fatalf("seed %d: neither or both", seed)
		}
		if refusal != nil {
			if refusal.Wait <= 0 {
				t.Fatalf("seed %d: a refusal that asks for no wait: %+v", seed, refusal)
			}
			continue
		}
		e := &event{begin: p.start, end: 1 << 62}
		may, _, _ := p.spend(rng.Int64N(100_000), now)
		e.bytes = may
		byAddress[p.addr], byHost[host], all = append(byAddress[p.addr], e),
			append(byHost[host], e), append(all, e)
		under = append(under, open{p, e})
	}
	hours := func(who string, events []*event, requests, bytes int64) {
		first := 0
		var sum int64
		for i, e := range events {
			sum += e.bytes
			for ; e.begin-events[first].begin >= time.Hour; first++ {
				sum -= events[first].bytes
			}
			if n := int64(i - first + 1); n > requests || sum > bytes {
				t.Fatalf("seed %d: %s has %d requests and %d bytes in the hour to %v",
					seed, who, n, sum, e.begin)
			}
		}
	}
	pauses := func(who string, events []*event) {
		for i, e := range events {
			at := 1
			for _, b := range events[:i] {
				if b.end > e.begin {
					at++
				} else if e.begin-b.end < l.Interval {
					t.Fatalf("seed %d: %s is asked %v after the last", seed, who, e.begin-b.end)
				}
			}
			if at > l.Parallel {
				t.Fatalf("seed %d: %s is asked %d times at once", seed, who, at)
			}
		}
	}
	for a, events := range byAddress {
		hours(a.String(), events, l.AddressHour, l.AddressBytes)
		pauses(a.String(), events)
	}
	for h, events := range byHost {
		pauses(h, events)
	}
	hours("all", all, l.AllHour, l.AllBytes)
	if len(all) < 500 {
		t.Errorf("seed %d: only %d requests were let through", seed, len(all))
	}
}

// TestLedgerWait checks that a request is permitted at the time that its refusal names.
func TestLedgerWait(t *testing.T) {
	l := testLimits()
	l.AddressHour, l.Interval = 3, time.Minute
	ledger := newLedger(l)
	now := 7 * time.Minute
	for i := range 12 {
		p, refusal := ledger.enter("h", addressOf(1), false, now)
		if i%2 == 0 {
			if refusal != nil {
				t.Fatalf("request %d: refused: %+v", i, refusal)
			}
			p.leave(now)
			now += time.Second
			continue
		}
		if refusal == nil {
			t.Fatalf("request %d is let through", i)
		}
		now += refusal.Wait
	}
}

// TestLedgerRemembers checks that addresses are dropped when no limit depends on them and not
// before: until then a new one is refused.
func TestLedgerRemembers(t *testing.T) {
	l := testLimits()
	l.Addresses, l.AllHour, l.StopAddressAfter = 100, 0, 1
	ledger := newLedger(l)
	ask := func(i int, now time.Duration) *Refusal {
		p, refusal := ledger.enter(fmt.Sprint(i), addressOf(i), false, now)
		if p != nil {
			p.leave(now)
		}
		return refusal
	}
	for i := range 100 {
		if r := ask(i, time.Second); r != nil {
			t.Fatal(r)
		}
	}
	if r := ask(0, 2*time.Second); r == nil || r.Stops != ScopeAddress {
		t.Fatalf("0 is not shut: %+v", r)
	}
	if r := ask(100, 59*time.Minute); r == nil || r.Limit != LimitRemembered {
		t.Fatalf("there is room for one more: %+v", r)
	}
	for i := range 99 {
		if r := ask(200+i, 2*time.Hour); r != nil {
			t.Fatalf("%d: %+v", i, r)
		}
	}
	if r := ask(0, 10*time.Hour); r == nil || r.Limit != LimitStopped {
		t.Errorf("what was shut is open: %+v", r)
	}
	if n := len(ledger.addresses.of); n > 100 {
		t.Errorf("%d addresses remembered", n)
	}
}

// TestLedgerStops checks that violations in a row shut everything, and that a permitted request
// ends the row.
func TestLedgerStops(t *testing.T) {
	l := testLimits()
	l.StopAfter = 5
	ledger := newLedger(l)
	now := time.Second
	for i := range 5 {
		if p, r := ledger.enter("h", addressOf(i), false, now); i > 0 && r == nil {
			t.Fatal("a host is asked twice")
		} else if p != nil {
			p.leave(now)
		}
	}
	if p, r := ledger.enter("other", addressOf(9), false, now); r != nil {
		t.Fatalf("shut after 4 of 5: %+v", r)
	} else {
		p.leave(now)
	}
	for range 5 {
		ledger.enter("h", addressOf(1), false, now)
	}
	if _, r := ledger.enter("fresh", addressOf(10), false, now); r == nil ||
		r.Limit != LimitStopped || r.Scope != ScopeAll {
		t.Errorf("after 5 in a row: %+v", r)
	}
}

// TestMemory measures the memory of an address with its host.
func TestMemory(t *testing.T) {
	const n = 50_000
	l := testLimits()
	l.Addresses, l.AllHour, l.AllBytes = n, 0, 0
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	ledger := newLedger(l)
	for i := range n {
		p, r := ledger.enter(fmt.Sprintf("www.host-%d.example", i), addressOf(i), false,
			time.Second)
		if r != nil {
			t.Fatal(r)
		}
		p.leave(time.Second)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / n
	t.Logf("%.0f bytes for an address and its host", each)
	if each > 1000 {
		t.Errorf("%.0f bytes for an address and its host, want 1000 at most", each)
	}
	runtime.KeepAlive(ledger)
}

// BenchmarkLedger measures a decision, with a number of remembered addresses.
func BenchmarkLedger(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("addresses=%d", n), func(b *testing.B) {
			l := testLimits()
			l.Addresses, l.AllHour, l.AllBytes, l.AddressHour, l.AddressBytes = n, 0, 0, 0, 0
			ledger := newLedger(l)
			hosts, addrs := make([]string, n), make([][]netip.Addr, n)
			for i := range n {
				hosts[i], addrs[i] = fmt.Sprintf("www.host-%d.example", i), addressOf(i)
			}
			now, i := time.Second, 0
			for b.Loop() {
				if i == n {
					i, now = 0, now+11*time.Second
				}
				p, r := ledger.enter(hosts[i], addrs[i], false, now)
				if r != nil {
					b.Fatal(r)
				}
				p.leave(now)
				i++
			}
		})
	}
}
