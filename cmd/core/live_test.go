package core_test

import (
	"path/filepath"
	"testing"
	"time"
)

// TestLiveCrowd crawls many servers at once, with traps, slow, failing and delaying ones. The
// honest ones are asked continuously, nobody more often than politeness allows, and a server that
// answers 429 is left alone. The log has the rate for the honest ones.
func TestLiveCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	t.Parallel() // it mostly waits
	const delay, servers, warmUp = 500 * time.Millisecond, 60, 6 * time.Second
	c := newCrowd(t, 3000, delay-2*time.Millisecond)
	starts := c.starts(map[kind]int{honest: servers, trapping: 5, slow: 40, busy: 5, delaying: 70})
	p := start(t, t.TempDir(), nil,
		append([]string{"run", "--data", filepath.Join(t.TempDir(), "data"), "--user-agent",
			contact,
			"--allow-network", "127.0.0.0/8", "--allow-port", c.port, "--delay", delay.String(),
			"--budget", "10000000", "--workers", "32", "--quiet"}, starts...)...)
	began := time.Now()
	time.Sleep(warmUp)
	before, from := c.of(honest), time.Now()
	eventually(t, "twelve further visits to each honest server", func() bool {
		return c.of(honest) >= before+12*servers
	})
	t.Logf("%.0f %% of the visits that politeness allows to honest servers",
		1200*delay.Seconds()/time.Since(from).Seconds())
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
