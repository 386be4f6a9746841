package push

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"github.com/recrawl/recrawl/fetch/access"
)

const (
	mostConnections = 100
	requestTime     = 30 * time.Second
	headTime        = 5 * time.Second // short, so that silent callers soon make room
	mostHeader      = 16 << 10
)

// Server answers requests at an address until Close.
type Server struct {
	server   http.Server
	listener net.Listener
	ended    chan error
}

// Listen serves an inbox at an address such as 127.0.0.1:8090. Connections, headers and time are
// bounded. It answers to the names of that address, to names, and to those in public. It accepts
// hints only under the first two.
func Listen(address string, inbox http.Handler, names []string, public string) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrListen, err)
	}
	s := &Server{listener: listener, ended: make(chan error, 1)}
	if host, _, err := net.SplitHostPort(address); err == nil {
		names = append(names[:len(names):len(names)], host)
	}
	here := access.OwnNamesAt(listener.Addr(), names...).Guard(inbox)
	anywhere := access.OwnNamesAt(listener.Addr(),
		append(names[:len(names):len(names)], public)...).Guard(inbox)
	s.server = http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hint" {
				here.ServeHTTP(w, r)
			} else {
				anywhere.ServeHTTP(w, r)
			}
		}), ReadHeaderTimeout: headTime, ReadTimeout: requestTime,
		WriteTimeout: requestTime, IdleTimeout: requestTime, MaxHeaderBytes: mostHeader,
	}
	go func() { s.ended <- s.server.Serve(netutil.LimitListener(listener, mostConnections)) }()
	return s, nil
}

// Address returns the address of the listener.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends the server. Requests in flight have a second.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.server.Shutdown(ctx); err != nil {
		s.server.Close()
	}
	if err := <-s.ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
