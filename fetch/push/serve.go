package push

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

const (
	mostConnections = 100
	requestTime     = 30 * time.Second
	headTime        = 5 * time.Second // so that silent callers soon make room
	mostHeader      = 16 << 10
)

// Server answers requests at an address until it is closed.
type Server struct {
	server   http.Server
	listener net.Listener
	ended    chan error
}

// Listen serves a handler at an address such as 127.0.0.1:8090. Connections, headers and time are
// bounded.
func Listen(address string, handler http.Handler) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrListen, err)
	}
	s := &Server{listener: listener, ended: make(chan error, 1)}
	s.server = http.Server{
		Handler: handler, ReadHeaderTimeout: headTime, ReadTimeout: requestTime,
		WriteTimeout: requestTime, IdleTimeout: requestTime, MaxHeaderBytes: mostHeader,
	}
	go func() { s.ended <- s.server.Serve(netutil.LimitListener(listener, mostConnections)) }()
	return s, nil
}

// Address is where it listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends it. Requests under way have a second.
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
