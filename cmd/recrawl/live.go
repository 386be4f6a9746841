package main

import (
	"context"
	"errors"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/apart"
	"github.com/recrawl/recrawl/fetch/meter"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// liveFetcher asks the live web for the loop. It holds each visit to the bytes it may read, and notes
// which are under way.
type liveFetcher struct {
	*meter.Client
	underWay *apart.Register
}

func (f liveFetcher) Fetch(ctx context.Context, r cycle.Request) (sitegraph.Observation, error) {
	defer f.underWay.Begin(r.Record.URL)()
	o, until, err := f.Try(ctx, r.Record, r.MaxBytes)
	var local *fetch.LocalError
	switch {
	case errors.As(err, &local):
		err = &cycle.LocalError{Err: local.Err, Unsure: local.Unsure}
	case err == nil && !until.IsZero():
		err = &cycle.Wait{Until: until, Scheme: o.Outcome == sitegraph.OutcomeFailed}
	}
	return o, err
}

// keepRobots makes durable what was read of robots.txt before any page was, as where a Crawl-delay
// must pass first: the loop commits visits alone.
func keepRobots(client *meter.Client, store *satstore.Store) error {
	if !client.KeepDue() {
		return nil
	}
	if err := client.Keep(store.SaveSetting); err != nil {
		return err
	}
	return store.Commit()
}
