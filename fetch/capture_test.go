package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// raw answers each connection with the octets for its path, and closes it.
func raw(t *testing.T, answers map[string]string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buffer := make([]byte, 4096)
				n, _ := conn.Read(buffer)
				path := strings.Fields(string(buffer[:n]) + " x x")[1]
				conn.Write([]byte(answers[path]))
				if strings.HasPrefix(path, "/slow") {
					time.Sleep(2 * time.Second)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func capturing(t *testing.T, change func(*Options)) *Client {
	t.Helper()
	o := Options{UserAgent: testAgent, Interval: NoInterval, AllowPrivate: true, Capture: true}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCapture checks that octets are recorded as they crossed the network, and that the visit has
// the same outcome as one without.
func TestCapture(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, strings.Repeat("<p>text</p>", 100))
	z.Close()
	html := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	answers := map[string]string{
		"/robots.txt": "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone",
		"/length":     html + "content-LENGTH:   5\r\nX-Odd:\ta , b\r\n\r\nhello",
		"/chunked": html +
			"Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nT: r\r\n\r\n",
		"/gzip": html + "Content-Encoding: gzip\r\n\r\n" + zipped.String(),
		"/br":   html + "Content-Encoding: br\r\nContent-Length: 9\r\n\r\nno brotli",
		"/gone": "HTTP/1.1 404 Not Found\r\nContent-Length: 9000\r\n\r\n" + strings.Repeat("g",
			9000),
		"/moved": "HTTP/1.1 301 Moved\r\nLocation: /length\r\nContent-Length: 5\r\n\r\nmoved",
		"/interim": "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + html +
			"Content-Length: 2\r\n\r\nhi",
		"/long":  html + "Content-Length: 60000\r\n\r\n" + strings.Repeat("l", 60000),
		"/short": html + "Content-Length: 10\r\n\r\nhello",
		"/slow":  html + "Content-Length: 10\r\n\r\nhello",
		"/none":  "",
		"/half":  "HTTP/1.1 200 OK\r\nContent-Ty",
	}
	home := raw(t, answers)
	change := func(o *Options) { o.MaxBody, o.Timeout = 50_000, 500*time.Millisecond }
	client, plain := capturing(t, change), capturing(t, func(o *Options) {
		change(o)
		o.Capture = false
	})
	for path, want := range answers {
		if path == "/robots.txt" {
			continue
		}
		ctx, wire := Listen(t.Context())
		o, err := client.Visit(ctx, sitegraph.Record{URL: home + path})
		if err != nil {
			t.Fatal(err)
		}
		without, err := plain.Visit(t.Context(), sitegraph.Record{URL: home + path})
		if err != nil || o.Outcome != without.Outcome || o.Digests != without.Digests ||
			o.Truncated != without.Truncated || o.Detail != without.Detail {
			t.Errorf("%s: %+v; without capture %+v, %v", path, o, without, err)
		}
		var got *Exchange
		for i := range wire.Exchanges {
			if wire.Exchanges[i].URL == home+path {
				got = &wire.Exchanges[i]
			}
		}
		if path == "/none" || path == "/half" {
			if got != nil {
				t.Errorf("%s: %q is taken for an answer", path, got.Response)
			}
			continue
		}
		if got == nil {
			t.Fatalf("%s: nothing was taken down", path)
		}
		cut := map[string]Cut{"/long": CutLength, "/short": CutDisconnect, "/slow": CutTime}[path]
		switch {
		case got.Cut != cut:
			t.Errorf("%s: cut by %q, want %q", path, got.Cut, cut)
		case cut == CutLength && (!strings.HasPrefix(want, string(got.Response)) ||
			len(got.Response) < 50_000):
			t.Errorf("%s: %d octets were taken down", path, len(got.Response))
		case cut != CutLength && string(got.Response) != want:
			t.Errorf("%s: %q, want %q", path, got.Response, want)
		}
		request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n",
			path, strings.TrimPrefix(home, "http://"), testAgent)
		if !strings.HasPrefix(string(got.Request), request) ||
			!strings.HasSuffix(string(got.Request), "\r\n\r\n") {
			t.Errorf("%s: request %q", path, got.Request)
		}
		if got.Address != netip.MustParseAddr("127.0.0.1") || got.Began.IsZero() ||
			got.Ended.Before(got.Began) || got.Status == 0 {
			t.Errorf("%s: %+v", path, got)
		}
		wire.Release()
	}
	for _, c := range []*Client{client, plain} {
		if n := len(c.largePages) + len(c.largeSources); n > 0 {
			t.Errorf("%d places of large bodies are still taken", n)
		}
	}
}

// TestCaptureTLS checks that the octets within TLS are recorded, and that certificates are judged
// as usual.
func TestCaptureTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "over TLS ", r.TLS.ServerName)
	}))
	server.StartTLS()
	defer server.Close()
	port := server.Listener.Addr().(*net.TCPAddr).Port
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	here := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	for host, want := range map[string]sitegraph.Outcome{"example.com": sitegraph.OutcomeFetched,
		"other.example": sitegraph.OutcomeFailed} {
		c := capturing(t, func(o *Options) { o.RootCAs, o.Resolve = trusted, here })
		ctx, wire := Listen(t.Context())
		o, err := c.Visit(ctx, sitegraph.Record{URL: fmt.Sprintf("https://%s:%d/", host, port)})
		if err != nil || o.Outcome != want {
			t.Errorf("%s: %v %q, %v", host, o.Outcome, o.Detail, err)
		}
		if want == sitegraph.OutcomeFetched {
			if n := len(wire.Exchanges); n == 0 ||
				!strings.HasSuffix(string(wire.Exchanges[n-1].Response), "over TLS example.com") {
				t.Errorf("%s: %+v", host, wire.Exchanges)
			}
		} else if !strings.Contains(o.Detail, "certificate") || len(wire.Exchanges) > 0 {
			t.Errorf("%s: %q, %d exchanges", host, o.Detail, len(wire.Exchanges))
		}
		wire.Release()
	}
}
