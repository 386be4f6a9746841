package main_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSilentNameServer crawls servers while all replies of the name server are lost, and many new
// names wait for one. Servers whose names are known are visited as often as before, no page is
// blamed, and the user is told. When replies come again, the new ones are visited.
func TestSilentNameServer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 40 s")
	}
	t.Parallel() // it waits more than it works
	const delay, known, unknown = 500 * time.Millisecond, 40, 400
	c := newCrowd(t, 3000, 0)
	var silent, back atomic.Bool
	dns := serveDNS(t, func(name string) time.Duration {
		if !back.Load() && (silent.Load() || strings.Contains(name, ".new.")) {
			return -1
		}
		return 0
	})
	var urls []string
	for _, url := range c.starts(map[kind]int{honest: known}) {
		urls = append(urls, strings.NewReplacer(".", "-", ":"+c.port,
			".known.example:"+c.port).Replace(url))
	}
	for i := range unknown {
		urls = append(urls, fmt.Sprintf("http://127-%d-1-%d.new.example:%s/",
			moving, i%200+1, c.port))
	}
	p := start(t, t.TempDir(), nil,
		append([]string{"run", "--data", filepath.Join(t.TempDir(), "data"), "--user-agent",
			contact, "--unlimited",
			"--allow-network", "127.0.0.0/8", "--allow-port", c.port, "--delay", delay.String(),
			"--resolver", dns, "--workers", "16", "--json"}, urls...)...)
	eventually(t, "visits to all known servers", func() bool { return c.of(honest) >= 2*known })
	silent.Store(true)
	time.Sleep(25 * time.Second)
	before, began := c.of(honest), time.Now()
	time.Sleep(10 * time.Second)
	got, polite := float64(c.of(honest)-before)/time.Since(began).Seconds(), known/delay.Seconds()
	t.Logf("%.0f visits a second to known names, where politeness allows %.0f", got, polite)
	if got < 0.6*polite {
		t.Errorf("%.0f visits a second to servers whose names are known, want %.0f", got, polite)
	}
	if n := c.asked(moving); n > 0 {
		t.Errorf("%d requests to servers whose names nobody told", n)
	}
	back.Store(true)
	eventually(t, "visits to new servers", func() bool { return c.asked(moving) > unknown })
	p.interrupt()
	if did := decode[struct{ Visits, Failed int }](t, p.result(), false); did.Failed > 0 {
		t.Errorf("%+v", did)
	}
	if !strings.Contains(p.stderr.String(), "no name server answers") {
		t.Errorf("the user is not told:\n%s", &p.stderr)
	}
}
