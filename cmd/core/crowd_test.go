package core_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// crowd is many servers behind one listener: each address of 127.0.0.0/8 is one, and the second
// number of its address is its kind. It counts the requests to each.
type crowd struct {
	port  string
	pages int           // links on the start page of an ordinary server
	least time.Duration // between the end of an answer and the next request
	begun time.Time
	sick  time.Duration // time in which recovering servers are in trouble
	takes time.Duration // until a slow server answers; run gives up after 15 s

	mu     sync.Mutex
	ended  map[string]time.Time
	visits map[string]int
	all    map[string]int // with robots.txt and sitemaps
	// well counts requests for pages in trouble (/p...) after a recovering server's trouble.
	well  map[string]int
	early []string // requests sooner than least after the last one
}

// kind is the behaviour of a server. All have an ordinary start page unless the kind differs.
type kind int

const (
	honest     kind = 1 + iota
	trapping        // 5,000 new links on each page
	slow            // answers slowly
	busy            // answers 429 without Retry-After
	delaying        // Crawl-delay: 300
	failing         // 500, 503, closed connections and cut bodies, until it recovers
	moving          // each page redirects to another page and to another server
	forbidding      // robots.txt forbids all but a few pages, until it recovers
	bombing         // pages that take much memory to read
	kinds
)

var kindNames = [kinds]string{honest: "honest", trapping: "trapping", slow: "slow", busy: "busy",
	delaying: "delaying",
	failing:  "failing", moving: "moving", forbidding: "forbidding", bombing: "bombing"}

func newCrowd(t *testing.T, pages int, least time.Duration) *crowd {
	t.Helper()
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{pages: pages, least: least, takes: 20 * time.Second, begun: time.Now(),
		ended: map[string]time.Time{}, visits: map[string]int{}, all: map[string]int{},
		well: map[string]int{}}
	_, c.port, _ = net.SplitHostPort(listener.Addr().String())
	server := &http.Server{Handler: c}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return c
}

// address returns the address of the i-th server of a kind.
func (c *crowd) address(k kind, i int) string {
	return fmt.Sprintf("127.%d.%d.%d", k, i/200, i%200+1)
}

// starts returns the start pages of the first servers of each kind.
func (c *crowd) starts(servers map[kind]int) (urls []string) {
	for k := range kinds {
		for i := range servers[k] {
			urls = append(urls, fmt.Sprintf("http://%s:%s/", c.address(k, i), c.port))
		}
	}
	return urls
}

// of counts the requests for pages of all servers of a kind.
func (c *crowd) of(k kind) (visits int) { return c.count(c.visits, k) }

// asked counts all requests to them.
func (c *crowd) asked(k kind) (requests int) { return c.count(c.all, k) }

func (c *crowd) count(of map[string]int, k kind) (sum int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for address, n := range of {
		if strings.HasPrefix(address, fmt.Sprintf("127.%d.", k)) {
			sum += n
		}
	}
	return sum
}

func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	address, _, _ := net.SplitHostPort(
		r.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
	k, isWell := c.arrive(address, r.URL.Path)
	defer c.leave(address)
	switch {
	case r.URL.Path == "/robots.txt":
		c.robots(w, k, isWell)
	case r.URL.Path == "/sitemap.xml":
		http.NotFound(w, r)
	default:
		c.page(w, r, address, k, isWell)
	}
}

// arrive notes a request.
func (c *crowd) arrive(address, path string) (k kind, isWell bool) {
	fmt.Sscanf(address, "127.%d.", &k)
	c.mu.Lock()
	defer c.mu.Unlock()
	if last, ok := c.ended[address]; ok && time.Since(last) < c.least {
		c.early = append(c.early, fmt.Sprintf("%s%s after %v", address, path, time.Since(last)))
	}
	isWell = time.Since(c.begun) > c.sick
	c.all[address]++
	if path != "/robots.txt" && path != "/sitemap.xml" {
		c.visits[address]++
		if isWell && strings.HasPrefix(path, "/p") {
			c.well[address]++
		}
	}
	return k, isWell
}

func (c *crowd) leave(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended[address] = time.Now()
}

func (c *crowd) robots(w http.ResponseWriter, k kind, isWell bool) {
	switch {
	case k == delaying:
		fmt.Fprint(w, "User-agent: *\nCrawl-delay: 300\n")
	case k == forbidding && !isWell:
		fmt.Fprint(w, "User-agent: *\nDisallow: /p\n")
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (c *crowd) page(w http.ResponseWriter, r *http.Request, address string, k kind, isWell bool) {
	isStart := r.URL.Path == "/"
	switch {
	case k == busy && !isStart:
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case k == failing && !isStart && !isWell:
		fail(w, len(r.URL.Path)%4)
		return
	case k == moving && !isStart && !strings.HasPrefix(r.URL.Path, "/now/"):
		if len(r.URL.Path)%2 == 0 {
			// 127.7. to 127.17., which is no kind
			address = strings.Replace(address, "127.", "127.1", 1)
		}
		http.Redirect(w, r, fmt.Sprintf("http://%s:%s/now%s", address, c.port, r.URL.Path),
			http.StatusMovedPermanently)
		return
	case k == slow:
		select {
		case <-time.After(c.takes):
		case <-r.Context().Done(): // the caller is gone: the request is over
			return
		}
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<p>%s of %s</p>", r.URL.Path, address)
	switch {
	case k == bombing && !isStart:
		for i := range 480 {
			fmt.Fprintf(w, "<b x=%d>", i)
		}
		fmt.Fprint(w, strings.Repeat("<p>x", 70_000))
	case k == trapping:
		for i := range 5000 {
			fmt.Fprintf(w, "<a href='%s%d-%d/'>x</a>", r.URL.Path, time.Now().UnixNano()%1e6, i)
		}
	case isStart:
		for i := range 10 {
			fmt.Fprintf(w, "<a href='/open%d.html'>x</a>\n", i)
		}
		for i := range c.pages {
			fmt.Fprintf(w, "<a href='/p%d.html'>x</a>\n", i)
		}
	}
}

// fail answers in one of the ways of a server in trouble.
func fail(w http.ResponseWriter, way int) {
	switch way {
	case 0:
		w.WriteHeader(http.StatusInternalServerError)
	case 1:
		w.WriteHeader(http.StatusServiceUnavailable)
	case 2:
		panic(http.ErrAbortHandler) // closes the connection
	case 3:
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, "<p>cut")
	}
}
