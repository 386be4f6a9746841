package core_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Tests of docs/design/results.md: three nodes in separate processes crawl servers that log each
// request, and one of them has a failure. RECRAWL_NODES_SEEN=kill,move,cut,disk,clock,budget,lost
// runs them, some minutes each. cut needs network namespaces and disk a tmpfs, both root; clock
// builds the program with a standard library whose clock is an hour ahead.

const (
	seenHosts = 24
	seenDelay = 500 * time.Millisecond
	seenLease = 20 * time.Second
	seenRound = 10 * time.Second
)

// asked is one request at a server.
type asked struct {
	path       string
	begin, end time.Time
}

// logged are servers at different addresses, with their requests.
type logged struct {
	mu   sync.Mutex
	by   map[string][]asked // by host, in order of their ends
	port string
	net  string // first three numbers of their addresses
}

func (l *logged) host(n int) string { return fmt.Sprintf("%s.%d", l.net, n+1) }

func (l *logged) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	host, _, _ := strings.Cut(r.Host, ":")
	number, err := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
	time.Sleep(20 * time.Millisecond)
	if r.URL.Path != "/" && err != nil {
		http.NotFound(w, r)
		return
	}
	l.mu.Lock()
	l.by[host] = append(l.by[host], asked{r.URL.Path, begin, time.Now()})
	l.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `page %d <a href="/%d">a</a> <a href="/%d">b</a>`,
		number, 2*number+1, 2*number+2)
	if number == 0 {
		self, _ := strconv.Atoi(host[strings.LastIndexByte(host, '.')+1:])
		for _, next := range []int{2 * self, 2*self + 1} {
			if next <= seenHosts {
				fmt.Fprintf(w, ` <a href="http://%s:%s/">other</a>`, l.host(next-1), l.port)
			}
		}
	}
}

// serveAll starts servers at all addresses of this machine.
func serveAll(t *testing.T, network string) *logged {
	t.Helper()
	at, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(at.Addr().String())
	l := &logged{by: map[string][]asked{}, port: port, net: network}
	s := &http.Server{Handler: l}
	go s.Serve(at)
	t.Cleanup(func() { s.Close() })
	return l
}

func (l *logged) visits(since time.Time) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range l.by {
		for _, r := range list {
			if r.begin.After(since) {
				n++
			}
		}
	}
	return n
}

// polite fails if a server was asked during its answer, or within the delay. It returns the least
// time between two requests to a server.
func (l *logged) polite(t *testing.T) time.Duration {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	least := time.Hour
	for host, list := range l.by {
		slices.SortFunc(list, func(a, b asked) int { return a.begin.Compare(b.begin) })
		for i := 1; i < len(list); i++ {
			pause := list[i].begin.Sub(list[i-1].end)
			if least = min(least, pause); pause < seenDelay {
				t.Errorf("%s was asked for %s %v after %s",
					host, list[i].path, pause, list[i-1].path)
			}
		}
	}
	return least
}

// silence returns the longest pauses of servers from a time on that were asked in the two seconds
// before it: the least and longest of those above a limit, and their number.
func (l *logged) silence(from time.Time, above time.Duration) (
	least, longest time.Duration, servers int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range l.by {
		slices.SortFunc(list, func(a, b asked) int { return a.begin.Compare(b.begin) })
		i := slices.IndexFunc(list, func(r asked) bool { return r.begin.After(from) })
		if i < 0 {
			i = len(list)
		}
		if i < 1 || from.Sub(list[i-1].end) > 2*time.Second {
			continue
		}
		gap, last := time.Duration(0), list[i-1].end
		for _, r := range list[i:] {
			gap, last = max(gap, r.begin.Sub(last)), r.end
		}
		if gap = max(gap, time.Since(last)); gap > above {
			servers++
			longest = max(longest, gap)
			if least == 0 || gap < least {
				least = gap
			}
		}
	}
	return least, longest, servers
}

// window is the time before and after a failure in which pages asked for twice are counted.
const window = 10 * time.Second

// twice counts the pages requested just before a time that were requested again within the window,
// when their server was asked next.
func (l *logged) twice(at time.Time) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range l.by {
		before, from := map[string]bool{}, time.Time{}
		for _, r := range list {
			switch {
			case r.begin.Before(at):
				if at.Sub(r.begin) < window {
					before[r.path] = true
				}
			case from.IsZero():
				from = r.begin
				fallthrough
			case r.begin.Sub(from) < window:
				if before[r.path] {
					n++
				}
			}
		}
	}
	return n
}

// three is three nodes.
type three struct {
	*logged
	dir   string
	at    [3]string // where each answers about its state
	route [3]string
	wrap  func(node int, args []string) []string // wraps the call of a node
	ask   []string                               // settings to ask for the state
	more  [3][]string                            // settings of one node
	nodes [3]*exec.Cmd
	build string
	ahead string // a program whose clock is ahead, for node 2; "": none
}

func newThree(t *testing.T, l *logged) *three {
	t.Helper()
	c := &three{logged: l, dir: t.TempDir(), build: binary(t),
		wrap: func(_ int, args []string) []string { return args }}
	for i := range c.at {
		c.at[i], c.route[i] = freeAddress(t), freeAddress(t)
	}
	return c
}

func (c *three) start(t *testing.T, i int, budget string, urls ...string) {
	t.Helper()
	program := c.build
	if i == 2 && c.ahead != "" {
		program = c.ahead
	}
	args := []string{program, "node", "--data", filepath.Join(c.dir, fmt.Sprint("n", i)), "--name",
		fmt.Sprint("n", i), "--user-agent", contact,
		"--allow-private", "--delay", seenDelay.String(), "--lease", seenLease.String(), "--round",
		seenRound.String(), "--budget", budget,
		"--adopt", "*", "--listen", c.at[i], "--route-at", c.route[i], "--routes",
		strings.Join(c.route[:], ",")}
	args = c.wrap(i, append(append(args, c.more[i]...), urls...))
	n := exec.Command(args[0], args[1:]...)
	n.Env, n.Stderr = environment(), os.Stderr
	if err := n.Start(); err != nil {
		t.Fatal(err)
	}
	c.nodes[i] = n
	t.Cleanup(func() { n.Process.Kill(); n.Wait() })
}

// begin starts all nodes, and waits until each works and all servers are known.
func (c *three) begin(t *testing.T, budget string) {
	t.Helper()
	c.start(t, 0, budget, fmt.Sprintf("http://%s:%s/", c.host(0), c.port))
	c.start(t, 1, budget)
	c.start(t, 2, budget)
	c.until(t, "all work", func(s *nodeStatus, at map[string]int) bool {
		return len(at) == 3 && running(at) == s.Shards
	})
	seen := func() int { c.mu.Lock(); defer c.mu.Unlock(); return len(c.by) }
	c.until(t, "all servers are known", func(*nodeStatus, map[string]int) bool {
		return seen() == seenHosts
	})
}

func running(at map[string]int) (n int) {
	for _, shards := range at {
		n += shards
	}
	return n
}

// until waits for a state, as reported by the first node, and returns when it was seen.
func (c *three) until(t *testing.T, what string,
	is func(s *nodeStatus, at map[string]int) bool) time.Time {
	t.Helper()
	last := ""
	for began := time.Now(); time.Since(began) < 3*time.Minute; time.Sleep(100 * time.Millisecond) {
		look := exec.Command(c.build,
			append([]string{"node", "status", "--json", "--listen", c.at[0]}, c.ask...)...)
		look.Env = environment()
		out, err := look.Output()
		var s nodeStatus
		if last = string(out); err != nil || json.Unmarshal(out, &s) != nil {
			continue
		}
		at := map[string]int{}
		for _, shard := range s.List {
			if shard.State == "running" {
				at[shard.Node]++
			}
		}
		if is(&s, at) {
			return time.Now()
		}
	}
	t.Fatalf("it never happened that %s: %s", what, last)
	return time.Time{}
}

// tell reports the requests at the servers around a failure.
func (c *three) tell(t *testing.T, what string, at time.Time) {
	t.Helper()
	least, longest, servers := c.silence(at, 2*time.Second)
	t.Logf("%s: %d servers were not asked for more than 2 s, %.1f to %.1f s; %d pages were asked "+
		"again, %d ten seconds before; least pause %v, %d requests",
		what, servers, least.Seconds(), longest.Seconds(), c.twice(at), c.twice(at.Add(-window)),
		c.polite(t).Round(time.Millisecond), c.visits(time.Time{}))
}

func TestNodesSeen(t *testing.T) {
	want := strings.Split(os.Getenv("RECRAWL_NODES_SEEN"), ",")
	if want[0] == "" {
		t.Skip("RECRAWL_NODES_SEEN=kill,move,cut,disk,clock,budget,lost says what to see")
	}
	all := map[string]func(
		*testing.T){"kill": seeKill, "move": seeMove, "cut": seeCut, "disk": seeDisk,
		"clock": seeClock, "budget": seeBudget, "lost": seeLost}
	for _, name := range want {
		if all[name] == nil {
			t.Fatalf("there is no %q to see", name)
		}
		t.Run(name, all[name])
	}
}

const plenty = "5000000/day"

// without waits until the others have all shards of a node.
func (c *three) without(t *testing.T, name string) time.Time {
	t.Helper()
	return c.until(t, "the others have all shards", func(s *nodeStatus, at map[string]int) bool {
		return at[name] == 0 && running(at) == s.Shards
	})
}

func (c *three) with(t *testing.T, name string) time.Time {
	t.Helper()
	return c.until(t, "it has its part again", func(s *nodeStatus, at map[string]int) bool {
		return at[name] >= s.Shards/4 && running(at) == s.Shards
	})
}

// seeKill kills a node, which returns after others have its shards.
func seeKill(t *testing.T) {
	c := newThree(t, serveAll(t, "127.0.1"))
	c.begin(t, plenty)
	time.Sleep(20 * time.Second)
	at := time.Now()
	c.nodes[2].Process.Kill()
	c.nodes[2].Wait()
	taken := c.without(t, "n2")
	time.Sleep(15 * time.Second)
	c.tell(t, "killed", at)
	t.Logf("its shards were said to run %.1f s after that", taken.Sub(at).Seconds())
	at = time.Now()
	c.start(t, 2, plenty)
	back := c.with(t, "n2")
	time.Sleep(10 * time.Second)
	c.tell(t, "back", at)
	t.Logf("it had its part %.1f s after its start", back.Sub(at).Seconds())
}

// seeMove ends a node in order, and starts it again.
func seeMove(t *testing.T) {
	c := newThree(t, serveAll(t, "127.0.2"))
	c.begin(t, plenty)
	time.Sleep(20 * time.Second)
	at := time.Now()
	c.nodes[1].Process.Signal(syscall.SIGTERM)
	c.nodes[1].Wait()
	t.Logf("it ended after %.1f s", time.Since(at).Seconds())
	c.without(t, "n1")
	time.Sleep(10 * time.Second)
	c.tell(t, "ended", at)
	at = time.Now()
	c.start(t, 1, plenty)
	c.with(t, "n1")
	time.Sleep(10 * time.Second)
	c.tell(t, "started", at)
}

// seeLost kills all nodes and removes the data of NATS: they continue with their stores.
func seeLost(t *testing.T) {
	c := newThree(t, serveAll(t, "127.0.6"))
	c.begin(t, plenty)
	time.Sleep(20 * time.Second)
	pages := func(s *nodeStatus) (n int) {
		for _, shard := range s.List {
			n += shard.Pages
		}
		return n
	}
	before := 0
	c.until(t, "pages are told", func(s *nodeStatus, _ map[string]int) bool {
		before = pages(s)
		return before > 0
	})
	at := time.Now()
	for i, n := range c.nodes {
		n.Process.Kill()
		n.Wait()
		if err := os.RemoveAll(filepath.Join(c.dir, fmt.Sprint("n", i), "nats")); err != nil {
			t.Fatal(err)
		}
	}
	for i := range c.nodes {
		c.start(t, i, plenty)
	}
	after := 0
	back := c.until(t, "all run", func(s *nodeStatus, at map[string]int) bool {
		after = pages(s)
		return running(at) == s.Shards && after >= before
	})
	time.Sleep(10 * time.Second)
	c.tell(t, "lost", at)
	t.Logf("all ran after %.1f s; %d pages were known, and are %d", back.Sub(at).Seconds(), before,
		after)
}

// seeBudget checks that a common budget of 60 fetches a round is kept while a node is killed and
// returns.
func seeBudget(t *testing.T) {
	c := newThree(t, serveAll(t, "127.0.3"))
	c.begin(t, "518400/day")
	round := func() { time.Sleep(time.Until(time.Now().Truncate(seenRound).Add(seenRound))) }
	round()
	began := time.Now()
	var rounds []int
	count := func(n int) {
		for range n {
			from := time.Now()
			round()
			rounds = append(rounds, c.visits(from))
		}
	}
	count(3)
	c.nodes[2].Process.Kill()
	c.nodes[2].Wait()
	count(5)
	c.start(t, 2, "518400/day")
	count(6)
	got, allowed := c.visits(began), 60*len(rounds)
	t.Logf("%d of %d fetches in %d rounds: %v; least pause %v",
		got, allowed, len(rounds), rounds, c.polite(t))
	if got > allowed+60/10 || got < allowed*97/100 {
		t.Errorf("%d fetches, %d were allowed", got, allowed)
	}
}

// seeClock has a node whose clock is an hour ahead.
func seeClock(t *testing.T) {
	c := newThree(t, serveAll(t, "127.0.4"))
	c.ahead = aheadOfTime(t)
	c.begin(t, plenty)
	time.Sleep(20 * time.Second)
	c.until(t, "its clock is seen to be ahead", func(s *nodeStatus, _ map[string]int) bool {
		for _, n := range s.Nodes {
			if n.Name == "n2" {
				return n.Clock > 3590 && n.Clock < 3610
			}
		}
		return false
	})
	at := time.Now()
	c.nodes[0].Process.Signal(syscall.SIGSTOP) // from one with the right clock
	time.Sleep(seenLease + 10*time.Second)
	c.nodes[0].Process.Signal(syscall.SIGCONT)
	c.with(t, "n0")
	time.Sleep(10 * time.Second)
	c.tell(t, "one an hour ahead, and another one stopped for 30 s", at)
	dates := map[string]bool{}
	lines, _ := filepath.Glob(filepath.Join(c.dir, "*", "shards", "*", "journal", "*.jsonl"))
	for _, file := range lines {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			var e struct{ T time.Time }
			if json.Unmarshal([]byte(line), &e) == nil && e.T.After(time.Now().Add(time.Minute)) {
				dates[file] = true
			}
		}
	}
	if len(dates) > 0 {
		t.Errorf("journals have visits of the future: %v", dates)
	}
}

// aheadOfTime builds the program with a standard library whose clock is an hour ahead.
func aheadOfTime(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const reading = "sec, nsec, mono := runtimeNow()\n"
	changed := strings.Replace(string(text), reading, reading+"\tsec += 3600\n", 1)
	if changed == string(text) {
		t.Fatalf("%s does not read the clock as expected", path)
	}
	overlay, _ := json.Marshal(
		map[string]map[string]string{"Replace": {path: filepath.Join(dir, "time.go")}})
	for name, text := range map[string]string{"time.go": changed, "overlay.json": string(overlay)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	to := filepath.Join(dir, "recrawl")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-w", "-overlay",
		filepath.Join(dir, "overlay.json"), "-o", to,
		"../recrawl-cluster").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return to
}

// seeDisk fills the disk of one node, with its stores and its server of NATS.
func seeDisk(t *testing.T) {
	c := newThree(t, serveAll(t, "127.0.5"))
	small := filepath.Join(c.dir, "n2")
	if err := os.Mkdir(small, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=192m"); err != nil {
		t.Skipf("mount a tmpfs: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(small, syscall.MNT_DETACH) })
	for i := range c.more {
		c.more[i] = []string{"--min-free", "1000000", "--space", "1000000000"}
	}
	c.begin(t, plenty)
	time.Sleep(15 * time.Second)
	at := time.Now()
	full := filepath.Join(small, "full")
	fill, err := os.Create(full)
	if err != nil {
		t.Fatal(err)
	}
	for b := make([]byte, 64<<10); len(b) > 0; {
		if _, err := fill.Write(b); err != nil {
			b = b[:len(b)/2]
		}
	}
	fill.Close()
	time.Sleep(40 * time.Second)
	c.until(t, "it is said", func(s *nodeStatus, at map[string]int) bool {
		t.Logf("full: %v; %+v", at, s.Nodes)
		return true
	})
	c.tell(t, "full", at)
	room := time.Now()
	os.Remove(full)
	c.with(t, "n2")
	t.Logf("it worked %.1f s after there was room", time.Since(room).Seconds())
	time.Sleep(10 * time.Second)
	c.tell(t, "room", room)
}

// seeCut cuts one node off from the others, but not from the servers.
func seeCut(t *testing.T) {
	run := func(args ...string) error {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %v: %s", args, err, out)
		}
		return nil
	}
	must := func(line string) {
		t.Helper()
		if err := run(strings.Fields(line)...); err != nil {
			t.Fatal(err)
		}
	}
	// Two networks: one with the nodes, and one with the servers.
	for i, bridge := range []string{"recrawl-nodes", "recrawl-web"} {
		if err := run("ip", "link", "add", bridge, "type", "bridge"); err != nil {
			t.Skipf("no network namespaces here: %v", err)
		}
		t.Cleanup(func() { run("ip", "link", "del", bridge) })
		must(fmt.Sprintf("ip addr add 10.77.%d.1/24 dev %s", i, bridge))
		must("ip link set " + bridge + " up")
	}
	l := serveAll(t, "10.77.1")
	for i := 1; i < seenHosts; i++ {
		must(fmt.Sprintf("ip addr add %s/24 dev recrawl-web", l.host(i)))
	}
	c := newThree(t, l)
	token := filepath.Join(c.dir, "token")
	if err := os.WriteFile(token, []byte("a-token-for-nodes-to-be-seen"), 0o600); err != nil {
		t.Fatal(err)
	}
	space := func(i int) string { return fmt.Sprint("recrawl-n", i) }
	for i := range c.at {
		must("ip netns add " + space(i))
		t.Cleanup(func() { run("ip", "netns", "del", space(i)) })
		for n, bridge := range []string{"recrawl-nodes", "recrawl-web"} {
			outer := fmt.Sprintf("recrawl-%d-%d", n, i)
			must(fmt.Sprintf("ip link add %s type veth peer name e%d netns %s", outer, n, space(i)))
			must(fmt.Sprintf("ip link set %s master %s up", outer, bridge))
			must(fmt.Sprintf("ip -n %s addr add 10.77.%d.%d/24 dev e%d", space(i), n, 101+i, n))
			must(fmt.Sprintf("ip -n %s link set e%d up", space(i), n))
		}
		must("ip -n " + space(i) + " link set lo up")
		c.at[i], c.route[i] = fmt.Sprintf("10.77.0.%d:7422", 101+i), fmt.Sprintf("10.77.0.%d:7423",
			101+i)
		c.more[i] = []string{"--token-file", token}
	}
	c.wrap = func(i int, args []string) []string {
		return append([]string{"ip", "netns", "exec", space(i)}, args...)
	}
	c.ask = []string{"--token-file", token}
	c.begin(t, plenty)
	time.Sleep(15 * time.Second)
	at := time.Now()
	must("ip link set recrawl-0-2 down")
	c.without(t, "n2")
	time.Sleep(10 * time.Second)
	c.tell(t, "cut off", at)
	at = time.Now()
	must("ip link set recrawl-0-2 up")
	c.with(t, "n2")
	t.Logf("it had its part %.1f s after it was back", time.Since(at).Seconds())
	time.Sleep(10 * time.Second)
	c.tell(t, "back in the network", at)
}
