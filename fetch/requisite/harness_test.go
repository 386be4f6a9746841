package requisite

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
)

// clock advances only when somebody sleeps.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) SleepUntil(ctx context.Context, t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.After(c.now) {
		c.now = t
	}
	return ctx.Err()
}

func (c *clock) advance(d time.Duration) { c.SleepUntil(context.Background(), c.Now().Add(d)) }

// asked is a request that a server got.
type asked struct {
	url        string
	header     http.Header
	began, end time.Time
}

// world is a few servers, each at its own address of loopback, and a series of keepers.
type world struct {
	t      *testing.T
	mux    *http.ServeMux // patterns as "h.example/path"
	addr   map[string]netip.Addr
	client *fetch.Client
	dir    string
	clock  fetch.Clock

	archive *archive.Archive
	keeper  *Keeper
	budget  []budget.Limit
	robots  map[string]string // by host

	mu  sync.Mutex
	log []asked
}

// newWorld uses virtual time, unless an interval of real time is given.
func newWorld(t *testing.T, interval time.Duration, hosts ...string) *world {
	w := &world{t: t, mux: http.NewServeMux(), addr: map[string]netip.Addr{}, dir: t.TempDir(),
		clock: fetch.WallClock{}, robots: map[string]string{}}
	if interval == 0 {
		w.clock, interval = &clock{now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)},
			fetch.NoInterval
	}
	for i, host := range hosts {
		addr := netip.AddrFrom4([4]byte{127, 0, 0, byte(i + 1)})
		w.addr[host] = addr
		l, err := net.Listen("tcp", net.JoinHostPort(addr.String(), "0"))
		if err != nil {
			t.Skipf("this machine has no %v: %v", addr, err)
		}
		server := httptest.NewUnstartedServer(http.HandlerFunc(w.serve))
		server.Listener.Close()
		server.Listener = l
		server.Start()
		t.Cleanup(server.Close)
		w.mux.HandleFunc(host+"/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(rw, w.robots[host])
		})
		at := l.Addr().String()
		ports.Store(addr, at)
	}
	var err error
	w.client, err = fetch.New(fetch.Options{UserAgent: "test/1.0 (+http://crawler.example/)",
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Interval: interval,
		Clock: w.clock, Capture: true,
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			if a, ok := w.addr[host]; ok {
				return []netip.Addr{a}, nil
			}
			if host == "inside.example" {
				return []netip.Addr{netip.AddrFrom4([4]byte{10, 0, 0, 1})}, nil
			}
			return nil, errors.New("no such host")
		},
		Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			ap, err := netip.ParseAddrPort(addr)
			if err != nil {
				return nil, err
			}
			at, _ := ports.Load(ap.Addr())
			return (&net.Dialer{}).DialContext(ctx, network, at.(string))
		}})
	if err != nil {
		t.Fatal(err)
	}
	w.open()
	t.Cleanup(w.close)
	return w
}

// ports are the ports of the servers at addresses.
var ports sync.Map

func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	a := asked{url: "http://" + r.Host + r.URL.RequestURI(), header: r.Header, began: time.Now()}
	w.mux.ServeHTTP(rw, r)
	a.end = time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, a)
}

// text serves a text of a type, with a validator.
func (w *world) text(url, kind, text string) {
	w.mux.HandleFunc(strings.TrimPrefix(url, "http://"), func(rw http.ResponseWriter,
		r *http.Request) {
		tag := fmt.Sprintf(`"%x"`, len(text))
		rw.Header().Set("Content-Type", kind)
		rw.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(rw, text)
	})
}

func (w *world) open() {
	w.t.Helper()
	var err error
	if w.archive, err = archive.Open(w.dir, archive.Options{Now: w.clock.Now}); err != nil {
		w.t.Fatal(err)
	}
	if w.keeper, err = Open(Options{Client: w.client, Archive: w.archive, Dir: w.dir,
		Budget: w.budget, Clock: w.clock}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) close() {
	if err := errors.Join(w.keeper.Close(), w.archive.Close()); err != nil {
		w.t.Error(err)
	}
}

// kill ends the process without any last write, and starts the next one.
func (w *world) kill() {
	w.t.Helper()
	w.keeper.log.f.Close()
	w.archive.Close() // its sync concerns stored captures only
	w.open()
}

// visit visits pages, each for the first time, and acknowledges the visits.
func (w *world) visit(urls ...string) {
	w.t.Helper()
	for _, url := range urls {
		rec := sitegraph.Record{URL: url}
		w.visitOf(&rec)
	}
	if err := w.keeper.Keep(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) visitOf(rec *sitegraph.Record) *sitegraph.Observation {
	w.t.Helper()
	o, err := w.keeper.Visit(context.Background(), rec.URL,
		func(ctx context.Context) (*sitegraph.Observation, error) {
			return w.archive.Take(ctx, archive.Visit{}, rec,
				func(ctx context.Context, rec *sitegraph.Record) (*sitegraph.Observation, error) {
					o, err := w.client.Visit(ctx, *rec)
					return &o, err
				})
		})
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

// finish asks for everything that waits.
func (w *world) finish() (waiting int) {
	w.t.Helper()
	waiting, err := w.keeper.Finish(context.Background(), w.clock.Now().Add(365*day))
	if err != nil {
		w.t.Fatal(err)
	}
	return waiting
}

// asks returns the number of requests for each URL since the last call, without robots.txt.
func (w *world) asks() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := map[string]int{}
	for _, a := range w.log {
		if !strings.HasSuffix(a.url, "/robots.txt") {
			n[strings.TrimPrefix(a.url, "http://")]++
		}
	}
	w.log = nil
	return n
}

// kept returns the number of captures of each URL.
func (w *world) kept() map[string]int {
	w.t.Helper()
	r, err := archive.OpenReader(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	n := map[string]int{}
	if err := r.Each(func(c *archive.Capture) error {
		n[strings.TrimPrefix(c.URL, "http://")]++
		if _, err := r.Answer(c); err != nil {
			w.t.Errorf("%s: %v", c.URL, err)
		}
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return n
}
