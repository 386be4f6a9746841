package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Exchange is one request and its answer, octet for octet as they crossed the network, with
// encryption undone.
type Exchange struct {
	URL      string // URL that was asked for
	Address  netip.Addr
	Began    time.Time // when the turn of the server had come
	Ended    time.Time
	Status   int
	Request  []byte // as sent, except values of fields from settings, which may be secret
	Response []byte // as received, perhaps with interim answers before it and octets behind its end
	// Cut says why the answer was not read to its end. CutNot means that it was, or that the end is
	// in Response.
	Cut Cut
}

// Cut says why the end of an answer is missing.
type Cut uint8

const (
	CutNot        Cut = iota
	CutLength         // longer than the limit
	CutTime           // not complete in time
	CutDisconnect     // the connection ended first
)

var cutNames = [...]string{"", "length", "time", "disconnect"}

// String returns the value of WARC-Truncated (WARC 1.1, 5.13), and "" for CutNot.
func (c Cut) String() string { return cutNames[c] }

// Wire holds the exchanges of one visit. One goroutine uses it, after the visit.
type Wire struct {
	Exchanges []Exchange // in the order of time, without those whose answer has no header
	// Copy returns the body of the page's copy with its digest, if it was kept: at most most
	// octets, content coding undone. It returns false if the body was not kept. A nil Copy means
	// that none are kept.
	Copy func(of sitegraph.Digest, most int64) (body []byte, contentType string, ok bool)

	places []chan struct{} // of large bodies
	taps   []*tap
}

// wireKey is the context key of a Wire, and tapKey the one of an exchange's tap.
type (
	wireKey struct{}
	tapKey  struct{}
)

// Listen returns a context and the Wire that records the visit with it, robots.txt included. The
// client needs Options.Capture. Callers release the Wire when they no longer need the exchanges.
func Listen(ctx context.Context) (context.Context, *Wire) {
	w := new(Wire)
	return context.WithValue(ctx, wireKey{}, w), w
}

// Release frees the memory of the exchanges and the places of large bodies.
func (w *Wire) Release() {
	for _, place := range w.places {
		<-place
	}
	for _, t := range w.taps {
		t.release()
	}
	*w = Wire{}
}

// hold keeps the place of a large body until the recorded octets are released.
func (w *Wire) hold(a *answer) {
	if w != nil && a != nil && a.body.large != nil {
		w.places = append(w.places, a.body.large)
		a.body.large = nil
	}
}

// wireOf returns the Wire of a context, or nil.
func wireOf(ctx context.Context) *Wire {
	w, _ := ctx.Value(wireKey{}).(*Wire)
	return w
}

// listening returns a context for one exchange and the tap of its connection, or nil if the context
// has no Wire.
func (c *Client) listening(ctx context.Context) (context.Context, *tap) {
	if !c.o.Capture || wireOf(ctx) == nil {
		return ctx, nil
	}
	t := &tap{in: takeRoom()}
	return context.WithValue(ctx, tapKey{}, t), t
}

// record keeps an exchange that has ended.
func (w *Wire) record(u *url.URL, a *answer) {
	t := a.tap
	request := withhold(t.out, a.secret)
	w.taps = append(w.taps, t)
	if a.status == 0 {
		return // no whole header came: there is no answer to keep
	}
	w.Exchanges = append(w.Exchanges, Exchange{
		URL: origin(u) + u.RequestURI(), Address: a.addr, Began: a.began, Ended: a.ended,
		Status:  a.status,
		Request: request, Response: t.in, Cut: t.cut,
	})
}

// withheld replaces secret values in recorded requests.
const withheld = "(withheld)"

// withhold returns a request without the values of the fields named in secret.
func withhold(request []byte, secret []string) []byte {
	if len(secret) == 0 {
		return request
	}
	head, body, _ := bytes.Cut(request, []byte("\r\n\r\n"))
	var kept []byte
	for line := range bytes.SplitSeq(head, []byte("\r\n")) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		hidden := func(field string) bool { return bytes.EqualFold(name, []byte(field)) }
		if slices.ContainsFunc(secret, hidden) {
			line = append(slices.Clip(name), ": "+withheld...)
		}
		kept = append(append(kept, line...), "\r\n"...)
	}
	return append(append(kept, "\r\n"...), body...)
}

// tap holds what one connection sent and received. A talk reads and writes in the goroutine of its
// visit.
type tap struct {
	out, in []byte
	cut     Cut
}

// release drops the recorded octets.
func (t *tap) release() {
	giveRoom(t.in)
	t.out, t.in = nil, nil
}

// finish reads the rest of an answer, at most limit octets in all, so that the record is whole. It
// notes which part is missing.
func (t *tap) finish(r *http.Response, limit int64) {
	left := limit + 1 - int64(len(t.in))
	_, err := io.CopyN(io.Discard, r.Body, max(left, 0))
	switch {
	case err == nil && left > 0, left <= 0:
		t.cut = CutLength
	case err == io.EOF:
		t.cut = CutNot
	case errors.Is(r.Request.Context().Err(), context.DeadlineExceeded):
		t.cut = CutTime
	default:
		t.cut = CutDisconnect
	}
}

// tappedConn is a connection whose octets are recorded behind its encryption, if it has any.
type tappedConn struct {
	net.Conn
	tap *tap
}

func tapped(ctx context.Context, conn net.Conn) net.Conn {
	t, _ := ctx.Value(tapKey{}).(*tap)
	if t == nil {
		return conn
	}
	return tappedConn{conn, t}
}

func (c tappedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.tap.in = append(c.tap.in, p[:n]...)
	return n, err
}

func (c tappedConn) Write(p []byte) (int, error) {
	c.tap.out = append(c.tap.out, p...)
	return c.Conn.Write(p)
}

// dialTLS connects like the transport, so that the octets within the encryption can be read. It
// offers protocols, the best one first.
func (c *Client) dialTLS(ctx context.Context, host string, protocols ...string) (*tls.Conn, error) {
	raw, err := c.dial(ctx, "tcp", "")
	if err != nil {
		return nil, err
	}
	config := c.transport.TLSClientConfig.Clone()
	config.ServerName, config.NextProtos = host, protocols
	conn := tls.Client(raw, config)
	limited, cancel := context.WithTimeout(ctx, c.o.DialTimeout)
	defer cancel()
	if err := conn.HandshakeContext(limited); err != nil {
		raw.Close()
		if limited.Err() != nil && ctx.Err() == nil {
			err = errors.New("TLS handshake timeout")
		}
		return nil, err
	}
	return conn, nil
}
