package guard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// serveGuard runs a guard until the test ends.
func serveGuard(t testing.TB, o Options) (g *Guard, at *url.URL) {
	t.Helper()
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := g.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- g.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return g, &url.URL{Scheme: "http", Host: l.Addr().String()}
}

func portOf(t testing.TB, address string) uint16 {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return netip.MustParseAddrPort(u.Host).Port()
}

// through sends lines to a guard, and returns the answer with its body.
func through(t *testing.T, at *url.URL, lines string) (*http.Response, string) {
	t.Helper()
	conn, err := net.Dial("tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(conn, strings.ReplaceAll(lines, "\n", "\r\n"))
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	return r, string(body)
}

// TestFields checks that fields of a single connection are not passed on, and that a server cannot
// forge fields of the guard (RFC 9110 7.6, 11.7; RFC 9112 3.2.2).
func TestFields(t *testing.T) {
	var got *http.Request
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		status := 200
		if r.URL.Path == "/407" {
			status = 407
		}
		fmt.Fprintf(conn, "HTTP/1.1 %d X\r\nProxy-Status: recrawl-guard; "+
			"error=http_request_denied; scope=all\r\nProxy-Authenticate: Basic\r\n"+
			"Connection: X-Hop\r\nX-Hop: 1\r\nETag: \"a\"\r\nContent-Length: 4\r\n\r\nbody", status)
	}))
	defer web.Close()
	l := *testLimits()
	l.Interval = 0
	_, at := serveGuard(t,
		Options{Limits: l, AllowNetworks: loopback, AllowPorts: []uint16{portOf(t, web.URL)}})
	r, body := through(t, at, "GET "+web.URL+"/a%7Cb?c=%20d HTTP/1.1\nHost: "+
		"elsewhere.example\nConnection: X-Mine, close\nX-Mine: 1\n"+
		"Proxy-Authorization: Recrawl-Guard 00\nProxy-Connection: close\nTE: trailers\nUpgrade: "+
		"websocket\nIf-None-Match: \"a\"\nAccept: x\n\n")
	if r.StatusCode != 200 || body != "body" || r.Header.Get("Etag") != `"a"` ||
		r.Header.Get("Via") != "1.1 recrawl-guard" {
		t.Errorf("%s %q %v", r.Status, body, r.Header)
	}
	for _, name := range []string{"Proxy-Status", "Proxy-Authenticate", "X-Hop", "Date"} {
		if r.Header.Get(name) != "" {
			t.Errorf("the client gets %s: %s", name, r.Header.Get(name))
		}
	}
	if got.Host != strings.TrimPrefix(web.URL, "http://") || got.RequestURI != "/a%7Cb?c=%20d" ||
		got.Header.Get("If-None-Match") != `"a"` ||
		got.Header.Get("Accept") != "x" || got.Header.Get("Via") != "1.1 recrawl-guard" {
		t.Errorf("the server gets %s %s %v", got.Host, got.RequestURI, got.Header)
	}
	for _, name := range []string{"X-Mine", "Proxy-Authorization", "Proxy-Connection", "Te",
		"Upgrade", "User-Agent", "Accept-Encoding", "X-Forwarded-For"} {
		if got.Header.Get(name) != "" {
			t.Errorf("the server gets %s: %s", name, got.Header.Get(name))
		}
	}
	if r, _ := through(t, at, "GET "+web.URL+"/407 HTTP/1.1\nHost: x\n\n"); r.StatusCode != 502 {
		t.Errorf("a server asks for a proxy's password: %s", r.Status)
	}
}

// TestRefuses checks that a forbidden request is refused before any server is asked.
func TestRefuses(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("asked")
	}))
	defer web.Close()
	l := *testLimits()
	g, at := serveGuard(t,
		Options{Limits: l, AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")},
			AllowPorts: []uint16{8080}})
	_, port, _ := net.SplitHostPort(at.Host)
	for lines, status := range map[string]int{
		"GET / HTTP/1.1\nHost: x\n\n":                                                        400,
		"GET https://127.0.0.2/ HTTP/1.1\nHost: x\n\n":                                       400,
		"GET ftp://127.0.0.2/ HTTP/1.1\nHost: x\n\n":                                         400,
		"GET http:/x HTTP/1.1\nHost: x\n\n":                                                  400,
		"GET http://127.0.0.2:99999/ HTTP/1.1\nHost: x\n\n":                                  400,
		"GET http://127.0.0.2:25/ HTTP/1.1\nHost: x\n\n":                                     403,
		"GET http://" + strings.Repeat("a", 300) + "/ HTTP/1.1\nHost: x\n\n":                 400,
		"GET http://a%00b/ HTTP/1.1\nHost: x\n\n":                                            400,
		"GET http://127.0.0.1/ HTTP/1.1\nHost: x\n\n":                                        403,
		"GET http://[::1]/ HTTP/1.1\nHost: x\n\n":                                            403,
		"GET http://[::ffff:10.0.0.1]/ HTTP/1.1\nHost: x\n\n":                                403,
		"GET http://[fe80::1%25lo]/ HTTP/1.1\nHost: x\n\n":                                   400,
		"GET http://169.254.169.254/latest HTTP/1.1\nHost: x\n\n":                            403,
		"GET http://224.0.0.1/ HTTP/1.1\nHost: x\n\n":                                        403,
		"GET http://me@127.0.0.2/ HTTP/1.1\nHost: x\n\n":                                     508,
		"GET http://127.0.0.2/ HTTP/1.1\nHost: x\nVia: 1.1 recrawl-guard\n\n":                508,
		"PUT http://127.0.0.2/ HTTP/1.1\nHost: x\n\n":                                        405,
		"TRACE http://127.0.0.2/ HTTP/1.1\nHost: x\n\n":                                      405,
		"CONNECT 127.0.0.2:80 HTTP/1.1\nHost: x\n\n":                                         403,
		"CONNECT 127.0.0.2:22 HTTP/1.1\nHost: x\n\n":                                         403,
		"CONNECT 127.0.0.1:443 HTTP/1.1\nHost: x\n\n":                                        403,
		"CONNECT 127.0.0.1:" + port + " HTTP/1.1\nHost: x\n\n":                               403,
		"GET http://127.0.0.2/ HTTP/1.1\nHost: x\nX: " + strings.Repeat("x", 1<<17) + "\n\n": 431,
	} {
		if r, body := through(t, at, lines); r.StatusCode != status || status != 431 &&
			r.Header.Get("Proxy-Status") == "" && !strings.HasPrefix(body, "400 Bad Request") {
			t.Errorf("%.80q: %s %q, want %d", lines, r.Status, body, status)
		}
	}
	if s := g.Summary(); s.Requests != 0 || s.Refused != 0 || s.Forbidden == 0 || s.Addresses != 0 {
		t.Errorf("%+v", s)
	}
}

// TestLoop checks that a guard which may ask its own address does not loop.
func TestLoop(t *testing.T) {
	l := *testLimits()
	o := Options{Limits: l, AllowPrivate: true}
	_, at := serveGuard(t, o)
	if r, body := through(t, at,
		"GET "+at.String()+"/ HTTP/1.1\nHost: x\n\n"); r.StatusCode != 508 {
		t.Errorf("%s %q", r.Status, body)
	}
}

// TestOpen checks that by default only this machine may use a guard.
func TestOpen(t *testing.T) {
	for listen, ok := range map[string]bool{"127.0.0.1:0": true, "[::1]:0": true,
		"localhost:0": true, "0.0.0.0:0": false, ":0": false, "[::]:0": false, "10.0.0.1:0": false,
		"example.org:0": false, "127.0.0.1": false} {
		l := *testLimits()
		l.Listen = listen
		if _, err := New(Options{Limits: l}); (err == nil) != ok {
			t.Errorf("listen on %s: %v", listen, err)
		}
		l.Clients = []string{"10.20.0.0/16"}
		if _, err := New(Options{Limits: l}); errors.Is(err, ErrOpen) {
			t.Errorf("listen on %s with clients: %v", listen, err)
		}
	}
	l := *testLimits()
	l.Clients = []string{"10.20.0.0/16"}
	g, err := New(Options{Limits: l})
	if err != nil {
		t.Fatal(err)
	}
	for addr, ok := range map[string]bool{"127.0.0.1": true, "::1": true, "::ffff:127.0.0.1": true,
		"10.20.3.4": true, "10.21.0.1": false, "8.8.8.8": false} {
		if g.mayUse(net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(addr),
			1))) != ok {
			t.Errorf("%s may use the guard: %v", addr, !ok)
		}
	}
}

// TestTimeLimit checks that slow clients and servers are given up, and that an idle tunnel ends
// with the guard.
func TestTimeLimit(t *testing.T) {
	release := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.Write([]byte("x"))
		http.NewResponseController(w).Flush()
		<-release
	}))
	defer web.Close()
	defer close(release)
	l := *testLimits()
	l.Interval, l.Longest = 0, 300*time.Millisecond
	g, at := serveGuard(t,
		Options{Limits: l, AllowNetworks: loopback, AllowPorts: []uint16{portOf(t, web.URL)}})
	through(t, at, "GET "+web.URL+"/ HTTP/1.1\nHost: x\n\n")
	through(t, at, "CONNECT "+strings.TrimPrefix(web.URL, "http://")+" HTTP/1.1\nHost: x\n\n")
	if s := g.Summary(); s.Requests != 2 || s.Failed != 1 {
		t.Errorf("%+v", s)
	}
}

// TestNames checks that an unknown name blames no server, and that a slow name server delays only
// requests for a new name.
func TestNames(t *testing.T) {
	n := newNames("")
	hold := make(chan struct{})
	n.resolver.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-hold
		return nil, errors.New("no")
	}
	n.kept["known.example"] = &name{addrs: []netip.Addr{netip.MustParseAddr("8.8.8.8")},
		until: time.Now().Add(-time.Second)}
	began := time.Now()
	if addrs, err := n.lookup(t.Context(), "known.example"); err != nil || len(addrs) != 1 ||
		time.Since(began) > time.Second {
		t.Errorf("%v %v after %v", addrs, err, time.Since(began))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := n.lookup(ctx, "new.example"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a new name: %v", err)
	}
	close(hold)
	if _, err := n.lookup(t.Context(), "new.example"); err == nil {
		t.Error("a name that nobody knows is found")
	}
}

// FuzzStatus checks that messages about any name fit into one header field.
func FuzzStatus(f *testing.F) {
	f.Add("a\"b\\c\r\nX: y")
	f.Fuzz(func(t *testing.T, text string) {
		w := httptest.NewRecorder()
		deny(w, 502, "dns_error", "", "00", text)
		if strings.ContainsAny(w.Header().Get("Proxy-Status"), "\r\n\x00\\") ||
			strings.Count(w.Header().Get("Proxy-Status"), `"`) != 4 {
			t.Errorf("%q", w.Header())
		}
	})
}

// BenchmarkGuard fetches a page of 22 KB over loopback, directly and through the guard, on new
// connections like a polite crawler.
func BenchmarkGuard(b *testing.B) {
	page := strings.Repeat("x", 22<<10)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, page)
	}))
	defer web.Close()
	l := *testLimits()
	l.Interval, l.AddressHour, l.AllHour, l.AddressBytes, l.AllBytes = 0, 0, 0, 0, 0
	_, at := serveGuard(b,
		Options{Limits: l, AllowNetworks: loopback, AllowPorts: []uint16{portOf(b, web.URL)}})
	for name, proxy := range map[string]*url.URL{"direct": nil, "guard": at} {
		b.Run(name, func(b *testing.B) {
			client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy),
				DisableKeepAlives: true}}
			for b.Loop() {
				r, err := client.Get(web.URL)
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, r.Body); err != nil || n != int64(len(page)) ||
					r.StatusCode != 200 {
					b.Fatal(fmt.Sprint(r.Status, n, err))
				}
				r.Body.Close()
			}
		})
	}
}
