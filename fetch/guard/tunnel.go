package guard

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// tunnel connects a client with a server for TLS (RFC 9110 9.3.6). It counts as one request until
// its end.
func (g *Guard) tunnel(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		deny(w, http.StatusBadRequest, "http_request_error", "", nonceOf(r),
			"CONNECT wants a host and a port, for example example.org:443")
		return
	}
	if g.o.Connect == "refuse" {
		refusal := &Refusal{Limit: LimitConnect, Scope: ScopeAll, Host: strings.ToLower(host),
			Allowed: "none", Got: "a tunnel", Wait: stoppedFor}
		g.ledger.refuseAny(refusal)
		g.teller.note(refusal, r.RemoteAddr)
		refusal.answer(w, nonceOf(r))
		return
	}
	p, to := g.admit(w, r, host, port)
	if p == nil {
		return
	}
	defer func() { p.leave(g.now()) }()
	if g.isOwn(to) {
		deny(w, http.StatusLoopDetected, "proxy_loop_detected", "", nonceOf(r),
			"that is the guard itself")
		return
	}
	server, err := g.connect(r.Context(), p, to)
	if err != nil {
		g.fail(w, r, p, err)
		return
	}
	defer server.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic("guard: a connection of HTTP/1.1 that cannot be taken over: " + err.Error())
	}
	defer client.Close()
	client.SetDeadline(time.Now().Add(g.o.Longest))
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\nVia: 1.1 "+Name+
		"\r\n\r\n"); err != nil {
		return
	}
	g.tunnels.Add(1)
	defer g.tunnels.Done()
	g.relay(client, buffered.Reader, server, p)
	if p.exceeded() != nil {
		g.cutShort(r, p)
	}
}

// relay passes bytes in both directions until one side ends, a limit is exceeded, idleTime passes
// without bytes, or the guard ends. The last bytes of one side still reach the other.
func (g *Guard) relay(client net.Conn, ahead *bufio.Reader, server *upstream, p *pass) {
	ctx, end := context.WithCancel(g.closing)
	defer context.AfterFunc(ctx, func() {
		server.Close()
		client.Close()
	})()
	idle := time.AfterFunc(idleTime, end)
	defer idle.Stop()
	t := &turns{most: g.o.TunnelTurns, allowed: g.o.TunnelSent}
	var up sync.WaitGroup
	up.Go(func() {
		defer end()
		g.pump(server, ahead, idle, func(sent []byte) bool {
			limit, allowed := t.client(sent)
			if limit != "" {
				p.exceeds(limit, ScopeTunnel, allowed)
			}
			return limit == ""
		})
	})
	g.pump(client, server, idle, func([]byte) bool { t.server(); return true })
	end()
	server.Close()
	client.Close()
	up.Wait()
}

// pump passes bytes on as long as may permits.
func (g *Guard) pump(to io.Writer, from io.Reader, idle *time.Timer, may func(b []byte) bool) {
	buffer := g.buffers.Get().(*[32 << 10]byte)
	defer g.buffers.Put(buffer)
	for {
		n, err := from.Read(buffer[:])
		if n > 0 {
			idle.Reset(idleTime)
			if !may(buffer[:n]) {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// leastTurn is the number of bytes from a client that make a turn. Shorter records of TLS do not
// count: HTTP/2 acknowledges with them (35 to 70 bytes), and TLS ends with them. A request of
// HTTP/1.1 that names its crawler is longer.
const leastTurn = 100

// turns counts the turns of a client, and its bytes.
type turns struct {
	mu      sync.Mutex
	most    int   // 0: no limit
	allowed int64 // limit of bytes
	sent    int64
	taken   int
	turn    int // bytes from the client since the server sent last, without short records
	records records
}

// client counts bytes of the client, and returns the limit that they exceed, or "".
func (t *turns) client(b []byte) (limit string, allowed int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.turn
	t.turn += t.records.long(b)
	if before < leastTurn && t.turn >= leastTurn {
		t.taken++
	}
	t.sent += int64(len(b))
	switch {
	case t.sent > t.allowed:
		return LimitSent, t.allowed
	case t.most > 0 && t.taken > t.most:
		return LimitTurns, int64(t.most)
	}
	return "", 0
}

// server notes that the server sent bytes.
func (t *turns) server() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn = 0
}

// records finds the records of TLS in the bytes of a client. On a busy machine many short ones may
// arrive together, and are still no request.
type records struct {
	head [5]byte // type, version and length (RFC 8446 5.1)
	have int     // bytes of head so far
	left int     // missing bytes of the record
	none bool    // the bytes are not TLS
}

// maxRecord is the greatest length of a record of TLS (RFC 8446 5.2).
const maxRecord = 5 + 1<<14 + 256

// long returns how many bytes of b are not in short records.
func (r *records) long(b []byte) (n int) {
	for len(b) > 0 && !r.none {
		if r.left > 0 {
			of := min(r.left, len(b))
			if r.size() >= leastTurn {
				n += of
			}
			r.left, b = r.left-of, b[of:]
			continue
		}
		of := copy(r.head[r.have:], b)
		r.have, b = r.have+of, b[of:]
		switch kind := r.head[0]; {
		case kind < 20 || kind > 23 || r.have == len(r.head) && r.size() > maxRecord:
			r.none = true
			n += r.have
		case r.have == len(r.head):
			r.have, r.left = 0, r.size()-len(r.head)
			if r.size() >= leastTurn {
				n += len(r.head)
			}
		}
	}
	return n + len(b)
}

// size returns the length of the current record.
func (r *records) size() int { return len(r.head) + int(binary.BigEndian.Uint16(r.head[3:])) }
