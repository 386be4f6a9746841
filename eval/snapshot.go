package eval

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph"
)

// SnapshotRun is one horizon of the snapshot protocol.
type SnapshotRun struct {
	Protocol string           `json:"protocol"` // "snapshot"
	Corpus   SnapshotTotals   `json:"corpus"`
	Base     int              `json:"base"`    // weeks after the start of the window
	Weeks    int              `json:"weeks"`   // N: weekly snapshots; N-1 comparisons
	History  int              `json:"history"` // weekly states before the base that policies see
	Budget   Number           `json:"budget"`  // null: a sweep has none
	New      Number           `json:"new"`     // null
	Change   string           `json:"change"`
	Seed     uint64           `json:"seed"`
	Results  []SnapshotResult `json:"results"`
	// Absent lists evidence that these policies use and histories lack: "feed", "sitemap",
	// "last-modified"; or is nil.
	Absent []string `json:"absent,omitempty"`
	// Comparison compares one policy with the others, if requested.
	Comparison *Comparison `json:"comparison,omitempty"`

	// ChangedWeekly counts the pages that changed in at least one weekly comparison (reading R1 of
	// [LINK 3]), whatever their content at the fetch time. Only the report uses it.
	ChangedWeekly int `json:"-"`
}

// SnapshotTotals describe a horizon.
type SnapshotTotals struct {
	Servers  int `json:"servers"`
	Pages    int `json:"pages"` // base pages still alive at the fetch time
	Changed  int `json:"changed"`
	Vanished int `json:"vanished"`
}

// SnapshotResult is the result of one policy.
type SnapshotResult struct {
	Policy string `json:"policy"`
	// Threshold is the least server rate; for policies by servers only.
	Threshold      float64      `json:"threshold,omitempty"`
	Fetched        int          `json:"fetched"`
	ChangedFetched int          `json:"changed_fetched"`
	UpdateRate     Number       `json:"update_rate"`
	Coverage       Number       `json:"coverage"`
	AUC            Number       `json:"auc"`
	Gain           Number       `json:"gain"`
	GainInServers  Number       `json:"gain_in_servers"`
	Curve          [][2]float64 `json:"curve"` // [fetched/pages, coverage], thinned to 200 steps
	Spread         Spread       `json:"spread,omitempty"`

	draws draws // nil unless servers were resampled
}

// Measure returns one of SnapshotMeasures.
func (r *SnapshotResult) Measure(name string) Number {
	return map[string]Number{Gain: r.Gain, GainInServers: r.GainInServers, Coverage: r.Coverage,
		UpdateRate: r.UpdateRate}[name]
}

// Interval returns the spread of a measure, undefined without resampling.
func (r *SnapshotResult) Interval(measure string) [2]Number { return r.draws.interval(measure) }

// fetched is one visit of a sweep, with what the measures need.
type fetched struct {
	server  sitegraph.ServerID
	changed bool
}

// horizon is the truth at one fetch time.
type horizon struct {
	*Dataset
	at       time.Time
	changed  []bool // by page
	vanished []bool // by page
	totals   SnapshotTotals
	alive    []int // by server: living base pages
	updated  []int // by server: those of them that changed
}

// newHorizon compares the base with the state weeks-1 weeks later: what one fetch can find.
func (c *Dataset) newHorizon(weeks int) *horizon {
	h := &horizon{Dataset: c, at: c.Base.Add(time.Duration(weeks-1) * week),
		changed: make([]bool, len(c.isBase)), vanished: make([]bool, len(c.isBase)),
		alive: make([]int, c.graph.Servers()), updated: make([]int, c.graph.Servers())}
	h.totals.Servers = len(c.World.Servers)
	for _, p := range c.Pages {
		o := c.World.Observe(c.graph.URL(p), h.at)
		if o.Outcome != sitegraph.OutcomeFetched {
			h.vanished[p] = true
			h.totals.Vanished++
			continue
		}
		h.totals.Pages++
		h.alive[c.server(p)]++
		if c.store.Records()[p].Digests.Differ(o.Digests, c.Change) {
			h.changed[p] = true
			h.totals.Changed++
			h.updated[c.server(p)]++
		}
	}
	return h
}

// changedWeekly reports whether a page differs between two consecutive weekly snapshots.
func (c *Dataset) changedWeekly(p sitegraph.PageID, weeks int) bool {
	url := c.graph.URL(p)
	last := c.store.Records()[p].Digests
	for w := 1; w < weeks; w++ {
		o := c.World.Observe(url, c.Base.Add(time.Duration(w)*week))
		if o.Outcome != sitegraph.OutcomeFetched {
			continue
		}
		if last.Differ(o.Digests, c.Change) {
			return true
		}
		last = o.Digests
	}
	return false
}

// SnapshotOptions configure a run.
type SnapshotOptions struct {
	Weeks  int // N
	Seed   uint64
	Spread bool
	// Compare names the policy to compare with the others, or is "". Without lists its variants
	// among the policies, each with a part switched off.
	Compare string
	Without []string
	Alpha   float64 // for gamma
	Sample  int     // pages that server-sample samples for each server; default 5
	// Thresholds are least server rates: policies by servers run once for each. Empty means 0.
	Thresholds []float64
}

// Snapshot runs the snapshot protocol for one horizon.
func (c *Dataset) Snapshot(
	ctx context.Context,
	o SnapshotOptions,
	policies []string,
	tick func(),
) (SnapshotRun, error) {
	h := c.newHorizon(o.Weeks)
	if err := h.inWindow(); err != nil {
		return SnapshotRun{}, err
	}
	entries := sweepsOf(policies, o.Thresholds)
	weekly := 0
	for _, p := range c.Pages {
		if !h.vanished[p] && c.changedWeekly(p, o.Weeks) {
			weekly++
		}
	}
	run := SnapshotRun{
		Protocol:      "snapshot",
		Budget:        Number(math.NaN()),
		New:           Number(math.NaN()),
		Corpus:        h.totals,
		Weeks:         o.Weeks,
		History:       c.history,
		Change:        c.Change.String(),
		Seed:          o.Seed,
		Base:          int(c.Base.Sub(history.WorldEpoch) / week),
		Results:       make([]SnapshotResult, len(entries)),
		ChangedWeekly: weekly,
		Absent:        c.absent(policies),
	}
	err := machine.TryOnCores(len(entries), func(i int) (err error) {
		if run.Results[i], err = h.sweepOn(ctx, h.recorded(), entries[i], o); err != nil {
			return err
		}
		if tick != nil {
			tick()
		}
		return nil
	})
	if err == nil && o.Compare != "" {
		run.Comparison, err = compare(o.Compare, o.Without, SnapshotMeasures, run.contenders())
	}
	return run, err
}

func (r *SnapshotRun) contenders() []contender {
	all := make([]contender, len(r.Results))
	for i := range all {
		result := &r.Results[i]
		all[i] = contender{result.Policy, result.Threshold, valuesOf(result, SnapshotMeasures),
			result.draws}
	}
	return all
}

// valuesOf returns the measures of a result by name.
func valuesOf(r interface{ Measure(string) Number }, measures []string) map[string]Number {
	values := make(map[string]Number, len(measures))
	for _, m := range measures {
		values[m] = r.Measure(m)
	}
	return values
}

// sweepOf is a sweep to make.
type sweepOf struct {
	policy    string
	threshold float64
}

// sweepsOf repeats policies by servers for each threshold.
func sweepsOf(policies []string, thresholds []float64) []sweepOf {
	var all []sweepOf
	for _, p := range policies {
		if len(thresholds) == 0 || !strings.HasPrefix(p, "server-") {
			all = append(all, sweepOf{p, 0})
			continue
		}
		for _, t := range thresholds {
			all = append(all, sweepOf{p, t})
		}
	}
	return all
}

// sweep lets a policy choose in the recorded world, and returns its visits in order.
func (h *horizon) sweep(ctx context.Context, s sweepOf, o SnapshotOptions) ([]fetched, error) {
	return h.visits(ctx, h.recorded(), s, o)
}

// previousRate returns the share of a server's base pages that changed in a window that ends at the
// base. It is as long as the horizon, or as the history if that is shorter.
func (h *horizon) previousRate(s sitegraph.ServerID) float64 {
	window := min(h.at.Sub(h.Base), h.Base.Sub(history.WorldEpoch))
	var pages, changed int
	for _, p := range h.graph.ServerPages(s) {
		if !h.IsBase(p) {
			continue
		}
		before := h.World.Observe(h.graph.URL(p), h.Base.Add(-window))
		if before.Outcome != sitegraph.OutcomeFetched {
			continue
		}
		pages++
		if before.Digests.Differ(h.store.Records()[p].Digests, h.Change) {
			changed++
		}
	}
	return max(float64(ratio(changed, max(pages, 1))), 0)
}

// resultOf computes the result of a sweep.
func (h *horizon) resultOf(s sweepOf, o SnapshotOptions, order []fetched) SnapshotResult {
	r := h.measure(s.policy, order)
	r.Threshold = s.threshold
	if o.Spread || o.Compare != "" {
		corpora := resampled(len(h.updated), o.Seed)
		r.draws = draws{}
		r.draws.addTallies(corpora, h.tallies(order))
		h.drawGains(r.draws, corpora, order)
	}
	if o.Spread {
		r.Spread = r.draws.spread()
	}
	return r
}

// measure computes the measures of an order of visits.
func (h *horizon) measure(name string, order []fetched) SnapshotResult {
	r := SnapshotResult{Policy: name, Fetched: len(order)}
	for _, f := range order {
		if f.changed {
			r.ChangedFetched++
		}
	}
	r.UpdateRate = ratio(r.ChangedFetched, r.Fetched)
	r.Coverage = ratio(r.ChangedFetched, h.totals.Changed)
	r.AUC = auc(order, h.totals.Pages, h.totals.Changed)
	r.Gain = gain(r.AUC, h.totals.Pages, h.totals.Changed)
	r.GainInServers = h.gainInServers(order)
	r.Curve = curve(order, h.totals.Pages, h.totals.Changed, 200)
	return r
}

// tallies returns the parts of the servers in a result.
func (h *horizon) tallies(order []fetched) []tally {
	tallies := make([]tally, len(h.updated))
	for s := range tallies {
		tallies[s].all = h.updated[s]
	}
	for _, f := range order {
		tallies[f.server].fetched++
		if f.changed {
			tallies[f.server].found++
		}
	}
	return tallies
}
