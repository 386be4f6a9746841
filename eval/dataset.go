package eval

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// windowEnd is the end of all windows on the world's clock.
var windowEnd = history.WorldEpoch.Add(WindowWeeks * week)

// Dataset is a set of recorded servers at the base.
type Dataset struct {
	World  *history.World
	Base   time.Time
	Change sitegraph.ChangeBy
	Pages  []sitegraph.PageID // base pages, in order of discovery

	programs *policy.ProgramHost // for policies that are programs; nil: there are none

	history int // weekly states before the base that policies may use
	graph   *sitegraph.Graph
	store   *history.MemoryStore
	isBase  []bool // by page

	askNothing bool // for tests: ask policies nothing about random pages
}

// Options configure a Dataset.
type Options struct {
	Base    time.Duration // after the start of each server's window
	History int           // weekly states before the base that policies may use
	Change  sitegraph.ChangeBy
	// LastModified adds the time of each version to replayed visits, as a static server does. The
	// protocols do not use it.
	LastModified bool
	// Programs runs policies that are programs; nil: there are none.
	Programs *policy.ProgramHost
}

// NewDataset crawls the servers as they are at the base.
func NewDataset(ctx context.Context, servers []*history.Server, o Options) (*Dataset, error) {
	world := history.NewWorld(servers)
	world.LastModified = o.LastModified
	c := &Dataset{World: world, Base: history.WorldEpoch.Add(o.Base), Change: o.Change,
		history:  o.History,
		programs: o.Programs, graph: sitegraph.NewGraph(), store: history.NewMemoryStore()}
	if !c.Base.Before(windowEnd) {
		return nil, fmt.Errorf(
			"base week %.0f is not within the window of %d weeks; choose an earlier --base",
			o.Base.Hours()/24/7,
			WindowWeeks,
		)
	}
	stage := c.Empty()
	stage.Graph, stage.Store = c.graph, c.store
	if err := c.Crawl(ctx, stage); err != nil {
		return nil, err
	}
	c.graph.Refresh()
	records := c.store.Records()
	c.isBase = make([]bool, len(records))
	for i := range records {
		r := &records[i]
		if r.State == sitegraph.StateAlive && c.graph.Depth(r.Page) > 0 {
			c.isBase[i] = true
			c.Pages = append(c.Pages, r.Page)
			c.lookBack(r, c.history, 1)
		}
	}
	if len(c.Pages) == 0 {
		return nil, fmt.Errorf(
			"no page of any server can be reached from where it is entered at week %.0f; choose "+
				"another --base",
			o.Base.Hours()/24/7,
		)
	}
	return c, nil
}

// Crawl discovers each server at the base from its top page, or without one from the pages seen
// first. It uses the loop on a stage with empty graph and store. With sources it continues until a
// round has nothing to visit. Until a next round measures their depth, pages that only pages of a
// sitemap link to count as too deep.
func (c *Dataset) Crawl(ctx context.Context, stage Stage) error {
	visits := 0
	loop := crawl.New(crawl.Options{
		Planner: planner.New(
			planner.NewPages(stage.Graph),
			nil,
			planner.Options{SourceShare: stage.Sources},
		),
		Fetcher:  stage.Fetcher,
		Store:    stage.Store,
		Clock:    stage.Clock,
		Change:   c.Change,
		Discover: true,
		Forecast: stage.Forecast,
		Seen: func(e *crawl.Event) {
			if visits++; stage.Log != nil {
				stage.Log(e)
			}
		},
	})
	for _, s := range c.World.Servers {
		at := s.T0 + int64(c.Base.Sub(history.WorldEpoch)/time.Second)
		if err := loop.Seed(starts(s, at)...); err != nil {
			return err
		}
	}
	for before := -1; visits > before; {
		before = visits
		if err := loop.Round(ctx, planner.Round{Start: c.Base.Add(-day), End: c.Base,
			Budget: planner.Unlimited}); err != nil || stage.Sources == 0 {
			return err
		}
	}
	return nil
}

// topPage returns the URL at which a server is entered.
func topPage(s *history.Server) string {
	if len(s.Pages) > 0 {
		if scheme, _, ok := strings.Cut(s.Pages[0].URL, "://"); ok {
			return scheme + "://" + s.Name + "/"
		}
	}
	return "http://" + s.Name + "/"
}

// lookBack replaces a record's history by that of visits before the base, one every given number of
// weeks.
func (c *Dataset) lookBack(r *sitegraph.Record, weeks, every int) {
	if weeks == 0 {
		return
	}
	now := sitegraph.Record{Page: r.Page, URL: r.URL}
	for w := weeks - weeks%every; w >= 0; w -= every {
		now.Apply(c.World.Observe(r.URL, c.Base.Add(-time.Duration(w)*week)), c.Change)
	}
	r.History = now.History
}

// remembered returns the planner's pages over a graph, in the state at the base. It drops due times
// of the base crawl, because a policy sets its own. It also drops second chances of pages that were
// found gone before the last page with a link to them was fetched: at the base all links are
// equally old.
func remembered(g *sitegraph.Graph, records []sitegraph.Record) *planner.Pages {
	g.Refresh()
	pages := planner.NewPages(g)
	for i := range records {
		r := records[i]
		r.Due, r.Interval = time.Time{}, 0
		if r.State == sitegraph.StateNew && !r.Tried.IsZero() && r.Errors == 0 {
			r.State = sitegraph.StateGone
		}
		pages.Remember(&r)
	}
	return pages
}

// Graph returns the graph of the base snapshot. Callers must not change it.
func (c *Dataset) Graph() *sitegraph.Graph { return c.graph }

// History returns the number of weekly states before the base that policies may use.
func (c *Dataset) History() int { return c.history }

// IsBase reports whether p is a base page.
func (c *Dataset) IsBase(p sitegraph.PageID) bool { return int(p) < len(c.isBase) && c.isBase[p] }

// server returns the server of a page.
func (c *Dataset) server(p sitegraph.PageID) sitegraph.ServerID { return c.graph.Server(p) }
