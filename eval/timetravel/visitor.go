package timetravel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// World is a web on loopback with a visitor: real HTTP, virtual time. A visit of a round sees the
// web at the end of the round; politeness waits pass on the virtual clock.
type World struct {
	Server *Server
	client *fetch.Client
	take   Take
	// shift of times in bodies; nil: none
	moved  func(server string) time.Duration
	moment atomic.Int64 // served time in unix nanoseconds
}

// Visitor configures who visits a web.
type Visitor struct {
	UserAgent string // must contain a contact
	// gets each request with its virtual time; may be nil
	Log  func(Access)
	Take Take // nil: exchanges are not recorded
	// Watch is fetch.Options.Watch; nil: no page is watched.
	Watch func(url string) []*extract.Rule
}

// Take makes a visit by calling visit once, perhaps with another record of the page, and returns
// its result. It may record the exchanges (fetch.Listen). Its own error is that of the visit: a
// visit that cannot be kept is not made.
type Take func(
	ctx context.Context, r crawl.Request,
	visit func(context.Context, sitegraph.Record) (sitegraph.Observation, error),
) (sitegraph.Observation, error)

// NewWorld serves the web, and makes a client for the visitor. It makes one visit at a time.
func NewWorld(web Web, clock *crawl.VirtualClock, v Visitor) (*World, error) {
	w := &World{take: v.Take}
	if a, ok := web.(aligned); ok {
		w.moved = func(server string) time.Duration { return a.shift[server] }
	}
	served := func() time.Time { return time.Unix(0, w.moment.Load()).UTC() }
	var err error
	w.Server, err = Serve(web, served, Options{Log: func(a Access) {
		if v.Log != nil {
			a.Time = clock.Now()
			v.Log(a)
		}
	}})
	if err != nil {
		return nil, err
	}
	ports := map[netip.Addr]uint16{}
	for _, name := range web.Servers() {
		if at, ok := w.Server.Addr(name); ok {
			ports[at.Addr()] = at.Port()
		}
	}
	w.client, err = fetch.New(fetch.Options{
		UserAgent: v.UserAgent, Clock: clock, AllowPrivate: true, Main: true,
		Capture: v.Take != nil, Watch: v.Watch,
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			at, ok := w.Server.Addr(host)
			if !ok {
				return nil, fmt.Errorf("no virtual server %q", host)
			}
			return []netip.Addr{at.Addr()}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return nil, err
			}
			var d net.Dialer
			return d.DialContext(ctx, network,
				netip.AddrPortFrom(at.Addr(), ports[at.Addr()]).String())
		},
	})
	if err != nil {
		return nil, errors.Join(err, w.Server.Close())
	}
	return w, nil
}

// Fetch makes one visit over HTTP. Its result counts as seen at the end of the round. In an aligned
// web the bodies of feeds and sitemaps still have the recorded dates. So Fetch shifts the dates of
// their claims as Align shifted the server.
func (w *World) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	w.moment.Store(r.Round.End.UnixNano())
	visit := func(ctx context.Context, rec sitegraph.Record) (sitegraph.Observation, error) {
		return w.visit(ctx, rec, r.Round.End)
	}
	if w.take != nil {
		return w.take(ctx, r, visit)
	}
	return visit(ctx, r.Record)
}

func (w *World) visit(ctx context.Context, rec sitegraph.Record, seen time.Time) (
	sitegraph.Observation, error) {
	o, err := w.client.Visit(ctx, rec)
	o.Time = seen
	o.NotBefore = time.Time{}
	if w.moved != nil && len(o.Claims) > 0 {
		shift := w.moved(sitegraph.ServerName(rec.URL))
		for i := range o.Claims {
			if c := &o.Claims[i]; !c.Modified.IsZero() {
				c.Modified = c.Modified.Add(-shift)
			}
		}
	}
	return o, err
}

// Close stops the servers.
func (w *World) Close() error { return w.Server.Close() }
