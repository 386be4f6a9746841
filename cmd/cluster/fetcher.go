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

// later is the pause before a visit that may not begin now is tried again.
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

// corrected corrects the times of an outcome to the clock of all nodes.
func (f *fetcher) corrected(o sitegraph.Observation, err error) (sitegraph.Observation, error) {
	var wait *crawl.Wait
	if errors.As(err, &wait) {
		err = &crawl.Wait{Until: f.shift(wait.Until), Scheme: wait.Scheme}
	}
	o.Time, o.NotBefore = f.shift(o.Time), f.shift(o.NotBefore)
	return o, err
}

// Silent is false: nodes do not know whether other nodes asked.
func (f *fetcher) Silent() bool { return false }

// Resume takes in the time of the last request, by the clock of all nodes.
func (f *fetcher) Resume(asked time.Time) {
	if r, ok := f.Web.(crawl.Resumer); ok {
		r.Resume(asked.Add(-time.Duration(f.shard.offset.Load())))
	}
}

// shift turns a time by the clock of this machine into one by the clock of all nodes.
func (f *fetcher) shift(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(time.Duration(f.shard.offset.Load()))
}

// Keep makes links to other shards durable with the visits that found them. The loop calls it
// before each commit.
func (f *fetcher) Keep(save func(name string, value []byte) error) error {
	if err := f.shard.outbox.Save(save); err != nil {
		return err
	}
	return f.Web.Keep(save)
}
