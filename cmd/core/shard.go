package core

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
)

// Shard is the crawl of a part of all servers at a node, like run for all.
type Shard struct {
	Planner *planner.Planner
	Store   *satstore.Store
	Web     interface {
		crawl.Fetcher
		crawl.Locator
		crawl.Permitter
		crawl.Keeper
	}
	Loop    crawl.Options
	Journal func([]crawl.Event) error
	// Between is called between two visits, with the writer of the store.
	Between func(fetch.Keeper) error
	Close   func() error
}

// Shard opens the store of a shard in a directory, with a share of the workers.
func (p *Program) Shard(ctx context.Context, dir string, shards int) (*Shard, error) {
	q := *p // with its own data directory
	q.config.Data = dir
	if q.config.Archive != "" {
		q.config.Archive = filepath.Join(q.config.Archive, filepath.Base(dir))
	}
	var b basis
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := b.open(ctx, &q); err != nil {
		return nil, errors.Join(err, b.parts.Close())
	}
	o := b.options(&q)
	o.Workers = max(2, 2*q.config.Workers/shards)
	return &Shard{Planner: b.data.plan, Store: b.data.store,
		Web: liveFetcher{MeteredClient: b.client, underWay: b.underWay, archive: b.archive,
			keeper: b.keeper},
		Close: b.parts.Close, Loop: o,
		Journal: func(events []crawl.Event) error {
			return journal.AppendVisits(b.journal, events)
		},
		Between: func(store fetch.Keeper) error {
			return errors.Join(b.client.KeepIn(store), q.copies(b.data.store))
		},
	}, nil
}
