package history

import (
	"context"
	"net/http"
	"time"

	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// WorldEpoch is the virtual time at which every server's window starts.
var WorldEpoch = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// World has recorded servers on one clock.
//
// It is the third world of the loop: recorded histories answer instead of servers, with millions of
// visits a minute, through the interfaces of the live web.
//
// # Guarantees
//
//  1. A visit in a round sees the page at the end of that round.
//  2. Servers whose windows start at different times run on one clock: each is moved so that its
//     window starts at the world's epoch.
//  3. A MemoryStore keeps in memory what satstore keeps on disk.
//
// Goroutines may share a World, but not a Fetcher or a MemoryStore.
type World struct {
	Servers []*Server
	// LastModified adds the time of each version to visits, as a static server does.
	LastModified bool
	byName       map[string]*Server
}

// NewWorld puts histories on one clock.
func NewWorld(servers []*Server) *World {
	w := &World{Servers: servers, byName: make(map[string]*Server, len(servers))}
	for _, s := range servers {
		w.byName[s.Name] = s
	}
	return w
}

// Find returns the history of a URL, and the shift from the world's unix time to the server's own;
// nil if there is none.
func (w *World) Find(url string) (page *Page, shift int64) {
	s := w.byName[sitegraph.ServerName(url)]
	if s == nil {
		return nil, 0
	}
	return s.Page(url), s.T0 - WorldEpoch.Unix()
}

// Observe returns what a visit to url at t sees.
func (w *World) Observe(url string, t time.Time) sitegraph.Observation {
	page, shift := w.Find(url)
	return w.observe(page, shift, url, t)
}

func (w *World) observe(page *Page, shift int64, url string,
	t time.Time) sitegraph.Observation {
	o := sitegraph.Observation{URL: url, Time: t, Outcome: sitegraph.OutcomeGone,
		Status: http.StatusNotFound}
	if page == nil {
		return o
	}
	v := page.At(t.Unix() + shift)
	switch {
	case v == nil || v.Gone:
	case v.Redirect != "":
		o.Outcome, o.Status, o.RedirectTo = sitegraph.OutcomeRedirected,
			http.StatusMovedPermanently, v.Redirect
	default:
		o.Outcome, o.Status = sitegraph.OutcomeFetched, http.StatusOK
		if w.LastModified {
			o.LastModified = time.Unix(v.T-shift, 0).UTC()
		}
		o.Digests, o.Size = v.Digests, v.Size
		o.Links, o.Frames, o.LinksKnown, o.FramesKnown = v.Links, v.Frames, v.LinksKnown,
			v.FramesKnown
	}
	return o
}

// Fetcher answers visits from a world.
type Fetcher struct {
	World *World
	known []located // by PageID: found once
}

type located struct {
	page  *Page
	shift int64
	found bool
}

// Fetch sees the page at the end of the round.
func (f *Fetcher) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	if err := ctx.Err(); err != nil {
		return sitegraph.Observation{}, err
	}
	id := int(r.Record.Page)
	if id >= len(f.known) {
		f.known = append(f.known, make([]located, id+1-len(f.known))...)
	}
	l := &f.known[id]
	if !l.found {
		l.page, l.shift = f.World.Find(r.Record.URL)
		l.found = true
	}
	return f.World.observe(l.page, l.shift, r.Record.URL, r.Round.End), nil
}
