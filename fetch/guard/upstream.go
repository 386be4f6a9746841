package guard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// errCut is the error of a read beyond a limit.
var errCut = errors.New("cut by a limit of the guard")

// upstream is a connection to a server. It reads no more than the limits permit.
type upstream struct {
	net.Conn
	guard *Guard
	pass  *pass
	left  int64 // bytes left for the answer or tunnel
}

// connect connects to a server. Everything on the connection ends by the time limit.
func (g *Guard) connect(ctx context.Context, p *pass, to netip.AddrPort) (*upstream, error) {
	d := net.Dialer{Timeout: dialTime, KeepAlive: -1}
	conn, err := d.DialContext(ctx, "tcp", to.String())
	if err != nil {
		if ctx.Err() == nil {
			p.fails(g.now())
		}
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(g.o.Longest)); err != nil {
		conn.Close()
		return nil, err
	}
	return &upstream{conn, g, p, g.o.AnswerBytes}, nil
}

// Read charges the bytes to the limits before it reads, so that concurrent reads do not exceed them
// together.
func (c *upstream) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if c.left <= 0 {
		c.pass.exceeds(LimitAnswer, ScopeAnswer, c.guard.o.AnswerBytes)
		return 0, errCut
	}
	may, scope, allowed := c.pass.spend(min(int64(len(b)), c.left), c.guard.now())
	if may <= 0 {
		c.pass.exceeds(LimitBytes, scope, allowed)
		return 0, errCut
	}
	n, err := c.Conn.Read(b[:may])
	c.left -= int64(n)
	if rest := may - int64(n); rest > 0 {
		c.pass.spend(-rest, c.guard.now())
	}
	return n, err
}

// upstreamKey is the context key under which a request passes its connection to the transport.
type upstreamKey struct{}

// newTransport returns a transport for HTTP/1.1 over the connection in the context of a request.
func newTransport() *http.Transport {
	var onlyHTTP1 http.Protocols
	onlyHTTP1.SetHTTP1(true)
	return &http.Transport{
		Proxy: nil,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			c, ok := ctx.Value(upstreamKey{}).(*upstream)
			if !ok {
				panic("guard: request without a connection")
			}
			return c, nil
		},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		Protocols:              &onlyHTTP1,
		MaxResponseHeaderBytes: mostAnswerHeader,
		ResponseHeaderTimeout:  serverHeaderTime,
		WriteBufferSize:        1 << 10, // a request is a few lines
		ReadBufferSize:         16 << 10,
	}
}
