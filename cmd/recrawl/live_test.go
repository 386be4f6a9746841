package main_test

import (
	"path/filepath"
	"testing"
	"time"
)

// TestLiveCrowd crawls many servers at once, with traps, slow, failing and delaying ones among them: the honest ones are
// asked as often as politeness allows, nobody is asked more often, and who says 429 is left alone.
func TestLiveCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	t.Parallel() // it waits more than it works
	const delay, servers, warmUp, measured = 500 * time.Millisecond, 60, 8 * time.Second, 10 * time.Second
	c := newCrowd(t, 3000, delay-2*time.Millisecond)
	starts := c.starts(map[kind]int{honest: servers, trapping: 5, slow: 40, busy: 5, delaying: 70})
	p := start(t, t.TempDir(), nil, append([]string{"run", "--data", filepath.Join(t.TempDir(), "data"), "--user-agent", contact,
		"--allow-network", "127.0.0.0/8", "--allow-port", c.port, "--delay", delay.String(), "--budget", "10000000", "--workers", "32", "--quiet"}, starts...)...)
	time.Sleep(warmUp)
	before, began := c.of(honest), time.Now()
	time.Sleep(measured)
	got := float64(c.of(honest)-before) / time.Since(began).Seconds()
	polite := servers / delay.Seconds()
	t.Logf("%.0f visits a second to honest servers, %.0f %% of what politeness allows", got, 100*got/polite)
	if got < 0.75*polite { // 0.9 and more on a machine with nothing else to do
		t.Errorf("%.0f visits a second to %d honest servers, want 0.9 of %.0f", got, servers, polite)
	}
	if n := c.of(busy); n > 5*8 {
		t.Errorf("%d requests to 5 servers that answer 429, where the others had %.0f", n, got/servers*5*float64((warmUp+measured)/time.Second))
	}
	if n := c.of(delaying); n > 0 {
		t.Errorf("%d requests to servers with a Crawl-delay of 300 s within %v", n, warmUp+measured)
	}
	p.interrupt()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.early) > 0 {
		t.Errorf("%d requests too early, as %s", len(c.early), c.early[0])
	}
}
