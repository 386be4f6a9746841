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

// Client makes polite visits. Goroutines may share it.
type Client struct {
	o                        Options
	agent                    string // product token of the user agent
	clock                    Clock
	gate                     *Gate
	guard                    guard
	names                    *resolver
	transport                *http.Transport // for servers that may speak HTTP/2; see talks
	codings                  string          // the content codings that requests accept
	robots                   *robotsCache
	suspects                 *suspects
	largePages, largeSources chan struct{} // places for large bodies; see smallBody
	nonce                    string        // known to the client and its proxy alone
	before                   atomic.Pointer[time.Time]
	refusals, nameless       warnings // of the guard; without a name server
}

// New returns a client, or an error that names the wrong option. The error wraps ErrNoContact if
// the user agent names no contact.
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
	protocols.SetHTTP2(true) // used if TLS agrees on it
	if c.codings = "gzip, br, zstd"; o.Capture {
		c.codings = "gzip"
	}
	c.transport = &http.Transport{
		Proxy:          proxyOf, // only options or settings name a proxy, the environment does not
		DialContext:    c.dial,
		DialTLSContext: c.dialFramed,
		// Most servers close idle connections within the interval of 10 s, and 10,000 of them cost
		// 200 MB. So each request has its own.
		DisableKeepAlives:      true,
		DisableCompression:     true, // the client decodes within bounds
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

// dialFramed connects for the transport, which speaks HTTP/2 if the server does.
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

// frames sets the limits of HTTP/2. A stream may have as much in flight as a body may take of
// memory, because received octets are held until they are read. The transport refuses streams of
// the server (push). MaxHeader bounds the decoded list of header fields.
var frames = http.HTTP2Config{
	MaxDecoderHeaderTableSize:     4 << 10,
	MaxEncoderHeaderTableSize:     4 << 10,
	MaxReadFrameSize:              16 << 10, // the least (RFC 9113 4.2)
	MaxReceiveBufferPerConnection: smallBody,
	MaxReceiveBufferPerStream:     smallBody,
}

// Interval returns the pause that the client keeps between requests to a server which asks for no
// longer one.
func (c *Client) Interval() time.Duration { return c.o.Interval }

// PauseOf returns the pause between requests to one server (host or host:port), by its settings.
func (c *Client) PauseOf(server string) time.Duration {
	return c.o.Hosts.Of(server).Delay(c.o.Interval)
}

// Closed returns until when a server (host or host:port) may not be asked: during its pause, or as
// long as its Retry-After says. The zero time means that it may be asked now.
func (c *Client) Closed(server string) time.Time { return c.gate.Closed(server) }

// Resume sets until when an earlier process may have asked servers. The client does not know which
// ones, so it waits the whole pause of each server after that time, Crawl-delay included.
func (c *Client) Resume(asked time.Time) { c.before.Store(&asked) }

// afterBefore returns when a server with this pause may be asked, whatever an earlier process asked
// last. The zero time means that there was no earlier process.
func (c *Client) afterBefore(pause time.Duration) time.Time {
	if asked := c.before.Load(); asked != nil {
		return asked.Add(pause)
	}
	return time.Time{}
}

// RobotsAgent returns the name that the client looks for in robots.txt.
func (c *Client) RobotsAgent() string { return c.agent }
