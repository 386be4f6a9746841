package fetch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestGatePausesAfterTheEnd(t *testing.T) {
	clock := newClock()
	g := NewGate(clock)
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	pass := func(server string, addr netip.Addr, takes time.Duration) time.Time {
		p, err := g.Enter(context.Background(), server, addr)
		if err != nil {
			t.Fatal(err)
		}
		began := clock.Now()
		clock.advance(takes)
		p.Leave(clock.Now().Add(10*time.Second), clock.Now().Add(5*time.Second))
		return began
	}
	start := clock.Now()
	for _, c := range []struct {
		server string
		addr   netip.Addr
		want   time.Duration
	}{
		{"h", a, 0},
		{"h", a, 13 * time.Second},     // 3 s request, 10 s pause of the server
		{"other", a, 21 * time.Second}, // 16 s, 5 s pause of the address
		{"h", b, 26 * time.Second},     // 16 s, 10 s pause of h at any address
		{"new", netip.MustParseAddr("192.0.2.3"), 29 * time.Second},
	} {
		if got := pass(c.server, c.addr, 3*time.Second).Sub(start); got != c.want {
			t.Errorf("%s at %v began after %v, want %v", c.server, c.addr, got, c.want)
		}
	}
}

// TestGateUnderLoad lets many goroutines ask for few servers on fewer addresses, and checks each
// pair of requests. Run it with -race.
func TestGateUnderLoad(t *testing.T) {
	const interval = time.Millisecond
	g := NewGate(WallClock{})
	var mu sync.Mutex
	open := map[string]bool{}
	ended := map[string]time.Time{}
	enter := func(keys ...string) {
		mu.Lock()
		defer mu.Unlock()
		for _, k := range keys {
			if open[k] {
				t.Errorf("two requests at a time for %s", k)
			}
			if since := time.Since(ended[k]); since < interval {
				t.Errorf("%s asked after %v", k, since)
			}
			open[k] = true
		}
	}
	leave := func(keys ...string) {
		mu.Lock()
		defer mu.Unlock()
		for _, k := range keys {
			open[k], ended[k] = false, time.Now()
		}
	}
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 12 {
				server := fmt.Sprintf("server %d", rng.IntN(6))
				addr := netip.AddrFrom4([4]byte{192, 0, 2, byte(rng.IntN(3))})
				p, err := g.Enter(context.Background(), server, addr)
				if err != nil {
					t.Error(err)
					return
				}
				enter(server, addr.String())
				time.Sleep(time.Duration(rng.IntN(200)) * time.Microsecond)
				leave(server, addr.String())
				until := time.Now().Add(interval)
				p.Leave(until, until)
				p.Leave(until, until) // a second time does nothing
			}
		})
	}
	wg.Wait()
}

func TestGateForgets(t *testing.T) {
	clock := newClock()
	g := NewGate(clock)
	for i := range 50_000 {
		addr := netip.AddrFrom4([4]byte{1, byte(i >> 16), byte(i >> 8), byte(i)})
		p, err := g.Enter(context.Background(), fmt.Sprint(i), addr)
		if err != nil {
			t.Fatal(err)
		}
		clock.advance(time.Second)
		until := clock.Now().Add(10 * time.Second)
		p.Leave(until, until)
	}
	if n := g.Len(); n > minSweep {
		t.Errorf("%d entries kept of which 22 hold anybody up", n)
	}
}

func TestGateEndsWithContext(t *testing.T) {
	g := NewGate(WallClock{})
	addr := netip.MustParseAddr("192.0.2.1")
	p, _ := g.Enter(context.Background(), "h", addr)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := g.Enter(ctx, "h", addr); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a request: %v", err)
	}
	p.Leave(time.Now().Add(time.Hour), time.Now())
	ctx, cancel = context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := g.Enter(ctx, "h", addr); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for a pause: %v", err)
	}
}

// TestWaitersStopNobody checks that waiters of one server, of servers at one address and of a
// server with two addresses all get their turn beside visits that try repeatedly. Requests come one
// at a time, a pause apart.
func TestWaitersStopNobody(t *testing.T) {
	const pause, takes = time.Second, 100 * time.Millisecond
	at := func(i byte) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, i}) }
	for name, of := range map[string]func(i, try int) (string, netip.Addr){
		"one server": func(int, int) (string, netip.Addr) { return "a", at(1) },
		"a shared address": func(i, _ int) (string, netip.Addr) {
			return string(rune('a' + i%3)), at(1)
		},
		"changing addresses": func(i, try int) (string, netip.Addr) {
			return "a", at(byte(i+try) % 2)
		},
		"across": func(i, _ int) (string, netip.Addr) {
			return string(rune('a' + i%2)), at(byte(i / 2 % 2))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, open := NewGate(WallClock{}), map[any]bool{}
				ended := map[any]time.Time{}
				var mu sync.Mutex
				use := func(p *Pass, server string, addr netip.Addr) {
					keys := []any{server, addr}
					mu.Lock()
					for _, k := range keys {
						if open[k] || time.Since(ended[k]) < pause {
							t.Errorf("%v is asked too early", k)
						}
						open[k] = true
					}
					mu.Unlock()
					time.Sleep(takes)
					mu.Lock()
					for _, k := range keys {
						open[k], ended[k] = false, time.Now()
					}
					mu.Unlock()
					p.Leave(time.Now().Add(pause), time.Now().Add(pause))
				}
				const waiters, visitors, each = 20, 4, 5
				var wg sync.WaitGroup
				for i := range waiters {
					wg.Go(func() {
						ctx, over := g.waiting(t.Context())
						defer over()
						w := ctx.Value(waiterKey{}).(*waiter)
						for try := 0; ; try++ {
							server, addr := of(i, try)
							p, later := g.tryEnter(server, addr, w)
							if p != nil {
								use(p, server, addr)
								return
							}
							_ = later.wait(ctx, WallClock{})
						}
					})
				}
				for i := range visitors {
					wg.Go(func() {
						for done, try := 0, 0; done < each; try++ {
							server, addr := of(i, try)
							p, later := g.tryEnter(server, addr, nil)
							if p != nil {
								use(p, server, addr)
								done++
								continue
							}
							_ = later.wait(t.Context(), WallClock{})
						}
					})
				}
				began := time.Now()
				wg.Wait()
				most := (waiters + visitors*each) * (pause + takes + 2*turnHeld)
				if took := time.Since(began); took > most {
					t.Errorf("took %v, want %v at most", took, most)
				}
				for k, s := range g.slots {
					if s.next != nil {
						t.Errorf("the turn of %v is still kept", k)
					}
				}
			})
		})
	}
}

// TestWaiterLendsItsAddress checks that a waiter with a long wait does not keep others from the
// address meanwhile.
func TestWaiterLendsItsAddress(t *testing.T) {
	clock := newClock()
	g := NewGate(clock)
	at := netip.MustParseAddr("192.0.2.1")
	g.Postpone("slow", clock.Now().Add(time.Hour))
	slow, quick := &waiter{}, &waiter{}
	if p, _ := g.tryEnter("slow", at, slow); p != nil {
		t.Fatal("asked too early")
	}
	for _, w := range []*waiter{nil, quick} {
		p, _ := g.tryEnter("quick", at, w)
		if p == nil {
			t.Fatal("the address is kept for who cannot use it")
		}
		p.Leave(clock.Now(), clock.Now())
	}
	clock.advance(time.Hour)
	if p, _ := g.tryEnter("slow", at, slow); p == nil {
		t.Error("it has no turn")
	}
}
