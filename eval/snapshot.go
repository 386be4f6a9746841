package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval/cores"
	"github.com/recrawl/recrawl/eval/replay"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/sitegraph"
)

// SnapshotRun is one horizon of the snapshot protocol.
type SnapshotRun struct {
	Protocol string           `json:"protocol"` // "snapshot"
	Corpus   SnapshotTotals   `json:"corpus"`
	Base     int              `json:"base"`    // weeks after the window's start
	Weeks    int              `json:"weeks"`   // N: weekly snapshots; N-1 comparisons
	History  int              `json:"history"` // weekly states before the base shown to policies
	Budget   Number           `json:"budget"`  // null: a sweep has none
	New      Number           `json:"new"`     // null
	Change   string           `json:"change"`
	Seed     uint64           `json:"seed"`
	Results  []SnapshotResult `json:"results"`

	// ChangedWeekly counts the pages that changed in at least one weekly comparison (reading
	// R1 of [LINK 3]), whatever they hold at the fetch time. For the report alone.
	ChangedWeekly int `json:"-"`
}

// SnapshotTotals describe a horizon.
type SnapshotTotals struct {
	Servers  int `json:"servers"`
	Pages    int `json:"pages"` // base pages still alive at the fetch time
	Changed  int `json:"changed"`
	Vanished int `json:"vanished"`
}

// SnapshotResult is how one policy did.
type SnapshotResult struct {
	Policy         string       `json:"policy"`
	Threshold      float64      `json:"threshold,omitempty"` // least server rate; policies by servers only
	Fetched        int          `json:"fetched"`
	ChangedFetched int          `json:"changed_fetched"`
	UpdateRate     Number       `json:"update_rate"`
	Coverage       Number       `json:"coverage"`
	AUC            Number       `json:"auc"`
	Gain           Number       `json:"gain"`
	GainInServers  Number       `json:"gain_in_servers"`
	Curve          [][2]float64 `json:"curve"` // [fetched/pages, coverage], thinned to 200 steps
	Spread         *Spread      `json:"spread,omitempty"`
}

// fetched is one visit of a sweep: all that the measures need.
type fetched struct {
	server  sitegraph.ServerID
	changed bool
}

// horizon is the truth about one fetch time.
type horizon struct {
	*Corpus
	at       time.Time
	changed  []bool // by page
	vanished []bool // by page
	totals   SnapshotTotals
	alive    []int // by server: base pages still there
	updated  []int // by server: changed ones of these
}

// newHorizon compares the base with the state weeks-1 weeks later: what one fetch can see.
func (c *Corpus) newHorizon(weeks int) *horizon {
	h := &horizon{Corpus: c, at: c.Base.Add(time.Duration(weeks-1) * week),
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

// changedWeekly reports whether a page differs between two weekly snapshots in a row.
func (c *Corpus) changedWeekly(p sitegraph.PageID, weeks int) bool {
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

// SnapshotOptions of a run.
type SnapshotOptions struct {
	Weeks  int // N
	Seed   uint64
	Spread bool
	Sample int // pages sampled a server by server-sample; 5 if not set
	// Thresholds are least server rates: policies by servers run once for each. Empty: 0.
	Thresholds []float64
}

// Snapshot runs the snapshot protocol for one horizon.
func (c *Corpus) Snapshot(ctx context.Context, o SnapshotOptions, policies []string, tick func()) (SnapshotRun, error) {
	h := c.newHorizon(o.Weeks)
	if h.at.After(windowEnd) {
		return SnapshotRun{}, fmt.Errorf("%d weekly snapshots from week %.0f on reach beyond the window of %d weeks; choose fewer weeks or an earlier base",
			o.Weeks, c.Base.Sub(replay.Epoch).Hours()/24/7, windowWeeks)
	}
	entries := sweepsOf(policies, o.Thresholds)
	weekly := 0
	for _, p := range c.Pages {
		if !h.vanished[p] && c.changedWeekly(p, o.Weeks) {
			weekly++
		}
	}
	run := SnapshotRun{Protocol: "snapshot", Budget: Number(math.NaN()), New: Number(math.NaN()), Corpus: h.totals, Weeks: o.Weeks, History: c.history, Change: c.Change.String(), Seed: o.Seed,
		Base: int(c.Base.Sub(replay.Epoch) / week), Results: make([]SnapshotResult, len(entries)), ChangedWeekly: weekly}
	err := cores.Try(len(entries), func(i int) error {
		order, err := h.sweep(ctx, entries[i], o)
		if err != nil {
			return err
		}
		run.Results[i] = h.measure(entries[i].policy, order)
		run.Results[i].Threshold = entries[i].threshold
		if o.Spread {
			run.Results[i].Spread = spreadOf(h.tallies(order), o.Seed)
		}
		if tick != nil {
			tick()
		}
		return nil
	})
	return run, err
}

// sweepOf is one sweep to make.
type sweepOf struct {
	policy    string
	threshold float64
}

// sweepsOf repeats the policies by servers for each threshold.
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

// sweep lets a policy choose and returns the visits in order.
func (h *horizon) sweep(ctx context.Context, s sweepOf, o SnapshotOptions) ([]fetched, error) {
	corpus := remembered(h.graph, h.store.Records())
	policy, err := planner.NewPolicy(s.policy, planner.Settings{Corpus: corpus, Mode: planner.Sweep, Seed: o.Seed,
		Oracle:       func(p sitegraph.PageID) bool { return h.changed[p] },
		PreviousRate: h.previousRate, Sample: cmp.Or(o.Sample, 5), Threshold: s.threshold})
	if err != nil {
		return nil, err
	}
	outside := func(p sitegraph.PageID) bool { return !h.isBase[p] || h.vanished[p] }
	order := make([]fetched, 0, h.totals.Pages)
	loop := cycle.New(cycle.Options{
		Planner: planner.New(corpus, policy, planner.Options{Skip: outside}), Fetcher: &replay.Fetcher{World: h.World},
		Store: h.store.Clone(), Clock: cycle.NewVirtualClock(h.at), Change: h.Change,
		Seen: func(e *cycle.Event) {
			order = append(order, fetched{h.server(e.Visit.Page), e.Verdict == sitegraph.VerdictChanged})
		},
	})
	return order, loop.Round(ctx, planner.Round{Number: 1, Start: h.Base, End: h.at, Budget: planner.Unlimited})
}

// previousRate is the share of a server's base pages that changed in the window before the
// base: of the same length as the horizon, at most what there is.
func (h *horizon) previousRate(s sitegraph.ServerID) float64 {
	window := min(h.at.Sub(h.Base), h.Base.Sub(replay.Epoch))
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

// measure computes what is reported of an order of visits.
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

// tallies are the servers' parts in a result.
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

// gainInServers is the mean, over servers where some but not all pages changed, of the gain
// of the same order restricted to that server.
func (h *horizon) gainInServers(order []fetched) Number {
	per := make([][]fetched, len(h.alive))
	for _, f := range order {
		per[f.server] = append(per[f.server], f)
	}
	var sum float64
	var n int
	for s, visits := range per {
		if h.updated[s] > 0 && h.updated[s] < h.alive[s] {
			sum += float64(gain(auc(visits, h.alive[s], h.updated[s]), h.alive[s], h.updated[s]))
			n++
		}
	}
	return ratio(sum, float64(n))
}

// auc is the area under coverage against fetched share, trapezoids from (0,0); after the
// last visit a straight line leads to (1,1). Undefined if no page changed.
func auc(order []fetched, pages, changed int) Number {
	if pages == 0 || changed == 0 {
		return Number(math.NaN())
	}
	var area float64 // in units of a page times a changed page
	found := 0
	for _, f := range order {
		before := found
		if f.changed {
			found++
		}
		area += float64(before+found) / 2
	}
	area += float64(pages-len(order)) * float64(found+changed) / 2
	return Number(area / float64(pages) / float64(changed))
}

// gain relates an AUC to that of the clairvoyant, which finds all changed pages first:
// 1 - changed / (2 pages). Undefined where there is nothing to gain.
func gain(auc Number, pages, changed int) Number {
	if changed == 0 || changed == pages {
		return Number(math.NaN())
	}
	best := 1 - float64(changed)/float64(2*pages)
	return Number((float64(auc) - 0.5) / (best - 0.5))
}

// curve is the path of coverage against fetched share in at most points steps; after the last
// visit a straight line leads to (1,1).
func curve(order []fetched, pages, changed, points int) [][2]float64 {
	path := [][2]float64{{0, 0}}
	if pages == 0 || changed == 0 {
		return path
	}
	step := (len(order) + points - 1) / points
	found := 0
	for i, f := range order {
		if f.changed {
			found++
		}
		if (i+1)%step == 0 || i == len(order)-1 {
			path = append(path, [2]float64{float64(i+1) / float64(pages), float64(found) / float64(changed)})
		}
	}
	if len(order) < pages {
		path = append(path, [2]float64{1, 1})
	}
	return path
}
