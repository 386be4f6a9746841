package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// callKey is the context key under which an exchange passes its call to the dialer.
type callKey struct{}

// call is the one connection of an exchange.
type call struct {
	to     netip.AddrPort
	url    *url.URL
	proxy  *url.URL // of the options, nil: none
	via    *url.URL // of the server's settings, at the address to; nil: none
	most   int64    // octets that may still be read from it
	dialed atomic.Bool
}

func callOf(ctx context.Context) *call {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		panic("fetch: connection outside of an exchange")
	}
	return c
}

// errAgain ends a request that the transport would repeat at once, for example when a server of
// HTTP/2 refuses a stream (RFC 9113 8.7). The pause of the server must lie between two requests.
var errAgain = errors.New("the server wants the request once more")

// mostOnWire returns how many octets may be read from a connection for a body of limit octets.
// Frames, their padding and encryption may take as much again. So a flood of empty frames, for
// example SETTINGS or PING (RFC 9113 10.5), ends soon.
func mostOnWire(limit, header int64) int64 { return 2*limit + header + 1<<20 }

var errFlood = errors.New("the server sends more than belongs to its answer")

// boundedConn is a connection with a limit on the octets read from it.
type boundedConn struct {
	net.Conn
	left int64 // one goroutine reads at a time
}

func (c *boundedConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errFlood
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// resolve returns the IP address and port to dial for u. try is the number of failures of the page
// in a row. It selects one of the server's IP addresses, so that a server with one dead address can
// still be reached. IPv4 comes first, because IPv6 is more often announced than reachable. The
// error of lookup may be notYet.
func (c *Client) resolve(u *url.URL, try int, lookup lookup) (netip.AddrPort, error) {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%w: port %q", errRefused, port)
	}
	if err := c.guard.checkPort(uint16(n)); err != nil {
		if a, ok := literal(u.Hostname()); ok && c.guard.checkAddr(a) != nil {
			err = c.guard.checkAddr(a) // a setting that allows the address also allows the port
		}
		return netip.AddrPort{}, err
	}
	if via := c.o.Hosts.Of(u.Host).Proxy(); via != nil {
		return c.resolveVia(u, via, lookup)
	}
	addrs, err := lookup(u.Hostname())
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("look up %s: %w", u.Hostname(), err)
	}
	var refused error
	var public []netip.Addr
	for _, a := range addrs {
		a = a.Unmap()
		if err := c.guard.checkAddr(a); err != nil {
			refused = err
		} else if !slices.Contains(public, a) {
			public = append(public, a)
		}
	}
	if len(public) == 0 {
		if refused == nil {
			refused = errors.New("the name has no address")
		}
		return netip.AddrPort{}, refused
	}
	slices.SortStableFunc(public, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	return netip.AddrPortFrom(public[try%len(public)], uint16(n)), nil
}

// literal returns the address of a host that needs no look-up: an IP address, or localhost (RFC
// 6761 6.3).
func literal(host string) (netip.Addr, bool) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	a, err := netip.ParseAddr(host)
	return a.Unmap(), err == nil
}

// lookup returns the addresses of a host.
type lookup func(host string) ([]netip.Addr, error)

// known returns a lookup of known names, which never waits. A Resolve of the options may wait.
func (c *Client) known(ctx context.Context) lookup {
	return c.lookup(ctx, c.names.now)
}

// awaited returns a lookup that waits for answers until ctx ends.
func (c *Client) awaited(ctx context.Context) lookup {
	return c.lookup(ctx, func(host string) ([]netip.Addr, error) {
		return c.names.lookup(ctx, host)
	})
}

func (c *Client) lookup(ctx context.Context, names lookup) lookup {
	return func(host string) ([]netip.Addr, error) {
		if a, err := netip.ParseAddr(host); err == nil {
			return []netip.Addr{a}, nil
		}
		if c.o.Resolve != nil {
			ctx, cancel := context.WithTimeout(ctx, c.o.DialTimeout)
			defer cancel()
			return c.o.Resolve(ctx, host)
		}
		return names(host)
	}
}

// Locate returns the IP address at which the server of a page would be asked now. It returns "" if
// the address is not known, for example behind a proxy of settings, or must not be asked. A visit
// then says why.
func (c *Client) Locate(ctx context.Context, pageURL string) string {
	u, err := url.Parse(pageURL)
	if err != nil || c.o.Hosts.Of(u.Host).Proxy() != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, c.o.DialTimeout)
	defer cancel()
	to, err := c.resolve(u, 0, c.awaited(ctx))
	if err != nil {
		return ""
	}
	return to.Addr().String()
}

// dial connects to the address that was resolved and checked. The host name that net/http passes is
// not looked up again, so a second answer of DNS changes nothing. A proxy looks up the name itself:
// the client checked its own answer, and the proxy must guard the one it gets.
func (c *Client) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	call := callOf(ctx)
	if call.dialed.Swap(true) {
		return nil, errAgain
	}
	conn, err := c.connect(ctx, network, call)
	if err == nil && call.proxy != nil {
		conn, err = c.throughProxy(ctx, conn, call)
	}
	if err != nil {
		return nil, err
	}
	return &boundedConn{Conn: conn, left: call.most}, nil
}

func (c *Client) connect(ctx context.Context, network string, of *call) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.DialTimeout)
	defer cancel()
	if of.proxy != nil {
		return c.dialProxy(ctx, network, of.proxy)
	}
	to := of.to
	if of.via != nil {
		return c.dialVia(ctx, network, of)
	}
	if c.o.Dial == nil {
		d := net.Dialer{Control: c.control, KeepAlive: -1}
		return d.DialContext(ctx, network, to.String())
	}
	if err := c.guard.checkAddr(to.Addr()); err != nil {
		return nil, err
	}
	conn, err := c.o.Dial(ctx, network, to.String())
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.RemoteAddr().(*net.TCPAddr); !ok ||
		tcp.AddrPort().Addr().Unmap() != to.Addr() {
		conn.Close()
		return nil, fmt.Errorf("%w: connected to %v instead of %v",
			errRefused, conn.RemoteAddr(), to)
	}
	return conn, nil
}

// control checks the address once more, just before the system connects.
func (c *Client) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", errRefused, address)
	}
	if err := c.guard.checkPort(to.Port()); err != nil {
		return err
	}
	return c.guard.checkAddr(to.Addr().Unmap())
}
