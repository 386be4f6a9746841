package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"

	"golang.org/x/net/proxy"
)

// resolveVia returns the address of the proxy in a server's settings. The guard checks an address
// in the link; the proxy looks up names.
func (c *Client) resolveVia(u, proxy *url.URL, lookup lookup) (netip.AddrPort, error) {
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		if err := c.guard.checkAddr(a.Unmap()); err != nil {
			return netip.AddrPort{}, err
		}
	}
	port, err := strconv.ParseUint(proxy.Port(), 10, 16)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("proxy %s: port %q", proxy.Host, proxy.Port())
	}
	addrs, err := lookup(proxy.Hostname())
	if err == nil && len(addrs) == 0 {
		err = errors.New("the name has no address")
	}
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("look up the proxy %s: %w", proxy.Hostname(), err)
	}
	return netip.AddrPortFrom(addrs[0].Unmap(), uint16(port)), nil
}

// dialVia connects to a server through the proxy of its settings. The guard does not check the
// address of the proxy: whoever names a proxy may use it.
func (c *Client) dialVia(ctx context.Context, network string, call *call) (net.Conn, error) {
	dial := c.o.Dial
	if dial == nil {
		dial = (&net.Dialer{KeepAlive: -1}).DialContext
	}
	conn, err := dial(ctx, network, call.to.String())
	if err != nil { // perhaps no fault of the page
		return nil, &LocalError{Err: fmt.Errorf("connect to the proxy %s: %w", call.via.Host, err),
			Unsure: true}
	}
	if call.url.Scheme == "http" && call.via.Scheme == "http" {
		return conn, nil // see proxyOf
	}
	return c.shake(ctx, conn, func() (err error) {
		if call.via.Scheme == "socks5" {
			err = socksTo(ctx, conn, call.via, authority(call.url))
		} else {
			err = tunnelVia(conn, call)
		}
		if err != nil {
			return fmt.Errorf("proxy %s: %w", call.via.Host, err)
		}
		return nil
	})
}

// tunnelVia asks a proxy of settings for a tunnel.
func tunnelVia(conn net.Conn, call *call) error {
	header := http.Header{"User-Agent": {""}} // keep ours for the server behind it
	if user := call.via.User; user != nil {
		header.Set("Proxy-Authorization", basicAuthorization(user))
	}
	answer, err := askConnect(conn, call.url, header)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(statusText(answer.StatusCode))
	}
	return err
}

// socksTo asks a proxy of SOCKS 5 for a connection (RFC 1928, 1929). The proxy looks up the name.
func socksTo(ctx context.Context, conn net.Conn, by *url.URL, to string) error {
	var auth *proxy.Auth
	if by.User != nil {
		password, _ := by.User.Password()
		auth = &proxy.Auth{User: by.User.Username(), Password: password}
	}
	d, err := proxy.SOCKS5("tcp", by.Host, auth, given{conn})
	if err != nil {
		return err
	}
	_, err = d.(proxy.ContextDialer).DialContext(ctx, "tcp", to)
	return err
}

// given dials a connection that exists already.
type given struct{ net.Conn }

func (g given) Dial(string, string) (net.Conn, error) { return g.Conn, nil }

func (g given) DialContext(context.Context, string, string) (net.Conn, error) { return g.Conn, nil }
