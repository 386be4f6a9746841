package main_test

import (
	"path/filepath"
	"testing"
	"time"
)

// TestLiveCrowd crawls many servers at once, with traps, slow, failing and delaying ones among
// them: the honest ones are asked as often as politeness allows, nobody is asked more often, and
// who says 429 is left alone.
func TestLiveCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	t.Parallel() // it waits more than it works
	const delay, servers, warmUp, window, longest = 500 * time.Millisecond, 60, 6 * time.Second,
		6 * time.Second, 3 * time.Minute
	c := newCrowd(t, 3000, delay-2*time.Millisecond)
	starts := c.starts(map[kind]int{honest: servers, trapping: 5, slow: 40, busy: 5, delaying: 70})
	p := start(t, t.TempDir(), nil,
		append([]string{"run", "--data", filepath.Join(t.TempDir(), "data"), "--user-agent",
			contact,
			"--allow-network", "127.0.0.0/8", "--allow-port", c.port, "--delay", delay.String(),
			"--budget", "10000000", "--workers", "32", "--quiet"}, starts...)...)
	began := time.Now()
	time.Sleep(warmUp)
	polite := servers / delay.Seconds()
	for got := 0.; got < 0.9*polite; { // at once on a machine with nothing else to do
		before, from := c.of(honest), time.Now()
		time.Sleep(window)
		got = float64(c.of(honest)-before) / time.Since(from).Seconds()
		t.Logf("%.0f visits a second to honest servers, %.0f %% of what politeness allows",
			got, 100*got/polite)
		if time.Since(began) > longest {
			t.Fatalf("%.0f visits a second to %d honest servers, want 0.9 of %.0f",
				got, servers, polite)
		}
	}
	ran := time.Since(began)
	if n, others := c.of(busy), c.of(honest)/servers*5; n > max(5*8, others/4) {
		t.Errorf("%d requests to 5 servers that answer 429, where 5 others had %d", n, others)
	}
	if n := c.of(delaying); n > 0 {
		t.Errorf("%d requests to servers with a Crawl-delay of 300 s within %v", n, ran)
	}
	p.interrupt()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.early) > 0 {
		t.Errorf("%d requests too early, as %s", len(c.early), c.early[0])
	}
}
