package eval

import (
	"context"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// WarmRun compares streams that begin with captures of the past, as import takes them from an
// archive, with those that begin with only one copy of each page.
type WarmRun struct {
	Corpus StreamTotals `json:"corpus"`
	Base   int          `json:"base"`
	Weeks  int          `json:"weeks"`
	Before int          `json:"before"` // weeks of captures before the base
	Change string       `json:"change"`
	Seed   uint64       `json:"seed"`
	Starts []WarmStart  `json:"starts"`
}

// WarmStart is the gain by captures for one policy and budget: Value is the coverage of the stream
// with them, Other that of the cold one.
type WarmStart struct {
	Policy string  `json:"policy"`
	Budget float64 `json:"budget"`
	Every  int     `json:"every"` // weeks between two captures of a page
	Paired
	// Alone compares with a start that has only the URLs of the pages: its first visit to a page
	// finds no change, because there is no copy.
	Alone Paired `json:"against_addresses_alone"`
}

// Warm runs each stream cold, and with captures of the weeks before the base: one of each page
// every number of weeks in every. Captures become the past of a page like in an import: by
// Record.Apply, with digests that are comparable to those of visits, as in WARC files. The base
// must be at least before weeks after the start of the window. tick is as for Streams.
func (c *Dataset) Warm(ctx context.Context, all []StreamOptions, before int, every []int,
	policies []string, atOnce int, tick func(Progress)) (*WarmRun, error) {
	for i := range all {
		all[i].Spread, all[i].Compare, all[i].Without = true, "", nil
	}
	cold, err := c.withPast(0, 1).Streams(ctx, all, policies, atOnce, tick)
	if err != nil {
		return nil, err
	}
	alone, err := c.withAddresses().Streams(ctx, all, policies, atOnce, tick)
	if err != nil {
		return nil, err
	}
	first := cold[0]
	run := &WarmRun{Corpus: first.Corpus, Base: first.Base, Weeks: first.Weeks, Before: before,
		Change: first.Change, Seed: first.Seed}
	for _, n := range every {
		warm, err := c.withPast(before, n).Streams(ctx, all, policies, atOnce, tick)
		if err != nil {
			return nil, err
		}
		for i := range warm {
			for k := range policies {
				against := func(b *StreamResult) Paired {
					a := &warm[i].Results[k]
					return Paired{Value: a.Coverage, Other: b.Coverage, values: a.draws[Coverage],
						others: b.draws[Coverage]}.filled()
				}
				run.Starts = append(run.Starts, WarmStart{policies[k], warm[i].Budget, n,
					against(&cold[i].Results[k]), against(&alone[i].Results[k])})
			}
		}
	}
	slices.SortStableFunc(run.Starts, func(a, b WarmStart) int {
		return slices.Index(policies, a.Policy) - slices.Index(policies, b.Policy)
	})
	return run, nil
}

// withPast returns the corpus with a capture of each page every number of weeks before the base; 0
// means none. The base crawl is unchanged.
func (c *Dataset) withPast(before, every int) *Dataset {
	with := *c
	with.store, with.history = c.store.Clone(), before
	for _, p := range c.Pages {
		r := &with.store.Records()[p]
		if before > 0 {
			with.lookBack(r, before, every)
		} else {
			r.History = sitegraph.Start(c.Base)
		}
	}
	return &with
}

// withAddresses returns the corpus of a planner that knows the pages and has visited none.
func (c *Dataset) withAddresses() *Dataset {
	with := *c
	with.store, with.history = c.store.Clone(), 0
	records := with.store.Records()
	for _, p := range c.Pages {
		r := &records[p]
		*r = sitegraph.Record{Page: r.Page, URL: r.URL, Referer: r.Referer,
			State: sitegraph.StateNew, Hops: r.Hops}
	}
	return &with
}
