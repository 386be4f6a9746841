package urlfrontier

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/netutil"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
	"github.com/recrawl/recrawl/fetch/access"
)

const (
	mostConnections = 1000
	mostStreams     = 1000     // in a connection
	mostMessage     = 16 << 20 // bytes; 50,000 URLs of a usual length fit
	stopTime        = 2 * time.Second
	leastPing       = 10 * time.Second // the server disconnects clients that ping more often
)

// Options are the settings and dependencies of a server.
type Options struct {
	Settings
	Now   func() time.Time
	Log   *slog.Logger
	Level *slog.LevelVar // level of Log, which SetLogLevel sets
	// Failed is closed after the disk failed. Err returns the cause.
	Failed <-chan struct{}
	// Names lists the names of this machine, beside its IP addresses, that HTTP requests may use.
	Names []string
	Err   func() error

	// Check sets these.
	address *net.TCPAddr
	web     *net.TCPAddr // nil: no HTTP with JSON
	token   string
	tls     *tls.Config
}

// Server answers calls by gRPC and HTTP.
type Server struct {
	o        Options
	grpc     *grpc.Server
	health   *health.Server
	listener net.Listener

	web         *http.Server // nil: no HTTP with JSON
	webListener net.Listener
}

// Listen opens the ports of a server. The server answers after Serve is called.
func Listen(f *frontier.Frontier, o Options) (*Server, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(mostMessage), grpc.MaxConcurrentStreams(mostStreams),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: leastPing,
			PermitWithoutStream: true}),
		grpc.WaitForHandlers(true),
	}
	if o.tls != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(o.tls)))
	}
	if o.token != "" {
		options = append(options, guard(o.token)...)
	}
	listener, err := net.ListenTCP("tcp", o.address)
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", o.Listen, err)
	}
	s := &Server{o: o, grpc: grpc.NewServer(options...), health: health.NewServer(),
		listener: listener}
	calls := &service{frontier: f, address: listener.Addr().String(), now: o.Now, log: o.Log,
		level: o.Level}
	pb.RegisterURLFrontierServer(s.grpc, calls)
	if o.web != nil {
		if s.webListener, err = net.ListenTCP("tcp", o.web); err != nil {
			return nil, errors.Join(fmt.Errorf("listen at %s: %w", o.Web, err), listener.Close())
		}
		names := append(o.Names[:len(o.Names):len(o.Names)], hostOf(o.Web))
		s.web = &http.Server{
			Handler: access.OwnNamesAt(s.webListener.Addr(),
				names...).Guard(calls.handler(o.token)),
			TLSConfig: o.tls, MaxHeaderBytes: mostHeader,
			ErrorLog:          slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
			ReadHeaderTimeout: requestTime, ReadTimeout: requestTime, WriteTimeout: requestTime,
			IdleTimeout: requestTime,
		}
	}
	s.health.SetServingStatus(pb.URLFrontier_ServiceDesc.ServiceName,
		healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(s.grpc, s.health)
	reflection.Register(s.grpc)
	return s, nil
}

// hostOf returns the host of an address HOST:PORT.
func hostOf(address string) string {
	host, _, _ := net.SplitHostPort(address) // Check has parsed it
	return host
}

// Address returns the address at which the server listens for gRPC.
func (s *Server) Address() string { return s.listener.Addr().String() }

// WebAddress returns the address at which the server listens for HTTP with JSON, or "" without it.
func (s *Server) WebAddress() string {
	if s.web == nil {
		return ""
	}
	return s.webListener.Addr().String()
}

// serveWeb serves HTTP, with TLS if the settings have a certificate.
func (s *Server) serveWeb() error {
	l := netutil.LimitListener(s.webListener, mostConnections)
	if s.o.tls != nil {
		return s.web.ServeTLS(l, "", "")
	}
	return s.web.Serve(l)
}

// Serve answers calls until ctx ends or the disk fails. Calls under way then have two seconds.
func (s *Server) Serve(ctx context.Context) error {
	ended := make(chan error, 2)
	go func() { ended <- s.grpc.Serve(netutil.LimitListener(s.listener, mostConnections)) }()
	if s.web != nil {
		go func() { ended <- s.serveWeb() }()
	}
	select {
	case err := <-ended:
		s.stop()
		return err
	case <-s.o.Failed:
		go s.stop() // not waited for: calls may hang on the disk
		return s.o.Err()
	case <-ctx.Done():
	}
	s.stop()
	return nil
}

// stop ends the server. All gRPC calls have ended when it returns.
func (s *Server) stop() {
	s.health.Shutdown()
	if s.web != nil {
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		if s.web.Shutdown(ctx) != nil {
			s.web.Close()
		}
	}
	stopped := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(stopTime):
		s.grpc.Stop()
		<-stopped
	}
}

// guard refuses calls without the token, except those of grpc.health.v1.
func guard(token string) []grpc.ServerOption {
	want := []byte("Bearer " + token)
	check := func(ctx context.Context, method string) error {
		if strings.HasPrefix(method, "/"+healthpb.Health_ServiceDesc.ServiceName+"/") {
			return nil
		}
		values := metadata.ValueFromIncomingContext(ctx, "authorization")
		if len(values) == 1 && subtle.ConstantTimeCompare([]byte(values[0]), want) == 1 {
			return nil
		}
		return status.Error(codes.Unauthenticated,
			"the call has no valid token: send authorization: Bearer TOKEN")
	}
	return []grpc.ServerOption{
		grpc.UnaryInterceptor(func(ctx context.Context, r any, info *grpc.UnaryServerInfo,
			next grpc.UnaryHandler) (any, error) {
			if err := check(ctx, info.FullMethod); err != nil {
				return nil, err
			}
			return next(ctx, r)
		}),
		grpc.StreamInterceptor(func(srv any, in grpc.ServerStream, info *grpc.StreamServerInfo,
			next grpc.StreamHandler) error {
			if err := check(in.Context(), info.FullMethod); err != nil {
				return err
			}
			return next(srv, in)
		}),
	}
}
