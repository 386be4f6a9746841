package core_test

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var soak = flag.Duration("soak", 0, "how long TestSoak crawls; 0: not at all")

// TestSoak crawls 2,000 servers of all kinds for the time of -soak, with three kills:
//
//	go test ./cmd/core -run '^TestSoak$' -v -soak 1h -timeout 2h
//
// Each honest server is asked as often as politeness allows, and nobody more often. Servers that
// recover have their pages requested again, and memory does not grow.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("takes as long as you say: -soak 1h -timeout 2h")
	}
	const delay, parts = 10 * time.Second, 4
	servers := map[kind]int{honest: 1200, trapping: 100, slow: 100, busy: 100, delaying: 100,
		failing: 100, moving: 100, forbidding: 100, bombing: 100}
	c := newCrowd(t, 1000, delay-2*time.Millisecond)
	c.sick = *soak / 5 // before the first kill
	args := append([]string{"run", "--data", filepath.Join(t.TempDir(), "data"), "--user-agent",
		contact, "--allow-network", "127.0.0.0/8",
		"--allow-port", c.port, "--delay", delay.String(), "--robots-max-age", (*soak / 6).String(),
		"--budget", "100000000", "--quiet"}, c.starts(servers)...)

	var memory [parts]int // memory of a process at its end, KiB
	for part := range parts {
		p := start(t, t.TempDir(), nil, args...)
		end := c.begun.Add(*soak * time.Duration(part+1) / parts)
		before, began := c.of(honest), time.Now()
		for time.Now().Before(end) {
			time.Sleep(min(time.Until(end), time.Minute))
			memory[part] = resident(t, p.cmd.Process.Pid)
			c.report(t, memory[part])
		}
		got := float64(c.of(honest)-before) / time.Since(began).Seconds()
		t.Logf("part %d: %.1f visits a second to honest servers of %.1f",
			part+1, got, float64(servers[honest])/delay.Seconds())
		if part < parts-1 {
			p.kill()
		} else {
			p.interrupt()
			t.Log(p.stdout.String())
		}
		t.Log(p.stderr.String())
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	polite, slowest := int(*soak/delay), ""
	for i := range servers[honest] {
		if a := c.address(honest, i); slowest == "" || c.visits[a] < c.visits[slowest] {
			slowest = a
		}
	}
	t.Logf("least visits to an honest server: %d of %d", c.visits[slowest], polite)
	if c.visits[slowest] < polite*9/10 {
		t.Errorf("%s was asked %d times in %v, want 0.9 of %d",
			slowest, c.visits[slowest], *soak, polite)
	}
	for _, k := range []kind{failing, forbidding} {
		least := -1
		for i := range servers[k] {
			a := c.address(k, i)
			if least < 0 || c.well[a] < least {
				least = c.well[a]
			}
			if c.well[a] < polite/10 {
				t.Errorf("%s (%s) was asked %d times after it had recovered",
					a, kindNames[k], c.well[a])
			}
		}
		t.Logf("least visits to pages of a %s server after its trouble: %d", kindNames[k], least)
	}
	if len(c.early) > 0 {
		t.Errorf("%d requests too early, as %s", len(c.early), c.early[0])
	}
	if first, last := memory[0], memory[parts-1]; last > first*3/2 {
		t.Errorf("%d MiB at the end of the first part, %d MiB at the end", first>>10, last>>10)
	}
}

// report reports the progress of the soak.
func (c *crowd) report(t *testing.T, memory int) {
	line := fmt.Sprintf("%v: %d MiB", time.Since(c.begun).Round(time.Second), memory>>10)
	for k := honest; k < kinds; k++ {
		line += fmt.Sprintf(", %s %d", kindNames[k], c.of(k))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t.Logf("%s, too early %d", line, len(c.early))
}

// resident returns the memory of a process in KiB.
func resident(t *testing.T, pid int) (kib int) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("the memory of a process can be read on Linux only: ", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if value, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			_, err = fmt.Sscan(value, &kib)
			break
		}
	}
	if err := cmp.Or(err, lines.Err()); err != nil || kib == 0 {
		t.Fatalf("no memory of process %d: %v", pid, err)
	}
	return kib
}
