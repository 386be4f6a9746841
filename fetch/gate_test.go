package fetch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"
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

// TestGateUnderLoad has many goroutines ask for few servers on fewer addresses and checks
// each pair of requests; run it with -race.
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
