package fetch

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

func settingsOf(t *testing.T, rules ...HostRule) *HostTable {
	t.Helper()
	table, problems := NewHostTable(rules)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if err := table.ReadCredentials(); err != nil {
		t.Fatal(err)
	}
	return table
}

func private(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestDelayOfAServer checks that a delay of settings replaces the usual one, shorter or longer, and
// that a longer delay of robots.txt counts. A server keeps its delay if another at its address may
// be asked sooner.
func TestDelayOfAServer(t *testing.T) {
	w := newWeb(t, "slow.example", "127.0.0.1", "quick.example", "127.0.0.1", "asks.example",
		"127.0.0.2", "usual.example", "127.0.0.1")
	w.page("/", "<p>x")
	w.handle("/robots.txt", func(rw http.ResponseWriter, r *http.Request) {
		if r.Host != "asks.example" {
			rw.WriteHeader(404)
			return
		}
		io.WriteString(rw, "User-agent: *\nCrawl-delay: 7\n")
	})
	second := func(n int) *time.Duration { d := time.Duration(n) * time.Second; return &d }
	c := w.client(func(o *Options) {
		o.Hosts = settingsOf(t, HostRule{Match: "slow.example", Delay: second(30)},
			HostRule{Match: "quick.example", Delay: second(1)},
			HostRule{Match: "asks.example", Delay: second(1)})
	})
	for _, tt := range []struct {
		host string
		want time.Duration
	}{{"slow.example", 30 * time.Second}, {"quick.example", time.Second},
		{"asks.example", 7 * time.Second}, {"usual.example", 10 * time.Second}} {
		w.clock.advance(time.Minute)
		w.paths()
		var at []time.Time
		for range 3 {
			o := w.get(c, "http://"+tt.host+"/")
			at = append(at, o.Time)
			if o.NotBefore.Sub(o.Time) != tt.want {
				t.Errorf("%s: not before %v later", tt.host, o.NotBefore.Sub(o.Time))
			}
		}
		if first := w.requests[1].at.Sub(w.requests[0].at); first != tt.want {
			t.Errorf("%s: %v from robots.txt to the page", tt.host, first)
		}
		if at[1].Sub(at[0]) != tt.want || at[2].Sub(at[1]) != tt.want {
			t.Errorf("%s: visits at %v", tt.host, at)
		}
	}
	if c.PauseOf("slow.example") != 30*time.Second || c.PauseOf("usual.example") != 10*time.Second {
		t.Error("PauseOf does not tell the delays")
	}
}

// TestHeadersStayWithTheirServer checks that header fields of settings go to their servers alone.
// Redirects of robots.txt, plain HTTP without consent and recordings never get them.
func TestHeadersStayWithTheirServer(t *testing.T) {
	w := newWeb(t, "a.example", "127.0.0.1", "b.example", "127.0.0.2", "said.example", "127.0.0.3")
	w.handle("a.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		http.Redirect(rw, &http.Request{}, "http://b.example/robots.txt", http.StatusFound)
	})
	w.page("/", "<p>x")
	w.handle("/robots.txt", http.NotFound)
	file := private(t, "user: me\npassword: geheim\ncookie: id=geheim")
	rule := func(match string, plain bool) HostRule {
		return HostRule{Match: match, Headers: map[string]string{"x-key": "geheim"},
			Credentials: file, PlainHTTP: plain}
	}
	c := w.client(func(o *Options) {
		o.Capture, o.RobotsAnyHost = true, true
		o.Hosts = settingsOf(t, rule("a.example", true), rule("said.example", false))
	})
	for _, host := range []string{"a.example", "b.example", "said.example"} {
		ctx, wire := Listen(t.Context())
		o, err := c.Visit(ctx, sitegraph.Record{URL: "http://" + host + "/"})
		if err != nil || o.Outcome != sitegraph.OutcomeFetched {
			t.Errorf("%s: %v %q, %v", host, o.Outcome, o.Detail, err)
		}
		for _, x := range wire.Exchanges {
			if bytes.Contains(x.Request, []byte("geheim")) ||
				bytes.Contains(x.Request, []byte("bWU6")) ||
				bytes.Contains(x.Response, []byte("geheim")) {
				t.Errorf("taken down: %s", x.Request)
			}
			if strings.HasPrefix(x.URL, "http://a.example/") != bytes.Contains(x.Request,
				[]byte("Authorization: "+withheld+"\r\n")) {
				t.Errorf("%s: %s", x.URL, x.Request)
			}
		}
		wire.Release()
	}
	for _, r := range w.requests {
		got := []string{r.header.Get("X-Key"), r.header.Get("Authorization"),
			r.header.Get("Cookie")}
		want := []string{"", "", ""}
		if r.host == "a.example" {
			want = []string{"geheim", "Basic bWU6Z2VoZWlt", "id=geheim"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s%s got %q, want %q", r.host, r.path, got, want)
		}
	}
}

// relay is a proxy that counts what it is asked for.
type relay struct {
	mu    sync.Mutex
	asked []string
}

func (r *relay) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, what)
}

func join(a, b net.Conn) {
	go func() { io.Copy(a, b); a.Close() }()
	io.Copy(b, a)
	b.Close()
}

// overHTTP serves one connection: CONNECT, or a request with a whole URL. Every request leads to
// server.
func (r *relay) overHTTP(conn net.Conn, server string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	request, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	r.note(request.Method + " " + request.RequestURI + " " +
		request.Header.Get("Proxy-Authorization") + request.Header.Get("User-Agent"))
	if strings.Contains(request.RequestURI, "refused") {
		io.WriteString(conn, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		return
	}
	out, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	if request.Method == http.MethodConnect {
		io.WriteString(conn, "HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n")
		join(conn, out)
		return
	}
	request.Header.Del("Proxy-Authorization")
	request.Write(out)
	io.Copy(conn, out)
}

// overSOCKS serves one connection by RFC 1928, with user name and password.
func (r *relay) overSOCKS(conn net.Conn, server string) {
	defer conn.Close()
	read := func(n int) []byte { b := make([]byte, n); io.ReadFull(conn, b); return b }
	read(int(read(2)[1]))
	conn.Write([]byte{5, 2})
	user := read(int(read(2)[1]))
	password := read(int(read(1)[0]))
	conn.Write([]byte{1, 0})
	to := read(int(read(5)[4]))
	read(2)
	r.note("SOCKS " + string(to) + " " + string(user) + ":" + string(password))
	out, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	conn.Write([]byte{5, 0, 0, 1, 127, 0, 0, 1, 0, 80})
	join(conn, out)
}

// TestProxies checks that servers are asked through the proxy of their settings only, never through
// one of the environment. The proxy looks up names. Each server keeps its own pause.
func TestProxies(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy",
		"https_proxy"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	handler := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			rw.WriteHeader(404)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, "<p>"+r.Proto+" "+r.Header.Get("Proxy-Authorization"))
	})
	plain := httptest.NewServer(handler)
	defer plain.Close()
	encrypted := httptest.NewUnstartedServer(handler)
	encrypted.EnableHTTP2 = true
	encrypted.StartTLS()
	defer encrypted.Close()
	for _, tt := range []struct {
		scheme, url, page string
		capture           bool
		asked             string
		outcome           sitegraph.Outcome
	}{
		{"http", "http://example.com/", "<p>HTTP/1.1 ", false,
			"GET http://example.com/ Basic cDpx" + testAgent, sitegraph.OutcomeFetched},
		{"http", "https://example.com/", "<p>HTTP/2.0 ", false,
			"CONNECT example.com:443 Basic cDpx", sitegraph.OutcomeFetched},
		{"http", "https://example.com/", "<p>HTTP/1.1 ", true, "CONNECT example.com:443 Basic cDpx",
			sitegraph.OutcomeFetched},
		{"socks5", "http://example.com/", "<p>HTTP/1.1 ", false, "SOCKS example.com p:q",
			sitegraph.OutcomeFetched},
		{"socks5", "https://example.com/", "<p>HTTP/2.0 ", false, "SOCKS example.com p:q",
			sitegraph.OutcomeFetched},
		{"http", "https://refused.example/", "", false, "CONNECT refused.example:443 Basic cDpx",
			sitegraph.OutcomeFailed},
	} {
		name := tt.scheme + " for " + tt.url
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		r := &relay{}
		server := plain.Listener.Addr().String()
		if strings.HasPrefix(tt.url, "https") {
			server = encrypted.Listener.Addr().String()
		}
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				if tt.scheme == "http" {
					go r.overHTTP(conn, server)
				} else {
					go r.overSOCKS(conn, server)
				}
			}
		}()
		file := private(t, "proxy-user: p\nproxy-password: q")
		clock := newClock()
		c, _ := secure(t, encrypted, func(o *Options) {
			// the proxy is on loopback, and still allowed
			o.Clock, o.Capture, o.Dial, o.AllowPrivate = clock, tt.capture, nil, false
			o.Resolve = func(context.Context, string) ([]netip.Addr, error) {
				t.Error("a name was looked up here")
				return nil, nil
			}
			o.Hosts = settingsOf(t,
				HostRule{Match: "*", Proxy: tt.scheme + "://" + listener.Addr().String(),
					Credentials: file, PlainHTTP: true})
		})
		ctx, wire := Listen(t.Context())
		o, err := c.Visit(ctx, sitegraph.Record{URL: tt.url})
		if err != nil || o.Outcome != tt.outcome {
			t.Errorf("%s: %v %q, %v", name, o.Outcome, o.Detail, err)
		}
		if last := r.asked[len(r.asked)-1]; last != tt.asked {
			t.Errorf("%s: the proxy was asked for %q, want %q", name, last, tt.asked)
		}
		for _, x := range wire.Exchanges {
			if bytes.Contains(x.Request, []byte("cDpx")) ||
				bytes.Contains(x.Request, []byte("CONNECT")) ||
				bytes.Contains(x.Response, []byte("established")) {
				t.Errorf("%s: taken down: %s %s", name, x.Request, x.Response)
			}
		}
		if tt.capture && len(wire.Exchanges) != 2 {
			t.Errorf("%s: %d exchanges taken down", name, len(wire.Exchanges))
		}
		wire.Release()
		if tt.outcome == sitegraph.OutcomeFetched &&
			o.Digests.Bytes != sitegraph.DigestOf([]byte(tt.page)) {
			t.Errorf("%s: another page, of %d octets", name, o.Size)
		}
		if c.Locate(t.Context(), tt.url) != "" {
			t.Errorf("%s: it has an address", name)
		}
		if o, err := c.Visit(t.Context(), sitegraph.Record{URL: "http://10.0.0.1/"}); err != nil ||
			o.Outcome != sitegraph.OutcomeExcluded {
			t.Errorf("a private address in a link: %v %q, %v", o.Outcome, o.Detail, err)
		}
		began := clock.Now() // another server of the same proxy need not wait
		other, until, err := c.Try(t.Context(),
			&sitegraph.Record{URL: strings.Replace(tt.url, "example.com", "other.example", 1)})
		if err != nil || tt.outcome == sitegraph.OutcomeFetched &&
			until.Sub(began) > 10*time.Second {
			t.Errorf("%s: another server: %v, until %v, %v", name, other.Outcome, until.Sub(began),
				err)
		}
	}
}
