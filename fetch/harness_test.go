package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/fetchtest"
	"github.com/recrawl/recrawl/sitegraph"
)

func TestMain(m *testing.M) {
	fetchtest.MoreAtOnce(3)
	m.Run()
}

const testAgent = "recrawl-test/1.0 (+http://crawler.example/)"

// virtualClock advances only when somebody sleeps.
type virtualClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *virtualClock { return &virtualClock{now: time.Unix(1_700_000_000, 0).UTC()} }

func (c *virtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *virtualClock) SleepUntil(ctx context.Context, t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.After(c.now) {
		c.now = t
	}
	return ctx.Err()
}

func (c *virtualClock) advance(d time.Duration) {
	c.SleepUntil(context.Background(), c.Now().Add(d))
}

// request is one request that the test web got.
type request struct {
	at     time.Time
	host   string
	addr   string // address that was dialled
	path   string
	header http.Header
}

// web is a few hosts on loopback addresses. No test here leaves the machine.
type web struct {
	t     *testing.T
	clock *virtualClock
	hosts map[string]netip.Addr
	ports map[netip.Addr]string // where the server of an address listens
	mux   *http.ServeMux

	mu       sync.Mutex
	requests []request
	dials    []string
}

// newWeb serves host at addr (a loopback address) for each pair. Handlers are patterns of
// http.ServeMux: "h.example/path". Without a handler, robots.txt is a 404.
func newWeb(t *testing.T, hosts ...string) *web {
	w := &web{t: t, clock: newClock(), hosts: map[string]netip.Addr{},
		ports: map[netip.Addr]string{}, mux: http.NewServeMux()}
	for i := 0; i < len(hosts); i += 2 {
		addr := netip.MustParseAddr(hosts[i+1])
		w.hosts[hosts[i]] = addr
		if w.ports[addr] != "" {
			continue
		}
		listener, err := net.Listen("tcp", net.JoinHostPort(addr.String(), "0"))
		if err != nil {
			t.Skipf("this machine has no %v: %v", addr, err)
		}
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter,
			r *http.Request) {
			w.mu.Lock()
			w.requests = append(w.requests,
				request{w.clock.Now(), r.Host, addr.String(), r.URL.RequestURI(), r.Header})
			w.mu.Unlock()
			w.mux.ServeHTTP(rw, r)
		}))
		server.Listener.Close()
		server.Listener = listener
		server.Start()
		t.Cleanup(server.Close)
		_, w.ports[addr], _ = net.SplitHostPort(listener.Addr().String())
	}
	return w
}

func (w *web) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	if a, ok := w.hosts[host]; ok {
		return []netip.Addr{a}, nil
	}
	return nil, errors.New("no such host")
}

func (w *web) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	w.mu.Lock()
	w.dials = append(w.dials, addr)
	w.mu.Unlock()
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil, err
	}
	port, ok := w.ports[ap.Addr()]
	if !ok {
		return nil, fmt.Errorf("connection refused: %s", addr)
	}
	var d net.Dialer
	return d.DialContext(ctx, network, net.JoinHostPort(ap.Addr().String(), port))
}

func (w *web) client(change func(*Options)) *Client {
	o := Options{UserAgent: testAgent, Clock: w.clock, AllowPrivate: true, Resolve: w.resolve,
		Dial: w.dial}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *web) visit(c *Client, rec sitegraph.Record) sitegraph.Observation {
	w.t.Helper()
	o, err := c.Visit(context.Background(), rec)
	if err != nil {
		w.t.Fatalf("visit %s: %v", rec.URL, err)
	}
	if o.URL != rec.URL || o.Outcome == sitegraph.OutcomeUnknown || o.Time.IsZero() {
		w.t.Errorf("visit %s: incomplete observation %+v", rec.URL, o)
	}
	return o
}

func (w *web) get(c *Client, url string) sitegraph.Observation {
	w.t.Helper()
	return w.visit(c, sitegraph.Record{URL: url})
}

// paths returns the paths that were asked for since the last call.
func (w *web) paths() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, r := range w.requests {
		out = append(out, r.path)
	}
	w.requests = nil
	return out
}

func (w *web) handle(pattern string, f http.HandlerFunc) { w.mux.HandleFunc(pattern, f) }

func (w *web) page(pattern, html string) {
	w.handle(pattern, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		rw.Write([]byte(html))
	})
}
