package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// ParseProxy reads the address of an HTTP proxy (http://127.0.0.1:3128); "" is none.
func ParseProxy(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || u.Port() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("proxy %q: want http://HOST:PORT, without user and path", text)
	}
	return &url.URL{Scheme: "http", Host: u.Host}, nil
}

// proxyFor returns the proxy of the options for a server. It returns nil if there is none, or if
// the server's settings name one.
func (c *Client) proxyFor(u *url.URL) *url.URL {
	if c.o.Hosts.Of(u.Host).Proxy() != nil {
		return nil
	}
	return c.o.Proxy
}

// proxyOf makes the transport write the whole URL in its request, as a proxy expects for plain HTTP
// (RFC 9112 3.2.2). All else goes through a tunnel.
func proxyOf(r *http.Request) (*url.URL, error) {
	call := callOf(r.Context())
	switch {
	case call.url.Scheme != "http", call.via != nil && call.via.Scheme != "http":
		return nil, nil
	case call.via != nil:
		return call.via, nil
	}
	return call.proxy, nil
}

// maxConnect limits the answer of a proxy to CONNECT, in octets.
const maxConnect = 16 << 10

// throughProxy turns a connection to a proxy into one to the server. It closes the connection if
// that fails.
func (c *Client) throughProxy(ctx context.Context, conn net.Conn, call *call) (net.Conn, error) {
	if call.url.Scheme == "http" {
		return conn, nil
	}
	return c.shake(ctx, conn, func() error { return c.tunnel(conn, call) })
}

// shake runs a handshake with a proxy within its time-out. It closes the connection if that fails.
func (c *Client) shake(ctx context.Context, conn net.Conn, hands func() error) (net.Conn, error) {
	// the handshake fails when the context ends
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	// the proxy looks up and connects first
	err := conn.SetDeadline(time.Now().Add(c.o.HeaderTimeout))
	if err == nil {
		err = hands()
	}
	if err == nil && !stop() {
		err = ctx.Err()
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// askConnect asks a proxy for a tunnel to a server (RFC 9110 9.3.6) and returns its answer, which
// has no body.
func askConnect(conn net.Conn, u *url.URL, header http.Header) (*http.Response, error) {
	to := authority(u)
	r := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: to}, Host: to,
		Header: header}
	if err := r.Write(conn); err != nil {
		return nil, err
	}
	// Octet by octet, because what follows the answer belongs to the tunnel.
	head := make([]byte, 0, 256)
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		var one [1]byte
		if _, err := io.ReadFull(conn, one[:]); err != nil || len(head) == maxConnect {
			return nil, fmt.Errorf("its answer has no end: %w", cmp.Or(err, errFlood))
		}
		head = append(head, one[0])
	}
	answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(head)), r)
	if err == nil {
		answer.Body.Close()
	}
	return answer, err
}

// authority returns host and port of a server.
func authority(u *url.URL) string {
	port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
}

// tunnel asks a proxy of the options for a tunnel.
func (c *Client) tunnel(conn net.Conn, call *call) error {
	answer, err := askConnect(conn, call.url,
		http.Header{"User-Agent": {c.o.UserAgent}, "Proxy-Authorization": {c.nonceField()}})
	if err != nil {
		return fmt.Errorf("proxy %s: %w", call.proxy.Host, err)
	}
	refusal := c.guardRefusal(answer)
	switch {
	case refusal != nil:
		return refusal
	case answer.StatusCode == http.StatusProxyAuthRequired:
		return &LocalError{Err: fmt.Errorf("proxy %s: it wants a password", call.proxy.Host)}
	case answer.StatusCode/100 != 2:
		return fmt.Errorf("proxy %s: %s", call.proxy.Host, statusText(answer.StatusCode))
	}
	return nil
}

// dialProxy connects to a proxy. An unreachable proxy is no fault of the page.
func (c *Client) dialProxy(ctx context.Context, network string, proxy *url.URL) (net.Conn, error) {
	dial := c.o.Dial
	if dial == nil {
		d := net.Dialer{KeepAlive: -1}
		dial = d.DialContext
	}
	conn, err := dial(ctx, network, proxy.Host)
	if err != nil && (ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded)) {
		return nil, &LocalError{Err: fmt.Errorf("connect to the proxy %s: %w", proxy.Host, err)}
	}
	return conn, err
}

// guardName is the name of recrawl guard in Proxy-Status (RFC 9209).
const guardName = "recrawl-guard"

// newNonce returns a secret of a client and its proxy. An answer that contains it comes from the
// guard, because no server knows it.
func newNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// nonceField returns the field that carries the nonce. Proxies do not pass it on (RFC 9110 11.7.2).
func (c *Client) nonceField() string { return "Recrawl-Guard " + c.nonce }

// GuardRefusal is the error that recrawl guard answered instead of a server.
type GuardRefusal struct {
	Status int
	Limit  string // exceeded limit; "" if the status is not 429
	Scope  string // scope of the limit: address, host, all, ...
	Detail string
	Wait   time.Duration // wait that the guard asks for, at least a second
}

func (r *GuardRefusal) Error() string { return "the guard refused: " + r.Detail }

// guardRefusal reads the answer of a guard that refused a request. It returns nil for the answer of
// a server.
func (c *Client) guardRefusal(r *http.Response) *GuardRefusal {
	for _, line := range r.Header["Proxy-Status"] {
		if name, of := statusParameters(line); name == guardName && of["nonce"] == c.nonce &&
			of["error"] != "" {
			refusal := &GuardRefusal{Status: r.StatusCode, Limit: of["limit"], Scope: of["scope"],
				Detail: printable(of["details"]), Wait: time.Second}
			now := c.clock.Now()
			if until, ok := retryAfter(r.Header, now); ok {
				refusal.Wait = max(refusal.Wait, until.Sub(now))
			}
			return refusal
		}
	}
	return nil
}

// statusParameters reads one member of Proxy-Status (RFC 9209 2): a name and its parameters.
func statusParameters(line string) (name string, of map[string]string) {
	of = map[string]string{}
	name, rest, _ := strings.Cut(line, ";")
	for rest != "" {
		var key, value string
		if key, rest, _ = strings.Cut(rest, "="); rest != "" && rest[0] == '"' {
			value, rest, _ = strings.Cut(rest[1:], `"`)
			_, rest, _ = strings.Cut(rest, ";")
		} else {
			value, rest, _ = strings.Cut(rest, ";")
		}
		of[strings.TrimSpace(key)] = value
	}
	return strings.TrimSpace(name), of
}

// guarded returns the consequences of a guard's refusal. serverUntil and addressUntil are when the
// server and its IP address may be asked again. If a limit was exceeded, the crawler is at fault,
// not the page. The error is then a notYet, or a LocalError if the limit is that of all servers
// together.
func (c *Client) guarded(r *GuardRefusal, now time.Time) (
	serverUntil, addressUntil time.Time, err error) {
	switch {
	case r.Status == http.StatusTooManyRequests:
		c.refusals.add(r, "The crawler asks more than the guard lets through: a wrong setting, "+
			"or a fault of the crawler. "+
			"No page is blamed", now, c.o.Warn)
		if r.Scope == "all" {
			return now, now, &LocalError{Err: r}
		}
		serverUntil, addressUntil = now.Add(r.Wait), now
		if r.Scope == "address" {
			addressUntil = serverUntil
		}
		return serverUntil, addressUntil, &notYet{until: serverUntil}
	case r.Status == http.StatusBadGateway || r.Status == http.StatusGatewayTimeout:
		return now.Add(c.o.Interval), now.Add(c.o.Interval), errors.New(r.Detail)
	case r.Status == http.StatusForbidden || r.Status == http.StatusLoopDetected:
		return now, now, deny(sitegraph.DeniedByGuard, r.Detail)
	}
	return now, now, &LocalError{Err: r}
}
