package eval

import (
	"context"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// WarmRun compares streams that begin with captures of the past, as import takes them from an
// archive, with the same ones that begin with nothing but one copy of each page.
type WarmRun struct {
	Corpus StreamTotals `json:"corpus"`
	Base   int          `json:"base"`
	Weeks  int          `json:"weeks"`
	Before int          `json:"before"` // weeks of captures before the base
	Change string       `json:"change"`
	Seed   uint64       `json:"seed"`
	Starts []WarmStart  `json:"starts"`
}

// WarmStart is what captures are worth to one policy at one budget: Value is the coverage of the
// stream that begins with them, Other that of the cold one.
type WarmStart struct {
	Policy string  `json:"policy"`
	Budget float64 `json:"budget"`
	Every  int     `json:"every"` // weeks between two captures of a page
	Paired
	// Alone is the same beside a start that knows the addresses of the pages alone: its first visit
	// to a page finds no change, as it has no copy.
	Alone Paired `json:"against_addresses_alone"`
}

// Warm runs each stream cold, and with captures of the weeks before the base, one of each page
// every so many weeks. Captures become the past of a page as import makes them: by Record.Apply,
// with digests that can be compared to those of visits, as those of WARC files are. The base must
// be that many weeks after the start of the window, or more. tick is as for Streams.
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

// withPast is the corpus with a capture of each page every so many weeks before the base; none of 0
// weeks. What the base crawl knows of it stays the same.
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

// withAddresses is the corpus of one who knows which pages there are, and has visited none.
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
