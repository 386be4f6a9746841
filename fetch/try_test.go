package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestTry checks that Try never waits: it makes at most one request, and returns when to come
// again.
func TestTry(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1", "www.h.example", "127.0.0.2", "other.example",
		"127.0.0.1")
	w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Location", "http://www.h.example/robots.txt")
		rw.WriteHeader(301)
	})
	w.handle("www.h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, "User-agent: *\nCrawl-delay: 300\nDisallow: /no")
	})
	w.page("/", "x")
	c := w.client(nil)
	began := w.clock.Now()
	try := func(url string) (sitegraph.Observation, time.Duration) {
		before, requests := w.clock.Now(), len(w.requests)
		o, until, err := c.Try(t.Context(), &sitegraph.Record{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		if w.clock.Now() != before {
			t.Errorf("%s: Try slept %v", url, w.clock.Now().Sub(before))
		}
		if len(w.requests) > requests+2 {
			t.Errorf("%s: %d requests by one Try", url, len(w.requests)-requests)
		}
		if until.IsZero() {
			return *o, 0
		}
		return *o, until.Sub(before)
	}
	// The redirect leads to another host of the site and takes its turn: two requests at two
	// servers, and then the delay.
	if _, wait := try("http://h.example/"); wait != 300*time.Second {
		t.Fatalf("after robots.txt wait %v, want its Crawl-delay of 300 s", wait)
	}
	// The other server at the address waits for the address alone.
	if _, wait := try("http://other.example/"); wait != 10*time.Second {
		t.Errorf("a server at the same address waits %v, want 10 s", wait)
	}
	w.clock.advance(10 * time.Second)
	if _, wait := try("http://other.example/"); wait != 10*time.Second { // robots.txt
		t.Errorf("after robots.txt wait %v, want 10 s", wait)
	}
	w.clock.advance(10 * time.Second)
	if o, wait := try("http://other.example/"); wait != 0 ||
		o.Outcome != sitegraph.OutcomeFetched || o.Trouble != sitegraph.TroubleNone ||
		o.Robots == 0 || o.Address != "127.0.0.1" || o.MediaType != "text/html" {
		t.Errorf("wait %v, %+v", wait, o)
	}
	w.clock.advance(began.Add(300 * time.Second).Sub(w.clock.Now()))
	if o, wait := try("http://h.example/"); wait != 0 || o.Outcome != sitegraph.OutcomeFetched {
		t.Errorf("wait %v, %v %q", wait, o.Outcome, o.Detail)
	}
	if o, wait := try("http://h.example/no"); wait != 0 || o.Outcome != sitegraph.OutcomeExcluded ||
		!o.ByRobots {
		t.Errorf("wait %v, %v %q, by robots.txt: %v", wait, o.Outcome, o.Detail, o.ByRobots)
	}
	want := []string{"/robots.txt", "/robots.txt", "/robots.txt", "/", "/"}
	if got := w.paths(); !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
}

// TestTryWhileBusy checks that Try returns a short wait while another request is in flight.
func TestTryWhileBusy(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	hold, begun := make(chan struct{}), make(chan struct{})
	w.handle("h.example/robots.txt", http.NotFound)
	w.handle("h.example/slow", func(rw http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-hold
	})
	c := w.client(func(o *Options) { o.Interval = NoInterval })
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Visit(context.Background(), sitegraph.Record{URL: home + "slow"})
	}()
	<-begun
	_, until, err := c.Try(t.Context(), &sitegraph.Record{URL: home})
	if wait := until.Sub(w.clock.Now()); err != nil || wait != busyAgain {
		t.Errorf("wait %v, error %v", wait, err)
	}
	close(hold)
	<-done
}

// TestTrouble checks which trouble of a server its answers show.
func TestTrouble(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/robots.txt", http.NotFound)
	var status atomic.Int64
	w.handle("h.example/", func(rw http.ResponseWriter, _ *http.Request) {
		if status.Load() == 0 {
			panic(http.ErrAbortHandler)
		}
		rw.WriteHeader(int(status.Load()))
	})
	c := w.client(func(o *Options) { o.Interval = NoInterval })
	for s, want := range map[int]sitegraph.Trouble{
		200: sitegraph.TroubleNone, 404: sitegraph.TroubleNone, 403: sitegraph.TroubleNone,
		429: sitegraph.TroubleBusy,
		503: sitegraph.TroubleBusy, 500: sitegraph.TroubleFailing, 502: sitegraph.TroubleFailing,
		0: sitegraph.TroubleFailing,
	} {
		status.Store(int64(s))
		if o := w.get(c, home); o.Trouble != want {
			t.Errorf("status %d: %v, want %v", s, o.Trouble, want)
		}
	}
}

// TestLocalFault checks that faults of this machine are LocalErrors.
func TestLocalFault(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/robots.txt", http.NotFound)
	for err, local := range map[error]bool{
		syscall.EMFILE: true, syscall.ENFILE: true, syscall.ENOBUFS: true,
		syscall.EADDRNOTAVAIL: true, syscall.ENETUNREACH: true,
		syscall.ECONNREFUSED: false, syscall.ECONNRESET: false, syscall.ETIMEDOUT: false,
		syscall.EHOSTUNREACH: false,
	} {
		c := w.client(func(o *Options) {
			o.Interval = NoInterval
			o.Dial = func(context.Context, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", err)}
			}
		})
		o, got := c.Visit(t.Context(), sitegraph.Record{URL: home})
		var fault *LocalError
		if errors.As(got, &fault) != local || o.Outcome != sitegraph.OutcomeFailed {
			t.Errorf("%v: outcome %v, error %v; want a local fault: %v, and what it is if it is "+
				"the server's", err, o.Outcome, got, local)
		}
		if unsure := err == syscall.EADDRNOTAVAIL || err == syscall.ENETUNREACH; local &&
			fault.Unsure != unsure {
			t.Errorf("%v: unsure %v", err, fault.Unsure)
		}
	}
}

// TestCodedBodyCut checks that a coded body which ends in the middle is no content.
func TestCodedBodyCut(t *testing.T) {
	text := strings.Repeat("<a href=/x>hello</a> ", 500)
	coded := zipText(t, text)
	damaged := bytes.Clone(coded)
	copy(damaged[len(damaged)/2:], "garbage garbage garbage")
	for name, body := range map[string][]byte{"cut": coded[:len(coded)/2],
		"without its end": coded[:len(coded)-8], "damaged": damaged,
		"one octet": coded[:1], "nothing": nil} {
		w := newWeb(t, "h.example", "127.0.0.1")
		w.handle("h.example/robots.txt", http.NotFound)
		w.handle("h.example/", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			rw.Header().Set("Content-Encoding", "gzip")
			rw.Header().Set("Transfer-Encoding", "identity") // ends by closing
			rw.Write(body)
			rw.(http.Flusher).Flush()
		})
		if o := w.get(w.client(nil), home); o.Outcome != sitegraph.OutcomeFailed || o.LinksKnown {
			t.Errorf("%s: %v %q, links known: %v", name, o.Outcome, o.Detail, o.LinksKnown)
		}
	}
}

// TestPreconditionFailed checks that a server which rejects a condition is asked without one.
func TestPreconditionFailed(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.handle("h.example/robots.txt", http.NotFound)
	w.handle("h.example/", func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			rw.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		rw.Header().Set("ETag", `"1"`)
	})
	c := w.client(nil)
	r := sitegraph.Record{URL: home, State: sitegraph.StateNew}
	for i, want := range []sitegraph.Outcome{sitegraph.OutcomeFetched, sitegraph.OutcomeFailed,
		sitegraph.OutcomeFetched} {
		o, err := c.Visit(t.Context(), r)
		if err != nil || o.Outcome != want {
			t.Errorf("visit %d: %v %q, %v", i+1, o.Outcome, o.Detail, err)
		}
		r.Apply(o, sitegraph.ChangeByBytes)
	}
	if r.State != sitegraph.StateAlive {
		t.Errorf("the page is %v", r.State)
	}
}

func TestRobotsAgent(t *testing.T) {
	for agent, want := range map[string]string{
		"mybot/1.0 (+https://example.org/)":                                       "mybot",
		"Mozilla/5.0 (compatible; mybot/1.0; +https://example.org/)":              "mybot",
		"Mozilla/5.0 (X11; Linux) AppleWebKit (compatible; My-Bot; +https://e.g)": "my-bot",
		"Mozilla/5.0 (X11; Linux; +https://example.org/)":                         "",
		"Mozilla/5.0 (mybot/1.0; +https://example.org/)":                          "mybot",
		"mozilla/5.0 (Compatible; MSIE 9.0; mybot/1.0; +https://example.org/)":    "mybot",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; mybot/2.1; +https://e.g) " +
			"Chrome/1.2 Safari/537.36": "mybot",
		"Mozilla/5.0 (X11; Linux) mybot/1.0 (+https://example.org/)": "mybot",
		"Mozilla/5.0 (compatible; +https://example.org/)":            "",
	} {
		c, err := New(Options{UserAgent: agent})
		switch {
		case want == "" && err == nil:
			t.Errorf("%s: taken", agent)
		case want != "" && (err != nil || c.agent != want):
			t.Errorf("%s: %v, want %s", agent, err, want)
		}
	}
	if c, err := New(Options{UserAgent: "Mozilla/5.0 (compatible; +https://example.org/)",
		RobotsAgent: "MyBot"}); err != nil || c.agent != "mybot" {
		t.Errorf("a name of its own: %v", err)
	}
	if _, err := New(Options{UserAgent: testAgent, RobotsAgent: "my bot/1"}); err == nil {
		t.Error("a name with a blank is taken")
	}
}

func TestSameSite(t *testing.T) {
	for _, c := range []struct {
		at, next string
		same     bool
	}{
		{"http://example.org", "https://www.example.org", true},
		{"http://old.example.co.uk", "http://new.example.co.uk", true},
		{"http://a.github.io", "http://b.github.io", false},
		{"http://example.org", "http://example.com", false},
		{"https://example.org", "http://www.example.org", false},
		{"http://example.org", "http://www.example.org:8080", false},
		{"http://192.0.2.1", "http://192.0.2.2", false},
	} {
		at, next := mustURL(t, c.at), mustURL(t, c.next)
		if got := sameHost(at, next, at.Host); got != c.same {
			t.Errorf("%s to %s: %v, want %v", c.at, c.next, got, c.same)
		}
	}
}

func TestAllowedNetworks(t *testing.T) {
	g := guard{networks: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16")},
		ports: []uint16{8080}}
	for text, want := range map[string]bool{"10.20.3.4": true, "::ffff:10.20.3.4": true,
		"10.21.0.1": false, "127.0.0.1": false, "93.184.216.34": true} {
		if err := g.checkAddr(netip.MustParseAddr(text)); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	for port, want := range map[uint16]bool{80: true, 8080: true, 22: false} {
		if err := g.checkPort(port); (err == nil) != want {
			t.Errorf("port %d: %v", port, err)
		}
	}
}
