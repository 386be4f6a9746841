package core_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var (
	many      = flag.Int("many", 0, "how many servers TestMany crawls; 0: none")
	manyFor   = flag.Duration("many-for", 10*time.Minute, "how long TestMany crawls")
	manyKeeps = flag.Bool("many-archive", false, "keep an archive in TestMany")
	manyDelay = flag.Duration("many-delay", time.Minute,
		"pause between two requests to a server in TestMany")
)

// TestMany crawls many servers at once, one in twenty a trap and one in twenty slow:
//
//	go test ./cmd/core -run '^TestMany$' -v -many 10000 -many-for 10m -many-delay 60s -timeout 1h
//
// The servers of a kind together get at least 0.9 times the requests that politeness allows, and
// none too early.
func TestMany(t *testing.T) {
	if *many == 0 {
		t.Skip("say how many servers: -many 10000")
	}
	delay, length := *manyDelay, *manyFor
	servers := map[kind]int{honest: *many - 2*(*many/20), trapping: *many / 20, slow: *many / 20}
	c := newCrowd(t, 50, delay-2*time.Millisecond)
	c.takes = 10 * time.Second
	var archive []string
	if *manyKeeps {
		archive = []string{"--archive", filepath.Join(t.TempDir(), "kept")}
	}
	p := start(t, t.TempDir(), nil,
		slices.Concat([]string{"run", "--data", filepath.Join(t.TempDir(), "data"), "--user-agent",
			contact, "--allow-network", "127.0.0.0/8",
			"--allow-port", c.port, "--delay", delay.String(), "--budget", "100000000", "--quiet"},
			archive, c.starts(servers))...)
	takes := map[kind]time.Duration{honest: 0, trapping: 0, slow: c.takes}
	most := 0
	began, before := time.Now(), map[kind]int{}
	for time.Since(began) < length {
		since := time.Now()
		time.Sleep(min(time.Minute, length-time.Since(began)))
		part := time.Since(since).Seconds()
		memory := resident(t, p.cmd.Process.Pid)
		most = max(most, memory)
		line := fmt.Sprintf("%v: %d MiB", time.Since(began).Round(time.Second), memory>>10)
		for k := range kinds {
			if servers[k] > 0 {
				n := c.asked(k)
				line += fmt.Sprintf(", %s %d (%.1f/s of %.1f)",
					kindNames[k], n, float64(n-before[k])/part,
					float64(servers[k])/(delay+takes[k]).Seconds())
				before[k] = n
			}
		}
		t.Log(line)
	}
	for k := range kinds {
		if servers[k] == 0 {
			continue
		}
		polite := float64(servers[k]) * float64(length) / float64(delay+takes[k])
		got := float64(c.asked(k))
		t.Logf("%s: %.0f requests, %.3f of the %.0f that politeness allows",
			kindNames[k], got, got/polite, polite)
		if got < 0.9*polite {
			t.Errorf("%s servers were asked %.0f times, %.2f of %.0f, want 0.9",
				kindNames[k], got, got/polite, polite)
		}
	}
	p.interrupt()
	t.Logf("at most %d MiB\n%s%s", most>>10, p.stdout.String(), p.stderr.String())
	if *manyKeeps {
		t.Logf("%d visits are kept", len(readArchive(t, archive[1], false)))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.early) > 0 {
		t.Errorf("%d requests too early, as %s", len(c.early), c.early[0])
	}
}
