package eval

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// SweepOn runs the snapshot protocol for one policy in another world, measured against the recorded
// truth. The base crawl of that world must have been made with Crawl. Only the first threshold
// counts.
//
// Sweeps compare with the copies of the base, and never change the graph. So only the clock of the
// stage changes, and it can serve any number of sweeps. After an error the store holds what was
// seen by then.
func (c *Dataset) SweepOn(
	ctx context.Context,
	stage Stage,
	o SnapshotOptions,
	policy string,
) (SnapshotResult, error) {
	if err := c.sameCrawl(stage.Graph); err != nil {
		return SnapshotResult{}, err
	}
	h := c.newHorizon(o.Weeks)
	if err := h.inWindow(); err != nil {
		return SnapshotResult{}, err
	}
	var visited []sitegraph.PageID
	log := stage.Log
	stage.Log = func(e *crawl.Event) {
		visited = append(visited, e.Visit.Page)
		if log != nil {
			log(e)
		}
	}
	r, err := h.sweepOn(ctx, stage, sweepsOf([]string{policy}, o.Thresholds)[0], o)
	if err != nil {
		return SnapshotResult{}, err
	}
	return r, stage.forget(visited)
}

// forget resets pages in the store to what the base crawl saw.
func (s *Stage) forget(pages []sitegraph.PageID) error {
	for _, p := range pages {
		if err := s.Store.Save(&s.Records[p]); err != nil {
			return fmt.Errorf("save record of %s: %w", s.Graph.URL(p), err)
		}
	}
	if err := s.Store.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// sameCrawl checks that a stage's pages have the numbers of the Dataset: its crawl met them in the
// same order.
func (c *Dataset) sameCrawl(g *sitegraph.Graph) error {
	if g.Pages() != c.graph.Pages() {
		return fmt.Errorf(
			"the base crawl of this world knows %d pages, that of the histories %d",
			g.Pages(),
			c.graph.Pages(),
		)
	}
	for p := range sitegraph.PageID(g.Pages()) {
		if g.URL(p) != c.graph.URL(p) {
			return fmt.Errorf(
				"page %d of the base crawl is %s in this world and %s in the histories",
				p,
				g.URL(p),
				c.graph.URL(p),
			)
		}
	}
	return nil
}

// sweepOn lets a policy choose on a stage, and measures the result.
func (h *horizon) sweepOn(
	ctx context.Context,
	stage Stage,
	s sweepOf,
	o SnapshotOptions,
) (SnapshotResult, error) {
	order, err := h.visits(ctx, stage, s, o)
	if err != nil {
		return SnapshotResult{}, err
	}
	return h.resultOf(s, o, order), nil
}

// recorded returns a stage of the recorded world for one sweep. All stages share the graph of the
// horizon, because sweeps do not change the graph.
func (h *horizon) recorded() Stage {
	store := h.store.Clone()
	return Stage{Graph: h.graph, Store: store, Fetcher: &history.Fetcher{World: h.World},
		Clock: crawl.NewVirtualClock(h.at), Records: store.Records()}
}

// visits lets a policy choose on a stage, and returns its visits in order.
func (h *horizon) visits(ctx context.Context, stage Stage, s sweepOf, o SnapshotOptions) (
	[]fetched, error) {
	pages := remembered(stage.Graph, stage.Records)
	oracle := func(p sitegraph.PageID) bool { return h.changed[p] }
	policy, err := policy.New(
		s.policy,
		policy.Settings{
			Pages:        pages,
			Mode:         planner.Sweep,
			Seed:         o.Seed,
			Alpha:        o.Alpha,
			Oracle:       oracle,
			TrueRate:     h.trueRate(),
			PreviousRate: h.previousRate,
			Sample:       cmp.Or(o.Sample, 5),
			Threshold:    s.threshold,
			Programs:     h.programs,
		},
	)
	if err != nil {
		return nil, err
	}
	defer endPolicy(policy)
	outside := func(p sitegraph.PageID) bool { return !h.isBase[p] || h.vanished[p] }
	order := make([]fetched, 0, h.totals.Pages)
	loop := crawl.New(crawl.Options{
		Planner: planner.New(pages, policy, planner.Options{Skip: outside}),
		Fetcher: stage.Fetcher,
		Store:   stage.Store, Clock: stage.Clock, Change: h.Change, Forecast: stage.Forecast,
		Seen: func(e *crawl.Event) {
			order = append(order,
				fetched{h.server(e.Visit.Page), e.Verdict == sitegraph.VerdictChanged})
			if stage.Log != nil {
				stage.Log(e)
			}
		},
	})
	if err := stage.Clock.SleepUntil(ctx, h.at); err != nil {
		return nil, err
	}
	return order, roundBy(
		ctx,
		loop,
		policy,
		planner.Round{Number: 1, Start: h.Base, End: h.at, Budget: planner.Unlimited},
	)
}

// roundBy makes a round, and returns an error of the policy.
func roundBy(ctx context.Context, loop *crawl.Loop, by planner.Policy, r planner.Round) error {
	err := loop.Round(ctx, r)
	if p, ok := by.(interface{ Err() error }); ok && err == nil {
		err = p.Err()
	}
	return err
}

// endPolicy ends the processes of a policy.
func endPolicy(p planner.Policy) {
	if c, ok := p.(io.Closer); ok {
		c.Close() // its decisions are known
	}
}

// inWindow returns an error for a fetch time beyond all histories.
func (h *horizon) inWindow() error {
	if !h.at.After(windowEnd) {
		return nil
	}
	return fmt.Errorf(
		"%d weekly snapshots from week %d on reach beyond the window of %d weeks; choose fewer "+
			"weeks or an earlier base",
		h.at.Sub(h.Base)/week+1,
		h.Base.Sub(history.WorldEpoch)/week,
		WindowWeeks,
	)
}
