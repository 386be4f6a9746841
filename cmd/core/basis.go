package core

import (
	"context"
	"io"
	"path/filepath"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/fetch/quarantine"
	"github.com/recrawl/recrawl/fetch/requisite"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

// basis is the common part of run and of each shard of a node.
type basis struct {
	data     *opened
	filters  *filter.Set
	client   *fetch.MeteredClient
	underWay *quarantine.Register
	archive  *archive.Archive  // nil: no archive
	keeper   *requisite.Keeper // nil: requisites are not kept
	journal  *journal.Journal
	parts    parts // to close at the end
}

// open opens the basis in the data directory.
func (b *basis) open(ctx context.Context, p *Program) (err error) {
	if b.filters, err = p.Filters(); err != nil {
		return err
	}
	b.parts.add(b.filters)
	reader := NewReader()
	if b.client, err = p.client(reader.Read, b.filters); err != nil {
		return err
	}
	if b.data, err = p.open(ctx, false); err != nil {
		return err
	}
	b.parts.add(b.data.store)
	if c, ok := b.data.plan.Policy.(io.Closer); ok {
		b.parts.add(c)
	}
	if b.underWay, err = p.underWay(reader); err != nil {
		return err
	}
	b.parts.add(b.underWay)
	if b.archive, err = p.archive(); err != nil {
		return err
	}
	b.parts.add(b.archive)
	if b.keeper, err = p.requisites(b.client, b.archive); err != nil {
		return err
	}
	b.parts.add(b.keeper)
	if b.journal, err = journal.Open(filepath.Join(p.config.Data, "journal")); err != nil {
		return err
	}
	b.parts.add(b.journal)
	return nil
}

// options returns the options of its loop by the settings.
func (b *basis) options(p *Program) crawl.Options {
	bounds := sitegraph.DefaultBounds
	bounds.MaxPages = p.config.MaxPages
	if p.scope != nil {
		bounds.Scope = p.scope.Has
	}
	return crawl.Options{
		Planner:  b.data.plan,
		Store:    b.data.store,
		Change:   p.config.ChangeBy(),
		Discover: true,
		Forecast: true,
		Proof:    true,
		Bounds:   &bounds,
		Pause:    p.config.Delay,
		PauseOf:  b.client.PauseOf,
		Able:     p.hasSpace,
		Filters:  b.filters.Fingerprint(),
		Agent:    b.client.RobotsAgent(),
		Denied:   func(d sitegraph.Denial) { p.Note("%s", present.Denied(d)) },
		Unkept:   func(err error) { p.Warn(err.Error() + "; the next start reads all records") },
	}
}
