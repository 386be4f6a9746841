package fetch

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// meterKey is the context key under which a visit passes its meter to its connections.
type meterKey struct{}

// meter counts the octets that the connections of one visit read. They follow each other, but one
// that was given up may still be read from.
type meter struct {
	most int64 // 0: no limit
	read atomic.Int64
	cut  atomic.Bool
	open sync.WaitGroup // connections
	left atomic.Int32   // octets left to read
}

// awaitClosed waits until the connections are closed, because closing counts their unread octets.
// The transport of HTTP/2 closes them after the visit.
func (m *meter) awaitClosed() {
	if m.left.Load() == 0 {
		return
	}
	closed := make(chan struct{})
	go func() { m.open.Wait(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(time.Second): // a connection that was given up
	}
}

// onTheWay is the part of the limit for octets that the system receives and nobody reads, because
// the visit is cut or needs no body. The buffer of the system holds no more. 64 KiB a round trip
// are enough for pages.
func (m *meter) onTheWay() int64 { return min(m.most/4, 64<<10) }

var errNoBytes = errors.New("larger than what the budget has left for it")

// dial connects like the client: the client has resolved and checked the address, and checks it
// again.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	m, _ := ctx.Value(meterKey{}).(*meter)
	d := net.Dialer{KeepAlive: -1}
	if m != nil && m.most > 0 {
		d.Control = func(_, _ string, socket syscall.RawConn) (err error) {
			told := socket.Control(func(fd uintptr) {
				err = setReceiveBuffer(fd, int(m.onTheWay()/2))
			})
			return errors.Join(told, err)
		}
	}
	conn, err := d.DialContext(ctx, network, address)
	if m != nil && err == nil {
		m.open.Add(1)
		m.left.Add(1)
		return &meteredConn{Conn: conn, meter: m}, nil
	}
	return conn, err
}

type meteredConn struct {
	net.Conn
	meter  *meter
	closed sync.Once
}

// Read reads at most what the meter has left, and fails when nothing is left. It takes the octets
// first and gives the unused ones back, so that two connections together do not exceed the limit.
func (c *meteredConn) Read(p []byte) (int, error) {
	m := c.meter
	if m.most == 0 {
		n, err := c.Conn.Read(p)
		m.read.Add(int64(n))
		return n, err
	}
	for {
		read := m.read.Load()
		may := min(int64(len(p)), m.most-m.onTheWay()-read)
		if may <= 0 && len(p) > 0 {
			m.cut.Store(true)
			return 0, errNoBytes
		}
		if m.read.CompareAndSwap(read, read+may) {
			n, err := c.Conn.Read(p[:may])
			m.read.Add(int64(n) - may)
			return n, err
		}
	}
}

// Close counts octets that were received and not read.
func (c *meteredConn) Close() (err error) {
	c.closed.Do(func() {
		if tcp, ok := c.Conn.(*net.TCPConn); ok {
			if socket, err := tcp.SyscallConn(); err == nil {
				// An error means that nothing is left to count.
				socket.Control(func(fd uintptr) { c.meter.read.Add(unread(fd)) })
			}
		}
		err = c.Conn.Close()
		c.meter.left.Add(-1)
		c.meter.open.Done()
	})
	return err
}
