package main

import (
	"context"
	"errors"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/apart"
	"github.com/recrawl/recrawl/fetch/meter"
	"github.com/recrawl/recrawl/planner/cycle"
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
		err = &cycle.Wait{Until: until}
	}
	return o, err
}
