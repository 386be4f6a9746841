package cluster

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/planner/nodes"
	"github.com/recrawl/recrawl/sitegraph"
)

// web is one that nobody serves. Page n of a server leads to pages 2n+1 and 2n+2, and the first
// page of each to those of ten other servers.
type web struct {
	order
	begin           sync.Once
	begun           chan struct{}  // closed: visits may begin
	visits, known   atomic.Int64   // visits; servers whose first page was visited
	filled, filling atomic.Int64   // pages that were made known at the beginning; nanoseconds
	first, last     []atomic.Int64 // as told
}

func pageOf(server, n int) string { return fmt.Sprintf("http://s%d.example/%d", server, n) }

func (*web) Locate(_ context.Context, url string) string { return sitegraph.ServerName(url) }
func (*web) Permits(string) (bool, bool)                 { return true, true }
func (*web) Recall(string, func(string) ([]byte, bool, error)) error {
	return nil
}
func (*web) Keep(func(string, []byte) error) error { return nil }

// Fetch makes a visit.
func (w *web) Fetch(ctx context.Context, r cycle.Request) (o sitegraph.Observation, err error) {
	if w.Known > 0 {
		select {
		case <-w.begun:
		case <-ctx.Done():
			return o, ctx.Err()
		}
	}
	if err := (cycle.WallClock{}).SleepUntil(ctx, time.Now().Add(w.Visit)); err != nil {
		return o, err
	}
	w.visits.Add(1)
	now, shard := time.Now().UnixMilli(), nodes.ShardOf(r.Record.URL, w.Shards)
	w.first[shard].CompareAndSwap(0, now)
	w.last[shard].Store(now)
	var server, n int
	if _, err := fmt.Sscanf(r.Record.URL, "http://s%d.example/%d", &server, &n); err != nil {
		return o, fmt.Errorf("page %s: %w", r.Record.URL, err)
	}
	if n == 0 && r.Record.History.Visits == 0 {
		w.known.Add(1)
	}
	o = sitegraph.Observation{Time: time.Now(), Outcome: sitegraph.OutcomeFetched, Status: 200,
		LinksKnown: true, Elapsed: w.Visit,
		Digests: sitegraph.Digests{Bytes: sitegraph.DigestOf([]byte(r.Record.URL))}}
	for _, next := range []int{2*n + 1, 2*n + 2} {
		if next < w.Pages {
			o.Links = append(o.Links, pageOf(server, next))
		}
	}
	for i := range 10 {
		if next := server*10 + i + 1; n == 0 && next < w.Servers {
			o.Links = append(o.Links, pageOf(next, 0))
		}
	}
	return o, nil
}
