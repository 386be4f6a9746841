package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"time"
)

// serverSpec configures the server process.
type serverSpec struct {
	Servers int           `json:"servers"`
	Pages   int           `json:"pages"` // of each
	Hold    time.Duration `json:"hold"`  // how long each page stops in the middle of its body
}

// Served counts the requests to the server process.
type Served struct {
	Pages       int64   `json:"pages"`      // sent in full
	Distinct    int64   `json:"distinct"`   // different URLs of these and the unmodified
	Unmodified  int64   `json:"unmodified"` // answered 304
	Robots      int64   `json:"robots"`     // requests for robots.txt
	Other       int64   `json:"other"`      // answered 404: sitemaps and others
	Connections int64   `json:"connections"`
	MostAtOnce  int64   `json:"most_at_once"` // pages in flight
	CPU         float64 `json:"cpu_seconds"`
}

// ports are those of the server process: one sends pages with gzip to clients that accept it, the
// other never does.
type ports struct {
	Plain  uint16 `json:"plain"`
	Packed uint16 `json:"packed"`
}

// server is the server process.
type server struct {
	spec    serverSpec
	numbers map[string]int
	all     [2][]document // for the plain port, and for the other
	seen    []atomic.Bool // by server and page

	pages, unmodified, robots, other, connections atomic.Int64
	underWay, most                                atomic.Int64
}

// loopbackOnly closes connections from other machines unread: the server must listen at all
// addresses, because 127.0.0.0/8 has no single one.
type loopbackOnly struct {
	net.Listener
	count *atomic.Int64
}

func (l loopbackOnly) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if from, ok := c.RemoteAddr().(*net.TCPAddr); ok && from.IP.IsLoopback() {
			l.count.Add(1)
			return c, nil
		}
		c.Close()
	}
}

// serve listens, writes the ports, and then answers each line of in with the counts since the last
// one, until in ends.
func serve(spec serverSpec, in *bufio.Reader, out io.Writer) error {
	signal.Ignore(os.Interrupt) // a terminal signals all processes; this one ends with in
	s := &server{spec: spec, seen: make([]atomic.Bool, spec.Servers*spec.Pages)}
	var at [2]uint16
	for packed := range at {
		l, err := net.Listen("tcp4", "0.0.0.0:0")
		if err != nil {
			return fmt.Errorf("serve pages: %w", err)
		}
		defer l.Close()
		at[packed] = l.Addr().(*net.TCPAddr).AddrPort().Port()
		if s.numbers, s.all[packed], err = documents(spec.Servers, spec.Pages,
			at[packed]); err != nil {
			return err
		}
		h := &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.answer(w, r, packed == 1)
			}),
			ConnContext: withServer,
		}
		go h.Serve(loopbackOnly{l, &s.connections})
		defer h.Close()
	}
	e := json.NewEncoder(out)
	if err := e.Encode(ports{at[0], at[1]}); err != nil {
		return err
	}
	for {
		if _, err := in.ReadString('\n'); err != nil {
			return nil // the caller has gone
		}
		s.awaitAnswers()
		if err := e.Encode(s.resetCounts()); err != nil {
			return err
		}
	}
}

// awaitAnswers waits for answers that a client already has and that are not counted yet.
func (s *server) awaitAnswers() {
	for range 200 {
		if s.underWay.Load() == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// resetCounts returns the counts, and starts anew.
func (s *server) resetCounts() Served {
	v := Served{Pages: s.pages.Swap(0), Unmodified: s.unmodified.Swap(0), Robots: s.robots.Swap(0),
		Other:       s.other.Swap(0),
		Connections: s.connections.Swap(0), MostAtOnce: s.most.Swap(0), CPU: processSeconds()}
	for i := range s.seen {
		if s.seen[i].Swap(false) {
			v.Distinct++
		}
	}
	return v
}

// serverKey is the context key of the number of a connection's server.
type serverKey struct{}

func withServer(ctx context.Context, c net.Conn) context.Context {
	n := -1
	if a, ok := c.LocalAddr().(*net.TCPAddr); ok {
		if ip, ok := netip.AddrFromSlice(a.IP); ok {
			n = serverAt(ip)
		}
	}
	return context.WithValue(ctx, serverKey{}, n)
}

func (s *server) answer(w http.ResponseWriter, r *http.Request, packs bool) {
	if r.URL.Path == "/robots.txt" {
		s.robots.Add(1)
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "User-agent: *\nDisallow: /private/\nDisallow: /*?print=\nAllow: "+
			"/private/open/\n")
		return
	}
	of := r.Context().Value(serverKey{}).(int)
	page, ok := s.numbers[r.URL.Path]
	if !ok || of < 0 || of >= s.spec.Servers || r.URL.RawQuery != "" {
		s.other.Add(1)
		http.NotFound(w, r)
		return
	}
	now := s.underWay.Add(1)
	defer s.underWay.Add(-1)
	for most := s.most.Load(); now > most &&
		!s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	d := &s.all[0][page]
	if packs {
		d = &s.all[1][page]
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("ETag", d.etag)
	h.Set("Last-Modified", "Sat, 31 Jan 2026 12:00:00 GMT")
	s.seen[of*s.spec.Pages+page].Store(true)
	if r.Header.Get("If-None-Match") == d.etag {
		s.unmodified.Add(1)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := d.plain
	if packs && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = d.packed
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	if s.spec.Hold > 0 {
		half := len(body) / 2
		w.Write(body[:half])
		w.(http.Flusher).Flush()
		select {
		case <-time.After(s.spec.Hold):
		case <-r.Context().Done():
			return
		}
		body = body[half:]
	}
	if _, err := w.Write(body); err == nil {
		s.pages.Add(1)
	}
}
