package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// fetcher makes visits while the lease holds, and takes turns with other shards at addresses.
type fetcher struct {
	Web
	shard *shard
}

// later is when a visit is tried again that may not begin now.
const later = time.Second

// Fetch makes a visit.
func (f *fetcher) Fetch(ctx context.Context, r crawl.Request) (o sitegraph.Observation, err error) {
	s := f.shard.session
	if !s.member.Holds(time.Now()) {
		return o, &crawl.Wait{Until: s.now().Add(later)}
	}
	if address := f.Locate(ctx, r.Record.URL); address != "" {
		ok, until, err := s.addresses.Enter(ctx, address)
		if ctx.Err() != nil && !ok {
			return o, ctx.Err()
		} else if err != nil {
			return o, &crawl.LocalError{Err: fmt.Errorf("no answer of the other nodes: %w", err)}
		} else if !ok {
			return o, &crawl.Wait{Until: f.shift(until)}
		}
		var notBefore time.Time // by the clock of this machine
		defer func() { s.addresses.Leave(address, notBefore) }()
		o, err = f.Web.Fetch(ctx, r)
		notBefore = o.NotBefore
		return f.corrected(o, err)
	}
	return f.corrected(f.Web.Fetch(ctx, r))
}

// corrected is an outcome by the clock of all nodes.
func (f *fetcher) corrected(o sitegraph.Observation, err error) (sitegraph.Observation, error) {
	var wait *crawl.Wait
	if errors.As(err, &wait) {
		err = &crawl.Wait{Until: f.shift(wait.Until), Scheme: wait.Scheme}
	}
	o.Time, o.NotBefore = f.shift(o.Time), f.shift(o.NotBefore)
	return o, err
}

// Silent is false: nodes do not know of each other whether they asked.
func (f *fetcher) Silent() bool { return false }

// Resume is told by the loop, by the clock of all nodes.
func (f *fetcher) Resume(asked time.Time) {
	if r, ok := f.Web.(crawl.Resumer); ok {
		r.Resume(asked.Add(-time.Duration(f.shard.offset.Load())))
	}
}

// shift is a time by the clock of this machine in that of all nodes.
func (f *fetcher) shift(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(time.Duration(f.shard.offset.Load()))
}

// Keep is called before each commit: links to other shards become durable with the visits that
// found them.
func (f *fetcher) Keep(save func(name string, value []byte) error) error {
	if err := f.shard.outbox.Save(save); err != nil {
		return err
	}
	return f.Web.Keep(save)
}
