package guard

import (
	"io"
	"log"
	"net"
	"net/netip"
	"slices"
	"sync"
)

// nothing discards messages of the HTTP server about broken connections. The summary counts what
// matters.
var nothing = log.New(io.Discard, "", 0)

// door admits a limited number of connections, of clients only.
type door struct {
	net.Listener
	guard  *Guard
	places chan struct{}
}

func newDoor(l net.Listener, g *Guard) *door {
	return &door{l, g, make(chan struct{}, g.o.Connections)}
}

// Accept waits for a free place, and then for a client.
func (d *door) Accept() (net.Conn, error) {
	d.places <- struct{}{}
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			<-d.places
			return nil, err
		}
		if !d.guard.mayUse(conn.RemoteAddr()) {
			d.guard.foreign.Add(1)
			conn.Close()
			continue
		}
		return &guest{Conn: conn, door: d}, nil
	}
}

// mayUse reports whether a connection comes from this machine or a named client.
func (g *Guard) mayUse(remote net.Addr) bool {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok {
		return false
	}
	addr := tcp.AddrPort().Addr().Unmap()
	return addr.IsLoopback() || slices.ContainsFunc(g.clients, func(p netip.Prefix) bool {
		return p.Contains(addr)
	})
}

// guest is a client's connection. Closing it frees its place.
type guest struct {
	net.Conn
	door *door
	once sync.Once
}

func (c *guest) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.door.places })
	return err
}
