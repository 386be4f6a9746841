package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recrawl/recrawl/fetch/access"
)

// Guard is a forward proxy with limits. Goroutines may share it.
type Guard struct {
	o         Options
	clients   []netip.Prefix
	began     time.Time
	ledger    *ledger
	names     *names
	teller    teller
	transport *http.Transport
	buffers   sync.Pool
	own       netip.AddrPort // where it listens
	tunnels   sync.WaitGroup
	closing   context.Context // done when the guard must end

	failed, forbidden, foreign, cut atomic.Int64
}

// New returns a guard, or an error that names the wrong option. It wraps ErrOpen if anybody could
// use the guard.
func New(o Options) (*Guard, error) {
	clients, err := o.clients()
	if err != nil {
		return nil, fmt.Errorf("set up the guard: %w", err)
	}
	g := &Guard{o: o, clients: clients, began: time.Now(), names: newNames(o.Nameserver),
		teller: teller{log: o.Log}}
	g.ledger = newLedger(&g.o.Limits)
	g.buffers.New = func() any { return new([32 << 10]byte) }
	g.transport = newTransport()
	return g, nil
}

// now returns the time since the guard started, by a monotonic clock.
func (g *Guard) now() time.Duration { return time.Since(g.began) }

// Listen opens the port of the options.
func (g *Guard) Listen() (net.Listener, error) {
	l, err := net.Listen("tcp", g.o.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", g.o.Listen, err)
	}
	return l, nil
}

// closeTime is the time for requests in flight when the guard must end.
const closeTime = 3 * time.Second

// Serve works until ctx ends or the listener fails. It returns when no connection is left.
func (g *Guard) Serve(ctx context.Context, listener net.Listener) error {
	if tcp, ok := listener.Addr().(*net.TCPAddr); ok {
		g.own = tcp.AddrPort()
	}
	var endTunnels func()
	g.closing, endTunnels = context.WithCancel(context.Background())
	defer endTunnels()
	server := &http.Server{
		Handler:           g,
		ReadHeaderTimeout: clientHeaderTime,
		ReadTimeout:       clientHeaderTime + g.o.Longest,
		WriteTimeout:      clientHeaderTime + g.o.Longest + lookupTime + dialTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    mostRequestHeader,
		ErrorLog:          nothing,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(newDoor(listener, g)) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		endTunnels()
		closing, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if server.Shutdown(closing) != nil {
			server.Close()
		}
		<-ended
	}
	endTunnels()
	g.tunnels.Wait()
	g.teller.end()
	return err
}

// ServeHTTP answers one request of a client.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		g.tunnel(w, r)
	case !r.URL.IsAbs():
		deny(w, http.StatusBadRequest, "http_request_error", "", nonceOf(r),
			"this is a forward proxy: a request must name a whole URL, for example GET "+
				"http://example.org/ (set it as HTTP proxy)")
	case r.URL.Scheme != "http":
		deny(w, http.StatusBadRequest, "http_request_error", "", nonceOf(r),
			"only http:// can be asked for; https:// needs CONNECT")
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, HEAD, POST, CONNECT")
		deny(w, http.StatusMethodNotAllowed, "http_request_denied", "", nonceOf(r),
			"only GET, HEAD, POST and CONNECT are let through")
	default:
		g.forward(w, r)
	}
}

// nonceOf returns the nonce of a client, by which it distinguishes refusals of the guard from
// forged ones: "Proxy-Authorization: Recrawl-Guard NONCE". A proxy does not pass that field on (RFC
// 9110 11.7.2).
func nonceOf(r *http.Request) string {
	scheme, nonce, _ := strings.Cut(r.Header.Get("Proxy-Authorization"), " ")
	if scheme != "Recrawl-Guard" || len(nonce) > 64 ||
		strings.Trim(nonce, "0123456789abcdef") != "" {
		return ""
	}
	return nonce
}

// admit decides on a request to host:port. If it refuses, it answers the request and returns nil.
// The caller must leave the pass.
func (g *Guard) admit(w http.ResponseWriter, r *http.Request, host, port string) (
	*pass, netip.AddrPort) {
	none, nonce, isTunnel := netip.AddrPort{}, nonceOf(r), r.Method == http.MethodConnect
	number, err := strconv.ParseUint(port, 10, 16)
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if err != nil || !isHost(host) {
		deny(w, http.StatusBadRequest, "http_request_error", "", nonce,
			fmt.Sprintf("%.80q is not a host and port", ascii(r.Host)))
		return nil, none
	}
	if !g.allowsPort(uint16(number), isTunnel) {
		g.forbidden.Add(1)
		deny(w, http.StatusForbidden, "http_request_denied", "", nonce,
			fmt.Sprintf("port %d is not let through; --allow-port lets it", number))
		return nil, none
	}
	addrs, err := g.names.lookup(r.Context(), host)
	if err != nil {
		g.failed.Add(1)
		status, kind := http.StatusBadGateway, "dns_error"
		var dns *net.DNSError
		if errors.As(err, &dns) && dns.IsTimeout {
			status, kind = http.StatusGatewayTimeout, "dns_timeout"
		}
		deny(w, status, kind, "", nonce, "look up "+host+": "+short(err))
		return nil, none
	}
	allowed := slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool {
		return !g.allowsAddr(a)
	})
	if len(allowed) == 0 {
		g.forbidden.Add(1)
		deny(w, http.StatusForbidden, "destination_ip_prohibited", "", nonce,
			fmt.Sprintf("%s has no public address; --allow-network lets others through", host))
		return nil, none
	}
	p, refusal := g.ledger.enter(host, allowed, isTunnel, g.now())
	if refusal != nil {
		g.teller.note(refusal, r.RemoteAddr)
		refusal.answer(w, nonce)
		return nil, none
	}
	if wait := p.start - g.now(); wait > 0 {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			p.withdraw()
			return nil, none
		}
	}
	return p, netip.AddrPortFrom(p.addr, uint16(number))
}

// isHost reports whether a text can be a host: a name of DNS, or an address. The limit of its
// length bounds memory.
func isHost(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	for i := range len(host) {
		c := host[i]
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' ||
			c == ':') {
			return false
		}
	}
	return true
}

func (g *Guard) allowsPort(port uint16, isTunnel bool) bool {
	if port == 0 {
		return false
	}
	return g.o.AllowPrivate || port == 443 || port == 80 && !isTunnel ||
		slices.Contains(g.o.AllowPorts, port)
}

func (g *Guard) allowsAddr(addr netip.Addr) bool {
	if g.o.AllowPrivate && addr.IsValid() && addr.Zone() == "" && !addr.IsMulticast() &&
		!addr.IsUnspecified() || access.IsPublic(addr) {
		return true
	}
	return slices.ContainsFunc(g.o.AllowNetworks, func(p netip.Prefix) bool {
		return p.Contains(addr.Unmap())
	})
}

// isOwn reports whether an address is the guard's own, so that a request would come back.
func (g *Guard) isOwn(to netip.AddrPort) bool {
	own := g.own.Addr().Unmap()
	return to.Port() == g.own.Port() &&
		(to.Addr() == own || own.IsUnspecified() && to.Addr().IsLoopback())
}

// short returns the cause of a network error, without its place.
func short(err error) string {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	text := ascii(err.Error())
	return text[:min(len(text), 200)]
}
