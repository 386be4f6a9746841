package main_test

import (
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// crowd is many servers behind one listener: each address of 127.0.0.0/8 is one, and the second number of its address
// says of what kind. It watches from the servers' side how often each is asked.
type crowd struct {
	port string

	mu     sync.Mutex
	ended  map[string]time.Time
	visits map[string]int
	early  []string // requests sooner than least after the last one
	least  time.Duration
}

// The kinds of servers.
const (
	honest   = 1 // 3,000 pages
	trapping = 2 // 5,000 new links on each page
	slow     = 3 // takes 20 s to answer
	busy     = 4 // answers 429 without Retry-After
	delaying = 5 // Crawl-delay: 300
)

func newCrowd(t *testing.T, least time.Duration) *crowd {
	t.Helper()
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{ended: map[string]time.Time{}, visits: map[string]int{}, least: least}
	_, c.port, _ = net.SplitHostPort(listener.Addr().String())
	server := &http.Server{Handler: c}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return c
}

func (c *crowd) starts(kind, servers int) (urls []string) {
	for i := range servers {
		urls = append(urls, fmt.Sprintf("http://127.%d.%d.%d:%s/", kind, i/200, i%200+1, c.port))
	}
	return urls
}

// of counts the requests for pages of all servers of a kind.
func (c *crowd) of(kind int) (visits int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for address, n := range c.visits {
		if strings.HasPrefix(address, fmt.Sprintf("127.%d.", kind)) {
			visits += n
		}
	}
	return visits
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	address, _, _ := net.SplitHostPort(r.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
	kind := strings.Split(address, ".")[1]
	c.mu.Lock()
	if last, ok := c.ended[address]; ok && time.Since(last) < c.least {
		c.early = append(c.early, fmt.Sprintf("%s%s after %v", address, r.URL.Path, time.Since(last)))
	}
	isPage := r.URL.Path != "/robots.txt" && r.URL.Path != "/sitemap.xml"
	if isPage {
		c.visits[address]++
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended[address] = time.Now()
	}()
	switch {
	case r.URL.Path == "/robots.txt" && kind == fmt.Sprint(delaying):
		fmt.Fprint(w, "User-agent: *\nCrawl-delay: 300\n")
		return
	case !isPage:
		http.NotFound(w, r)
		return
	case kind == fmt.Sprint(busy) && r.URL.Path != "/":
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case kind == fmt.Sprint(slow):
		time.Sleep(20 * time.Second)
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<p>%s of %s</p>", r.URL.Path, address)
	switch {
	case kind == fmt.Sprint(trapping):
		for i := range 5000 {
			fmt.Fprintf(w, "<a href='%s%d-%d/'>x</a>", r.URL.Path, time.Now().UnixNano()%1e6, i)
		}
	case r.URL.Path == "/":
		for i := range 3000 {
			fmt.Fprintf(w, "<a href='/p%d.html'>x</a>\n", i)
		}
	}
}

// TestLiveCrowd crawls many servers at once, with traps, slow, failing and delaying ones among them: the honest ones are
// asked as often as politeness allows, nobody is asked more often, and who says 429 is left alone.
func TestLiveCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	const delay, servers, warmUp, measured = 500 * time.Millisecond, 60, 8 * time.Second, 10 * time.Second
	c := newCrowd(t, delay-2*time.Millisecond)
	var starts []string
	for kind, n := range map[int]int{honest: servers, trapping: 5, slow: 40, busy: 5, delaying: 70} {
		starts = append(starts, c.starts(kind, n)...)
	}
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
