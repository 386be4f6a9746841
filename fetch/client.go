package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Client makes polite visits. It is safe for concurrent use.
type Client struct {
	o                        Options
	agent                    string // product token of the user agent
	clock                    Clock
	gate                     *Gate
	guard                    guard
	names                    *resolver
	transport                *http.Transport // for what may be HTTP/2; see talks
	codings                  string          // that are asked for
	robots                   *robotsCache
	suspects                 *suspects
	largePages, largeSources chan struct{} // places for large bodies; see smallBody
	nonce                    string        // told to the proxy alone
	before                   atomic.Pointer[time.Time]
	refusals, nameless       warnings // of the guard; where no name server answers
}

// New returns a client, or an error that says which option makes no sense; it wraps
// ErrNoContact where the user agent names no contact.
func New(o Options) (*Client, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("set up fetching: %w", err)
	}
	c := &Client{
		o:     o,
		agent: o.RobotsAgent,
		clock: o.Clock,
		gate:  NewGate(o.Clock),
		guard: guard{allowPrivate: o.AllowPrivate, networks: o.AllowNetworks,
			ports: o.AllowPorts},
		names:        newResolver(o.Nameserver),
		robots:       newRobotsCache(o.RobotsBytes, o.RobotsFresh),
		nonce:        newNonce(),
		suspects:     newSuspects(),
		largePages:   make(chan struct{}, largePages),
		largeSources: make(chan struct{}, largeSources),
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true) // where TLS agrees on it
	if c.codings = "gzip, br, zstd"; o.Capture {
		c.codings = "gzip"
	}
	c.transport = &http.Transport{
		Proxy:          proxyOf, // not from the environment: only what options or settings name
		DialContext:    c.dial,
		DialTLSContext: c.dialFramed,
		// An interval of 10 s outlasts the patience of most servers with idle connections,
		// and 10,000 of them cost 200 MB: each request has its own.
		DisableKeepAlives:      true,
		DisableCompression:     true, // decoding is ours, with a bound
		Protocols:              &protocols,
		HTTP2:                  &frames,
		MaxResponseHeaderBytes: o.MaxHeader,
		ResponseHeaderTimeout:  o.HeaderTimeout,
		TLSHandshakeTimeout:    o.DialTimeout,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		WriteBufferSize:        1 << 10, // a request is a few lines
		ReadBufferSize:         8 << 10,
	}
	return c, nil
}

// dialFramed connects for the transport, which speaks HTTP/2 where a server does.
func (c *Client) dialFramed(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	conn, err := c.dialTLS(ctx, host, "h2", "http/1.1")
	if err != nil {
		return nil, err
	}
	if conn.ConnectionState().NegotiatedProtocol == "h2" {
		return conn, nil
	}
	return newFramedConn(conn, c.o.MaxHeader), nil
}

// frames are the limits of HTTP/2. A stream may have as much on its way as every body may take of
// memory, since what the server has sent is held until it is read. Streams of the server (push) are
// refused by the transport. MaxHeader bounds the list of header fields, decoded.
var frames = http.HTTP2Config{
	MaxDecoderHeaderTableSize:     4 << 10,
	MaxEncoderHeaderTableSize:     4 << 10,
	MaxReadFrameSize:              16 << 10, // the least (RFC 9113 4.2)
	MaxReceiveBufferPerConnection: smallBody,
	MaxReceiveBufferPerStream:     smallBody,
}

// Interval returns the pause the client keeps between requests to a server that does not
// ask for a longer one.
func (c *Client) Interval() time.Duration { return c.o.Interval }

// PauseOf is the same for one server, host or host:port, with its settings.
func (c *Client) PauseOf(server string) time.Duration {
	return c.o.Hosts.Of(server).Delay(c.o.Interval)
}

// Closed returns until when a server, host or host:port, is left alone: for its pause, or as long
// as it said to whoever asked (Retry-After). Zero: it may be asked.
func (c *Client) Closed(server string) time.Time { return c.gate.Closed(server) }

// Resume says until when a process before this one may have asked servers. What it asked is not
// known, so each server is asked its whole pause after that at the earliest, its Crawl-delay
// included.
func (c *Client) Resume(asked time.Time) { c.before.Store(&asked) }

// afterBefore is when a server may be asked, with a pause, whatever the process before this one
// asked; zero: there was none.
func (c *Client) afterBefore(pause time.Duration) time.Time {
	if asked := c.before.Load(); asked != nil {
		return asked.Add(pause)
	}
	return time.Time{}
}

// RobotsAgent returns the name that robots.txt is searched for.
func (c *Client) RobotsAgent() string { return c.agent }
