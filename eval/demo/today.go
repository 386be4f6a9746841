package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/sites"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// Today crawls the web of a demo over HTTP and keeps it fresh for its weeks, like Run, with times
// that end at the last midnight of UTC before now. dir is a new directory; at the end it has a
// store like that of `recrawl run`. It returns the budget in fetches a day, at least 1.
func Today(ctx context.Context, o Options, dir string, now time.Time) (perDay int, err error) {
	const day = 24 * time.Hour
	days := 7 * o.Weeks
	base := now.UTC().Truncate(day).Add(-time.Duration(days) * day)
	web, _, _, err := o.open(base)
	if err != nil {
		return 0, err
	}
	clock := crawl.NewVirtualClock(base.Add(-day))
	world, err := timetravel.NewWorld(web, clock, timetravel.Visitor{UserAgent: agent})
	if err != nil {
		return 0, err
	}
	defer world.Close()
	store, err := satstore.Open(dir, satstore.Options{Now: base})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	graph := sitegraph.NewGraph()
	pages := planner.NewPages(graph)
	ranks, err := policy.New(o.Policy, policy.Settings{Pages: pages, Mode: planner.Stream,
		Seed: o.Seed, GoneWorth: sites.DefaultGoneWorth})
	if err != nil {
		return 0, err
	}
	loop := crawl.New(crawl.Options{Fetcher: world, Store: store, Clock: clock, Change: o.Change,
		Discover: true, Forecast: true,
		Planner: planner.New(pages, ranks, planner.Options{NewShare: o.New})})
	for _, server := range web.Servers() {
		if err := loop.Seed("http://" + server + "/"); err != nil {
			return 0, err
		}
	}
	bar := o.Progress("the same web until today, days over HTTP", days)
	defer bar.End()
	for d := range days + 1 {
		r := planner.Round{Number: d, Start: base.Add(time.Duration(d-1) * day),
			End: base.Add(time.Duration(d) * day), Budget: perDay}
		if d == 0 { // all known pages
			r.Budget = planner.Unlimited
		}
		if err := clock.SleepUntil(ctx, r.Start); err != nil {
			return 0, err
		}
		if err := loop.Round(ctx, r); err != nil {
			return 0, fmt.Errorf("day %d: %w", d, err)
		}
		if err := loop.Advance(r.End); err != nil {
			return 0, err
		}
		if d == 0 {
			perDay = max(int(o.Budget*float64(graph.Pages())), 1)
		}
		bar.At(d)
	}
	return perDay, nil
}
