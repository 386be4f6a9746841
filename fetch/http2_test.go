package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/recrawl/recrawl/sitegraph"
)

// secure serves h.example with TLS on loopback. It returns a client that trusts the server, and a
// count of connections.
func secure(t *testing.T, server *httptest.Server, change func(*Options)) (
	c *Client, dials *atomic.Int32) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	dials = new(atomic.Int32)
	o := Options{UserAgent: testAgent, Clock: newClock(), AllowPrivate: true, RootCAs: roots,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			dials.Add(1)
			var d net.Dialer
			return d.DialContext(ctx, network, server.Listener.Addr().String())
		}}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, dials
}

const secureHome = "https://example.com/" // the name in the certificate of httptest

// TestHTTP2ByALPN checks that HTTP/2 is used only if TLS agrees on it. Each request has its own
// connection and its pause.
func TestHTTP2ByALPN(t *testing.T) {
	for _, tt := range []struct {
		name     string
		offers   []string
		kept     bool
		want     string
		wantFail bool
	}{
		{"offers both", []string{"h2", "http/1.1"}, false, "HTTP/2.0", false},
		{"offers HTTP/1.1 alone", []string{"http/1.1"}, false, "HTTP/1.1", false},
		{"offers HTTP/2 alone", []string{"h2"}, false, "HTTP/2.0", false},
		{"kept", []string{"h2", "http/1.1"}, true, "HTTP/1.1", false},
		{"kept, and the server offers HTTP/2 alone", []string{"h2"}, true, "", true},
	} {
		var protocols, clients []string
		var at []time.Time
		var clock Clock
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter,
			r *http.Request) {
			protocols, clients, at = append(protocols, r.Proto), append(clients, r.RemoteAddr),
				append(at, clock.Now())
			if r.URL.Path == "/robots.txt" {
				rw.WriteHeader(404)
				return
			}
			rw.Header().Set("Content-Type", "text/html")
			rw.Header().Set("Content-Encoding", "gzip")
			rw.Write(zipText(t, "<p>"+strings.Repeat("text ", 50_000)))
		}))
		server.EnableHTTP2 = tt.offers[0] == "h2"
		server.TLS = &tls.Config{NextProtos: tt.offers,
			VerifyConnection: func(s tls.ConnectionState) error {
				if len(tt.offers) == 1 && s.NegotiatedProtocol != tt.offers[0] {
					return errors.New("no protocol of ours")
				}
				return nil
			}}
		server.StartTLS()
		c, dials := secure(t, server, func(o *Options) { o.Capture, clock = tt.kept, o.Clock })
		for range 2 {
			o, err := c.Visit(t.Context(), sitegraph.Record{URL: secureHome})
			if failed := o.Outcome != sitegraph.OutcomeFetched; err != nil ||
				failed != tt.wantFail {
				t.Errorf("%s: %v %q, %v", tt.name, o.Outcome, o.Detail, err)
			}
			if !tt.wantFail && o.Size != 250_003 {
				t.Errorf("%s: %d octets", tt.name, o.Size)
			}
		}
		server.Close()
		if tt.wantFail {
			continue
		}
		if len(protocols) != 3 || dials.Load() != 3 || clients[0] == clients[1] ||
			clients[1] == clients[2] {
			t.Errorf("%s: %d requests from %v over %d connections",
				tt.name, len(protocols), clients, dials.Load())
		}
		for i, p := range protocols {
			if p != tt.want || i > 0 && at[i].Sub(at[i-1]) < defaultInterval {
				t.Errorf("%s: %s at %v, after %v", tt.name, p, at[i], at[max(i-1, 0)])
			}
		}
	}
}

// hostileH2 is a server of HTTP/2 that answers each page request in its own way.
func hostileH2(t *testing.T, requests *atomic.Int32,
	answer func(f *http2.Framer, stream uint32)) *httptest.Server {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{NextProtos: []string{"h2"}}
	server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) {
			preface := make([]byte, len(http2.ClientPreface))
			if _, err := io.ReadFull(conn, preface); err != nil {
				return
			}
			f := http2.NewFramer(conn, conn)
			f.AllowIllegalWrites = true
			f.WriteSettings()
			for {
				frame, err := f.ReadFrame()
				if err != nil {
					return
				}
				h, ok := frame.(*http2.HeadersFrame)
				if !ok {
					continue
				}
				path := ""
				decoder := hpack.NewDecoder(4096, func(x hpack.HeaderField) {
					if x.Name == ":path" {
						path = x.Value
					}
				})
				decoder.Write(h.HeaderBlockFragment())
				if path == "/robots.txt" {
					f.WriteHeaders(http2.HeadersFrameParam{StreamID: h.StreamID,
						BlockFragment: block(":status", "404"), EndHeaders: true, EndStream: true})
					continue
				}
				requests.Add(1)
				answer(f, h.StreamID)
			}
		},
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func block(pairs ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(pairs); i += 2 {
		e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return b.Bytes()
}

// TestHTTP2Attacks checks that a visit to a server with hostile frames fails in time, asks once,
// and takes little memory.
func TestHTTP2Attacks(t *testing.T) {
	page := func(f *http2.Framer, stream uint32, end bool) {
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream,
			BlockFragment: block(":status", "200", "content-type", "text/html"), EndHeaders: true,
			EndStream: end})
	}
	flood := func(write func() error) {
		for write() == nil {
		}
	}
	for name, answer := range map[string]func(f *http2.Framer, stream uint32){
		"refused stream": func(f *http2.Framer, s uint32) {
			f.WriteRSTStream(s, http2.ErrCodeRefusedStream)
		},
		"goaway": func(f *http2.Framer, s uint32) {
			f.WriteGoAway(0, http2.ErrCodeNo, nil)
		},
		"enhance calm": func(f *http2.Framer, s uint32) {
			f.WriteRSTStream(s, http2.ErrCodeEnhanceYourCalm)
		},
		"settings flood": func(f *http2.Framer, s uint32) {
			flood(func() error { return f.WriteSettings() })
		},
		"settings flood 2": func(f *http2.Framer, s uint32) {
			var all []http2.Setting
			for range 2000 {
				all = append(all, http2.Setting{ID: http2.SettingHeaderTableSize, Val: 1 << 31})
			}
			flood(func() error { return f.WriteSettings(all...) })
		},
		"ping flood": func(f *http2.Framer, s uint32) {
			flood(func() error { return f.WritePing(false, [8]byte{1}) })
		},
		"empty data flood": func(f *http2.Framer, s uint32) {
			page(f, s, false)
			flood(func() error { return f.WriteData(s, false, nil) })
		},
		"padding flood": func(f *http2.Framer, s uint32) {
			page(f, s, false)
			flood(func() error { return f.WriteDataPadded(s, false, nil, make([]byte, 255)) })
		},
		"window flood": func(f *http2.Framer, s uint32) {
			flood(func() error { return f.WriteWindowUpdate(0, 1) })
		},
		"interim flood": func(f *http2.Framer, s uint32) {
			flood(func() error {
				return f.WriteHeaders(http2.HeadersFrameParam{StreamID: s,
					BlockFragment: block(":status", "103", "link", "x"), EndHeaders: true})
			})
		},
		"continuation flood": func(f *http2.Framer, s uint32) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: s,
				BlockFragment: block(":status", "200")})
			flood(func() error {
				return f.WriteContinuation(s, false, block("x", strings.Repeat("y", 1000)))
			})
		},
		"header list too large": func(f *http2.Framer, s uint32) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: s,
				BlockFragment: block(":status", "200")})
			for i := range 20 {
				f.WriteContinuation(s, i == 19, block("x", strings.Repeat("y", 10_000)))
			}
		},
		// one entry of the table, named again and again
		"header bomb": func(f *http2.Framer, s uint32) {
			b := block(":status", "200")
			var rest bytes.Buffer
			e := hpack.NewEncoder(&rest)
			for range 10_000 {
				e.WriteField(hpack.HeaderField{Name: "x", Value: strings.Repeat("y", 3000)})
			}
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: s,
				BlockFragment: append(b, rest.Bytes()...), EndHeaders: true})
		},
		"push": func(f *http2.Framer, s uint32) {
			f.WritePushPromise(http2.PushPromiseParam{StreamID: s, PromiseID: 2,
				BlockFragment: block(":method", "GET", ":path", "/x"), EndHeaders: true})
		},
		"more than the window": func(f *http2.Framer, s uint32) {
			page(f, s, false)
			flood(func() error { return f.WriteData(s, false, make([]byte, 16<<10)) })
		},
		"silence": func(*http2.Framer, uint32) {},
		"ends in the middle": func(f *http2.Framer, s uint32) {
			page(f, s, false)
			f.WriteData(s, false, []byte("<p>half"))
			f.WriteRSTStream(s, http2.ErrCodeInternal)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			c, dials := secure(t, hostileH2(t, &requests, answer), func(o *Options) {
				o.Timeout, o.HeaderTimeout = 2*time.Second, time.Second
			})
			o, err := c.Visit(t.Context(), sitegraph.Record{URL: secureHome})
			if err != nil || o.Outcome != sitegraph.OutcomeFailed || o.Detail == "" {
				t.Errorf("%v %q, %v", o.Outcome, o.Detail, err)
			}
			if requests.Load() != 1 || dials.Load() != 2 {
				t.Errorf("asked %d times over %d connections, robots.txt included",
					requests.Load(), dials.Load())
			}
			t.Log(o.Detail)
		})
	}
}

// TestHTTP2LeavesNothing checks that no goroutine of the transport runs for long after its request.
func TestHTTP2LeavesNothing(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter,
		_ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, "<p>x")
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	c, _ := secure(t, server, nil)
	before := 0
	for i := range 60 {
		if _, err := c.Visit(t.Context(), sitegraph.Record{URL: secureHome}); err != nil {
			t.Fatal(err)
		}
		if i == 5 {
			before = runtime.NumGoroutine()
		}
	}
	for range 50 {
		if runtime.NumGoroutine() <= before+20 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%d goroutines after 5 visits, %d after 60", before, runtime.NumGoroutine())
}
