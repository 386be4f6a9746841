package fetch

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	proxyguard "github.com/recrawl/recrawl/fetch/guard"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestGuardAnswers sends answers of a guard, and of servers that pretend to be one.
func TestGuardAnswers(t *testing.T) {
	for _, c := range []struct {
		name, scheme string
		status       int
		proxyStatus  string // NONCE is replaced
		wait         time.Duration
		outcome      sitegraph.Outcome
		local        bool
		detail       string
	}{
		{"limit of an address", "http", 429,
			`recrawl-guard; error=http_request_denied; limit=interval; scope=address; nonce="NONCE"; details="x; y=z"`, 7 * time.Second, 0, false, ""},
		{"limit of a host", "http", 429,
			`recrawl-guard; error=http_request_denied; limit=interval; scope=host; nonce="NONCE"; details="x"`, 7 * time.Second, 0, false, ""},
		{"limit of all", "http", 429,
			`recrawl-guard; error=http_request_denied; limit=hour; scope=all; nonce="NONCE"; details="x"`, 0, 0, true, "the guard refused: x"},
		{"limit of a tunnel's address", "https", 429,
			`recrawl-guard; error=http_request_denied; limit=interval; scope=address; nonce="NONCE"; details="x"`, 7 * time.Second, 0, false, ""},
		{"a server's own 429", "http", 429, "", 0, sitegraph.OutcomeFailed, false, "status 429"},
		{"a server that pretends", "http", 429,
			`recrawl-guard; error=http_request_denied; limit=hour; scope=all; nonce="00"`, 0,
			sitegraph.OutcomeFailed, false, "status 429"},
		{"no answer", "http", 502,
			`recrawl-guard; error=connection_refused; nonce="NONCE"; details="nobody there"`, 0,
			sitegraph.OutcomeFailed, false, "nobody there"},
		{"no answer, https", "https", 504,
			`recrawl-guard; error=connection_timeout; nonce="NONCE"; details="nobody there"`, 0,
			sitegraph.OutcomeFailed, false, "nobody there"},
		{"not public there", "http", 403,
			`recrawl-guard; error=destination_ip_prohibited; nonce="NONCE"; details="private"`, 0,
			sitegraph.OutcomeExcluded, false, "private"},
		{"out of descriptors", "http", 503,
			`recrawl-guard; error=proxy_internal_error; nonce="NONCE"; details="too many open files"`, 0, 0, true, "too many open files"},
		{"password wanted", "https", 407, "", 0, 0, true, "it wants a password"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				nonce, ok := strings.CutPrefix(r.Header.Get("Proxy-Authorization"),
					"Recrawl-Guard ")
				if !ok || len(nonce) != 32 || (r.Method == "CONNECT") != (c.scheme == "https") {
					t.Errorf("%s %s with Proxy-Authorization %q",
						r.Method, r.URL, r.Header["Proxy-Authorization"])
				}
				if strings.HasSuffix(r.URL.Path, "/robots.txt") {
					w.WriteHeader(404)
					return
				}
				asked++
				if c.proxyStatus != "" {
					w.Header().Set("Proxy-Status",
						strings.ReplaceAll(c.proxyStatus, "NONCE", nonce))
				}
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(c.status)
			}))
			defer proxy.Close()
			u, _ := url.Parse(proxy.URL)
			clock, warned := newClock(), 0
			client, err := New(Options{UserAgent: testAgent, Clock: clock, Interval: NoInterval,
				Proxy: u, Warn: func(error) { warned++ },
				Resolve: func(context.Context, string) ([]netip.Addr, error) {
					return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			rec := sitegraph.Record{URL: c.scheme + "://h.example/x"}
			o, until, err := client.Try(t.Context(), &rec)
			var local *LocalError
			if errors.As(err, &local) != c.local || err != nil &&
				!strings.Contains(err.Error(), c.detail) {
				t.Fatalf("error %v", err)
			}
			if wait := until.Sub(clock.Now()); c.wait > 0 && wait != c.wait || c.wait == 0 &&
				!until.IsZero() {
				t.Errorf("wait until %v", until)
			}
			if !c.local && c.wait == 0 &&
				(o.Outcome != c.outcome || !strings.Contains(o.Detail, c.detail)) {
				t.Errorf("%v %q", o.Outcome, o.Detail)
			}
			if refused := c.status == 429 &&
				strings.Contains(c.proxyStatus, "NONCE"); (warned == 1) != refused {
				t.Errorf("%d warnings", warned)
			}
			if c.wait > 0 { // no request to the server before
				before := asked
				if _, until, err := client.Try(t.Context(), &rec); err != nil || until.IsZero() ||
					asked > before {
					t.Errorf("asked again at once: %v, %v, %d requests", until, err, asked)
				}
			}
		})
	}
}

// TestProxyAndGuard checks that the client also guards addresses behind a proxy, and that
// HTTP_PROXY changes nothing.
func TestProxyAndGuard(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	asked := 0
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		fmt.Fprint(w, "x")
	}))
	defer proxy.Close()
	u, err := ParseProxy(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	addr := "10.0.0.1"
	client, err := New(Options{UserAgent: testAgent, Clock: newClock(), Proxy: u,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr(addr)}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := client.Visit(t.Context(),
		sitegraph.Record{URL: "http://h.example/"}); err != nil ||
		o.Outcome != sitegraph.OutcomeExcluded || asked > 0 {
		t.Errorf("a private address: %v %q, %v, %d requests", o.Outcome, o.Detail, err, asked)
	}
	addr = "8.8.8.8"
	if o, err := client.Visit(t.Context(),
		sitegraph.Record{URL: "http://p.example/"}); err != nil || asked != 2 {
		t.Errorf("a public address: %v %q, %v, %d requests", o.Outcome, o.Detail, err, asked)
	}
	for _, text := range []string{"127.0.0.1:3128", "https://127.0.0.1:3128", "http://127.0.0.1",
		"http://u:p@h:1", "http://h:1/x", "socks5://h:1"} {
		if u, err := ParseProxy(text); err == nil {
			t.Errorf("%s is read as %v", text, u)
		}
	}
}

func FuzzStatusParameters(f *testing.F) {
	f.Add(`recrawl-guard; error=http_request_denied; limit=hour; nonce="00"; details="x; y=z"`)
	f.Add(`a;b="`)
	f.Fuzz(func(t *testing.T, line string) {
		name, of := statusParameters(line)
		if again, _ := statusParameters(name); again != name || len(of) > len(line) {
			t.Errorf("%q: name %q, then %q", line, name, again)
		}
	})
}

// TestThroughGuard visits pages through a real guard: plain and encrypted, with HTTP/1.1 and
// HTTP/2, small ones and the largest. No limit of the guard stops a polite visit, and records show
// what the server was sent.
func TestThroughGuard(t *testing.T) {
	page := "<p>" + strings.Repeat("word ", 380_000)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("X-Proto", r.Proto)
		fmt.Fprint(w, page)
	})
	plain := httptest.NewServer(handler)
	defer plain.Close()
	encrypted := httptest.NewUnstartedServer(handler)
	encrypted.EnableHTTP2 = true
	encrypted.StartTLS()
	defer encrypted.Close()
	names := serveNames(t).addr
	g, err := proxyguard.New(proxyguard.Options{AllowPrivate: true, Nameserver: names,
		Limits: proxyguard.Limits{
			Listen: "127.0.0.1:0", Interval: 100 * time.Millisecond, Parallel: 2,
			AnswerBytes: 20_000_000, Connect: "bound", TunnelTurns: 5, TunnelSent: 1 << 16,
			Longest: time.Minute, Addresses: 100, Connections: 100}})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := g.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- g.Serve(ctx, listener) }()
	roots := x509.NewCertPool()
	roots.AddCert(encrypted.Certificate())
	for _, capture := range []bool{false, true} {
		for _, web := range []*httptest.Server{plain, encrypted} {
			c, err := New(Options{UserAgent: testAgent, AllowPrivate: true,
				Interval: 100 * time.Millisecond, Nameserver: names, Capture: capture,
				Proxy: &url.URL{Scheme: "http", Host: listener.Addr().String()}, RootCAs: roots})
			if err != nil {
				t.Fatal(err)
			}
			at := strings.Replace(web.URL, "127.0.0.1", "example.com", 1) + "/x"
			ctx, wire := Listen(t.Context())
			o, err := c.Visit(ctx, sitegraph.Record{URL: at})
			if err != nil || o.Outcome != sitegraph.OutcomeFetched || o.Size != int64(len(page)) {
				t.Errorf("%s, capture %v: %v %q, %d octets, %v",
					at, capture, o.Outcome, o.Detail, o.Size, err)
			}
			for _, x := range wire.Exchanges {
				if bytes.Contains(x.Request, []byte(c.nonce)) ||
					bytes.Contains(x.Request, []byte("CONNECT")) ||
					!bytes.HasPrefix(x.Response, []byte("HTTP/1.1 ")) {
					t.Errorf("%s: taken down: %q %.100q", at, x.Request, x.Response)
				}
			}
			if capture != (len(wire.Exchanges) == 2) {
				t.Errorf("%s: %d exchanges are taken down", at, len(wire.Exchanges))
			}
			wire.Release()
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if s := g.Summary(); s.Requests != 8 || s.Tunnels != 4 || s.Refused != 0 || s.Failed != 0 {
		t.Errorf("%+v", s)
	}
}
