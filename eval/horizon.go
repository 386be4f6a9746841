package eval

import (
	"context"
	"iter"

	"github.com/recrawl/recrawl/sitegraph"
)

// Horizon is a fetch time of the snapshot protocol, for other counts than those of Snapshot: by
// server, by depth, up to a number of visits. Goroutines may share it.
type Horizon struct{ truth *horizon }

// Horizon returns the truth at the fetch time, weeks-1 weeks after the base.
func (c *Dataset) Horizon(weeks int) (*Horizon, error) {
	h := c.newHorizon(weeks)
	if err := h.inWindow(); err != nil {
		return nil, err
	}
	return &Horizon{h}, nil
}

// Totals returns the totals as in a SnapshotRun.
func (h *Horizon) Totals() SnapshotTotals { return h.truth.totals }

// Alive reports whether p is a base page that still exists at the fetch time.
func (h *Horizon) Alive(p sitegraph.PageID) bool {
	return h.truth.IsBase(p) && !h.truth.vanished[p]
}

// Changed reports whether a fetch of p would find a change.
func (h *Horizon) Changed(p sitegraph.PageID) bool { return h.truth.changed[p] }

// Sweep is the sweep of one policy.
type Sweep struct {
	Result SnapshotResult
	truth  *horizon
	order  []fetched
}

// Sweep lets a policy choose, like Snapshot. It ignores o.Weeks, and uses only the first threshold.
func (h *Horizon) Sweep(ctx context.Context, o SnapshotOptions, policy string) (*Sweep, error) {
	s := sweepsOf([]string{policy}, o.Thresholds)[0]
	order, err := h.truth.sweep(ctx, s, o)
	if err != nil {
		return nil, err
	}
	return &Sweep{h.truth.resultOf(s, o, order), h.truth, order}, nil
}

// Tally is the part of a server in a sweep.
type Tally struct {
	Pages, Changed int // alive at the fetch time
	Fetched, Found int // visits, and changed pages among them
}

// ByServer returns the parts of the servers, by ServerID.
func (s *Sweep) ByServer() []Tally {
	all := make([]Tally, len(s.truth.alive))
	for i, t := range s.truth.tallies(s.order) {
		all[i] = Tally{Pages: s.truth.alive[i], Changed: t.all, Fetched: t.fetched, Found: t.found}
	}
	return all
}

// GainByServer returns the gain of the sweep restricted to each server, by ServerID; NaN if no page
// or every page changed.
func (s *Sweep) GainByServer() []Number { return s.truth.gainByServer(s.order) }

// Visits yields the visits in order: the server, and whether the visit found a change.
func (s *Sweep) Visits() iter.Seq2[sitegraph.ServerID, bool] {
	return func(yield func(sitegraph.ServerID, bool) bool) {
		for _, f := range s.order {
			if !yield(f.server, f.changed) {
				return
			}
		}
	}
}

// Found counts the changed pages among the first k visits.
func (s *Sweep) Found(k int) int {
	found := 0
	for _, f := range s.order[:min(k, len(s.order))] {
		if f.changed {
			found++
		}
	}
	return found
}
