package timetravel

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"
)

// Access is one answered request.
type Access struct {
	Server string
	Path   string    // with query, as requested
	Time   time.Time // of the virtual clock, when the request was read
	Status int
}

// Options of Serve. The zero value is usable.
type Options struct {
	// Log, if not nil, is called for each request before the answer is sent, so that a client with
	// the answer finds it logged. Requests to different servers call it concurrently.
	Log func(Access)
}

// Server is a Web on the loopback interface.
type Server struct {
	addrs map[string]netip.AddrPort
	https []*http.Server
	done  sync.WaitGroup
}

// Serve starts an HTTP server for each server of the web, each at its own address from 127.3.0.1
// upwards, on one port if it is free at all of them. Answers have the state of the web at clock,
// which is called once for each request and may stand still, jump or go back. On systems with the
// single loopback address 127.0.0.1 all share it, with a port each; then spacing by address cannot
// be observed.
func Serve(web Web, clock func() time.Time, o Options) (*Server, error) {
	s := &Server{addrs: map[string]netip.AddrPort{}}
	port := uint16(0)
	for i, name := range web.Servers() {
		l, err := listen(i, port)
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("serve %s: %w", name, err)
		}
		addr := l.Addr().(*net.TCPAddr).AddrPort()
		if port == 0 {
			port = addr.Port()
		}
		s.addrs[name] = addr
		h := &http.Server{
			Handler: &handler{web: web, name: name, addr: addr.String(), clock: clock,
				log: o.Log},
			ReadHeaderTimeout: 10 * time.Second,
			ErrorLog:          log.New(io.Discard, "", 0), // a client that hangs up is expected
		}
		s.https = append(s.https, h)
		s.done.Go(func() { h.Serve(l) }) // returns when closed
	}
	return s, nil
}

// firstLoopback differs from 127.0.0.1, so that nothing else answers there.
var firstLoopback = [4]byte{127, 3, 0, 1}

// listen opens the address of server number i, at the port if that is free there.
func listen(i int, port uint16) (net.Listener, error) {
	a := firstLoopback
	n := int(a[3]) + i // at most 2^24 servers; more would not get ports either
	a[1], a[2], a[3] = a[1]+byte(n>>16), byte(n>>8), byte(n)
	own := netip.AddrFrom4(a).String()
	if l, err := net.Listen("tcp4", net.JoinHostPort(own, strconv.Itoa(int(port)))); err == nil {
		return l, nil
	}
	if l, err := net.Listen("tcp4", net.JoinHostPort(own, "0")); err == nil {
		return l, nil
	}
	return net.Listen("tcp4", "127.0.0.1:0")
}

// Addr returns the address of a server, or false for an unknown name.
func (s *Server) Addr(host string) (netip.AddrPort, bool) {
	a, ok := s.addrs[host]
	return a, ok
}

// Close stops all servers at once and waits until none accepts connections.
func (s *Server) Close() error {
	var first error
	for _, h := range s.https {
		if err := h.Close(); err != nil && first == nil {
			first = err
		}
	}
	s.done.Wait()
	return first
}
