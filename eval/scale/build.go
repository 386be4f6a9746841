package scale

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// Start is when a built store was closed. Rounds continue from there.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	// foundTogether is the number of pages that become known at a time: as many as a page links to.
	foundTogether = 20
	commitEach    = 20_000
	day           = 24 * time.Hour
	month         = 30 * day
	longestDue    = 256 * day // as planned by value
)

// Build writes a store of the web in the state after a crawl of two cycles: every page was visited,
// some several times, and has a due time. tick gets the number of finished pages.
func Build(ctx context.Context, dir string, w *Web, tick func(done, total int)) (err error) {
	s, err := satstore.Open(dir, satstore.Options{Now: Start})
	if err != nil {
		return err
	}
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	order := newOrder(w)
	var links []sitegraph.PageID
	var url []byte
	for p := range w.Pages {
		server, i := order.next()
		url = w.appendURL(url[:0], server, i)
		r := w.record(server, i)
		r.Page, r.URL = sitegraph.PageID(p), string(url)
		if err := s.Add(&r); err != nil {
			return err
		}
		if i == 0 {
			if err := s.SaveStart(r.Page); err != nil {
				return err
			}
		}
		if p%commitEach == commitEach-1 || p == w.Pages-1 {
			if err := s.Commit(); err != nil {
				return err
			}
			tick(p/2, w.Pages)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	again := newOrder(w)
	for p := range w.Pages {
		server, i := again.next()
		links = links[:0]
		w.linksOf(server, i, func(j int) { links = append(links, order.page(server, j)) })
		if err := s.SaveLinks(sitegraph.PageID(p), links, nil); err != nil {
			return err
		}
		if p%commitEach == commitEach-1 || p == w.Pages-1 {
			if err := s.Commit(); err != nil {
				return err
			}
			tick(w.Pages/2+p/2, w.Pages)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// record returns the record of a page: found one to two cycles ago, and visited since at its own
// interval, from a day to a cycle.
func (w *Web) record(server, i int) sitegraph.Record {
	share := func(what int, of time.Duration) time.Duration {
		return time.Duration(unit(w.hash(server, i, what)) * float64(of))
	}
	first := Start.Add(share(-4, w.Cycle) - 2*w.Cycle)
	between := day + share(-5, w.Cycle-day)
	h := sitegraph.Start(first)
	at := first
	for next := at.Add(between); next.Before(Start); next = at.Add(between) {
		h.See(next, w.version(server, i, next) != w.version(server, i, at), time.Time{})
		at = next
	}
	return sitegraph.Record{
		Referer: "", State: sitegraph.StateAlive, Status: 200, ETag: `"5f2c-61b7d1c0a9f40"`,
		LastModified: first,
		Digests: sitegraph.Digests{Bytes: w.digest(server, i, at),
			Text: w.digest(server, i, at), Main: w.digest(server, i, at)},
		Size: 20_000, History: h, Tried: at,
		Due:    Start.Add(share(-6, min(w.Cycle, longestDue))),
		Reason: "the value of a visit reaches the price then",
	}
}

// order is the order in which pages become known: blocks of foundTogether pages of a server, with
// the servers mixed. It takes 8 bytes a block.
type order struct {
	w      *Web
	blocks []int32   // server of each block, in order
	done   []int32   // by server: blocks so far
	at     int       // in blocks
	i      int       // in the block
	first  [][]int32 // by server and block: the number of its first page
	pages  int32
}

func newOrder(w *Web) *order {
	o := &order{w: w, done: make([]int32, w.Servers), first: make([][]int32, w.Servers)}
	for s := range w.Servers {
		for range (w.size(s) + foundTogether - 1) / foundTogether {
			o.blocks = append(o.blocks, int32(s))
		}
	}
	for i := len(o.blocks) - 1; i > 0; i-- {
		j := int(planner.MixHash(w.Seed^uint64(i)) % uint64(i+1))
		o.blocks[i], o.blocks[j] = o.blocks[j], o.blocks[i]
	}
	return o
}

// next returns the page that becomes known next.
func (o *order) next() (server, i int) {
	s := o.blocks[o.at]
	server = int(s)
	i = int(o.done[s])*foundTogether + o.i
	if o.i == 0 {
		o.first[s] = append(o.first[s], o.pages)
	}
	o.pages++
	o.i++
	if o.i == foundTogether || i == o.w.size(server)-1 {
		o.i = 0
		o.at++
		o.done[s]++
	}
	return server, i
}

// page returns the number of a known page.
func (o *order) page(server, i int) sitegraph.PageID {
	return sitegraph.PageID(o.first[server][i/foundTogether] + int32(i%foundTogether))
}
