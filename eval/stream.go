package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// StreamRun is one budget of the stream protocol.
type StreamRun struct {
	Protocol string       `json:"protocol"` // "stream"
	Corpus   StreamTotals `json:"corpus"`
	Base     int          `json:"base"`
	Weeks    int          `json:"weeks"`
	History  int          `json:"history"`
	Budget   float64      `json:"budget"` // share of the base pages to fetch a day
	// StepHours is the length of a round.
	StepHours float64 `json:"step_hours"`
	New       float64 `json:"new"` // share of a day's budget for first visits
	// LeastValue is the least worth of a visit; 0: any.
	LeastValue float64 `json:"least_value,omitempty"`
	Change     string  `json:"change"`
	Seed       uint64  `json:"seed"`
	// Runs of each policy have the seeds from Seed on; results are their means. 0 means one.
	Runs    int            `json:"runs,omitempty"`
	Results []StreamResult `json:"results"`
	// Absent lists evidence that these policies use and histories lack: "feed", "sitemap",
	// "last-modified"; or is nil.
	Absent []string `json:"absent,omitempty"`
	// Comparison compares one policy with the others, if requested.
	Comparison *Comparison `json:"comparison,omitempty"`
}

// StreamTotals describe a corpus over the weeks.
type StreamTotals struct {
	Servers   int `json:"servers"`
	BasePages int `json:"base_pages"`
	Pages     int `json:"pages"` // base pages and pages born later
	Events    int `json:"events"`
}

// StreamResult is the result of one policy.
type StreamResult struct {
	Policy      string `json:"policy"`
	Fetched     int    `json:"fetched"`
	Refetched   int    `json:"refetched"`
	Changed     int    `json:"changed"`
	UpdateRate  Number `json:"update_rate"`
	Coverage    Number `json:"coverage"`
	Freshness   Number `json:"freshness"`
	MeanAgeDays Number `json:"mean_age_days"`
	// SearchFreshness is the time average of the true share of a search: of its copies, weighed by
	// the listed weights, those that are fresh. A page that is gone counts until a visit finds
	// that. 0: neither weights nor a lag are given.
	SearchFreshness Number `json:"search_freshness,omitempty"`
	// DetectionDelayHours is the mean time from the first change that a copy lacks to the visit
	// that finds it, which sees the page at the end of its round. The median of several runs is the
	// mean of their medians.
	DetectionDelayHours Number `json:"detection_delay_hours"`
	MedianDelayHours    Number `json:"median_detection_delay_hours"`

	Discovered         Number `json:"discovered"` // share of the discoverable new pages
	DiscoveryDelayDays Number `json:"discovery_delay_days"`
	NewFetched         int    `json:"new_fetched"`
	DeletionsFound     Number `json:"deletions_found"` // share of all deletions
	DeletionDelayDays  Number `json:"deletion_delay_days"`
	DeletionVisits     int    `json:"deletion_visits"` // visits because a page was probably gone
	// Unused counts fetches of the budget for which no visit had enough worth
	// (StreamOptions.LeastValue).
	Unused int `json:"unused,omitempty"`
	// Sources counts the visits to feeds and sitemaps among those fetched. Claims has the accuracy
	// of their claims and those of Last-Modified. Histories have none.
	Sources int         `json:"sources,omitempty"`
	Claims  []Claims    `json:"claims,omitempty"`
	Weekly  []WeekPoint `json:"weekly"`
	Spread  Spread      `json:"spread,omitempty"`
	// Runs are the single runs of a mean, if there were several.
	Runs []RunMeasures `json:"runs,omitempty"`
	// Calibration is that of the probabilities of refetches, CalibrationUnvisited that of random
	// pages at each week's end, for policies that can be asked; or nil.
	Calibration          *Calibration `json:"calibration,omitempty"`
	CalibrationUnvisited *Calibration `json:"calibration_unvisited,omitempty"`

	draws              draws       // nil unless servers were resampled
	visited, unvisited reliability // of the calibrations
}

// Measure returns one of StreamMeasures.
func (r *StreamResult) Measure(name string) Number {
	return r.measures(0).measure(name)
}

// Interval returns the spread of a measure, undefined without resampling.
func (r *StreamResult) Interval(measure string) [2]Number { return r.draws.interval(measure) }

// Drawn returns a measure on each resampled corpus, in the order of Resamples, or nil without
// resampling. Callers must not change it.
func (r *StreamResult) Drawn(measure string) []float64 { return r.draws[measure] }

// WeekPoint is one week of a run, for curves over time.
type WeekPoint struct {
	Week       int    `json:"week"`
	UpdateRate Number `json:"update_rate"`
	Coverage   Number `json:"coverage"` // from the base to the week's end
	Freshness  Number `json:"freshness"`

	// Refetched and Changed give the update rate, for means over several weeks.
	Refetched int `json:"-"`
	Changed   int `json:"-"`
}

// StreamOptions configure a run.
type StreamOptions struct {
	Weeks  int
	Step   time.Duration // length of a round, which must divide a day; 0: a day
	Budget float64       // share of the base pages of servers still in their window, a day
	New    float64
	Seed   uint64
	// Runs is the number of runs of each policy, with seeds from Seed on; results are their means;
	// 0: one.
	Runs  int
	Alpha float64 // for gamma
	// Sample is the number of pages that server-sample visits first on each server; 0: one.
	Sample int
	Gone   float64 // worth for sites of finding that a page is gone, in found changes
	// Objective is the objective of sites.
	Objective preferences.Objective
	Spread    bool
	// LeastValue is the least worth of a visit (planner.Options).
	LeastValue float64
	// Limits are further budgets, for example the fetches that a server allows a day.
	Limits budget.Limits
	// Listed has weights of pages, for policies and SearchFreshness, for example how often results
	// show each page; nil: 1 for all.
	Listed *preferences.Listed
	// Lag is the time from a visit until a search shows its result; 0: at once.
	Lag time.Duration
	// Search requests SearchFreshness without Listed and Lag.
	Search bool
	// Compare names the policy to compare with the others, or is "". Without lists its variants
	// among the policies, each with a part switched off.
	Compare string
	Without []string
	// Visits returns functions for one goroutine to call with each visit of a run, and at its end;
	// nil: none.
	Visits func(Progress, *sitegraph.Graph) (seen func(*crawl.Event), end func())

	run int // number among Runs
}

// Stream runs the stream protocol for one budget.
func (c *Dataset) Stream(
	ctx context.Context,
	o StreamOptions,
	policies []string,
	tick func(),
) (StreamRun, error) {
	runs, err := c.Streams(ctx, []StreamOptions{o}, policies, 0, func(Progress) {
		if tick != nil {
			tick()
		}
	})
	if err != nil {
		return StreamRun{}, err
	}
	return runs[0], nil
}

// Stage is a world for a loop: it answers visits and remembers pages. Its graph and store hold the
// base crawl.
type Stage struct {
	Graph   *sitegraph.Graph
	Store   crawl.Store
	Fetcher crawl.Fetcher
	Clock   crawl.Clock
	Records []sitegraph.Record // by page, at the base
	// Forecast stores when a page is due next, and why: see crawl.Options.
	Forecast bool
	// Sources is the share of the budget for visits to feeds and sitemaps; 0: none, as in a
	// recorded world, which has none.
	Sources float64
	Log     func(*crawl.Event) // called with each visit; may be nil
}

// Remember reads the records of the base crawl from the store.
func (s *Stage) Remember() error {
	s.Records = make([]sitegraph.Record, s.Graph.Pages())
	for p := range s.Records {
		if err := s.Store.Load(sitegraph.PageID(p), &s.Records[p]); err != nil {
			return fmt.Errorf("load record of %s: %w", s.Graph.URL(sitegraph.PageID(p)), err)
		}
	}
	return nil
}

// Empty returns a stage of the recorded world without pages, for Crawl.
func (c *Dataset) Empty() Stage {
	return Stage{
		Graph:   sitegraph.NewGraph(),
		Store:   history.NewMemoryStore(),
		Fetcher: &history.Fetcher{World: c.World},
		Clock:   crawl.NewVirtualClock(c.Base),
	}
}

// replayed returns a fresh stage of the recorded world.
func (c *Dataset) replayed() Stage {
	store := c.store.Clone()
	return Stage{Graph: c.graph.Clone(), Store: store, Fetcher: &history.Fetcher{World: c.World},
		Clock: crawl.NewVirtualClock(c.Base), Records: store.Records()}
}

// StreamOn runs the stream protocol for one policy and budget in another world, measured against
// the recorded truth. The base crawl of that world must have been made with Crawl.
func (c *Dataset) StreamOn(
	ctx context.Context,
	stage Stage,
	o StreamOptions,
	policy string,
	tick func(),
) (StreamResult, error) {
	return c.stream(ctx, stage, c.newTruthBy(o.Weeks*7, o.step()), o, policy, tick)
}

// step returns the length of a round.
func (o *StreamOptions) step() time.Duration {
	if o.Step == 0 {
		return day
	}
	return o.Step
}

// stream runs step by step.
func (c *Dataset) stream(
	ctx context.Context,
	stage Stage,
	t *truth,
	o StreamOptions,
	name string,
	tick func(),
) (StreamResult, error) {
	pages := remembered(stage.Graph, stage.Records)
	if policy.WithoutPart(name) != "weights" {
		var w *preferences.Weights
		pages.SetWeights(w.Times(o.Listed))
	}
	m := newMeter(c, t, stage.Graph, &o)
	if o.Spread || o.Compare != "" {
		m.resample(o.Seed)
	}
	grant := budget.Grant{PerDay: o.Budget * float64(len(c.Pages))}
	policy, err := policy.New(
		name,
		policy.Settings{Pages: pages, Mode: planner.Stream, Seed: o.Seed + uint64(o.run),
			Alpha: o.Alpha, Sample: o.Sample, GoneWorth: o.Gone, Objective: o.Objective, Lag: o.Lag,
			PerDay: grant.PerDay, Oracle: m.stale, TrueRate: m.trueRate(),
			Programs: c.programs},
	)
	if err != nil {
		return StreamResult{}, err
	}
	defer endPolicy(policy)
	plan := planner.New(
		pages,
		policy,
		planner.Options{NewShare: o.New, SourceShare: stage.Sources, Skip: m.outside,
			Limits: o.Limits, LeastValue: o.LeastValue},
	)
	unused := 0
	loop := crawl.New(crawl.Options{
		Planner:  plan,
		Fetcher:  stage.Fetcher,
		Store:    stage.Store,
		Clock:    stage.Clock,
		Change:   c.Change,
		Discover: true,
		Forecast: stage.Forecast,
		Found:    m.found,
		Seen: func(e *crawl.Event) {
			m.seen(e)
			if stage.Log != nil {
				stage.Log(e)
			}
		},
	})
	estimator, _ := policy.(planner.Estimator)
	// Draws the same pages for all policies.
	random := rand.New(rand.NewPCG(o.Seed+uint64(o.run), 0x63616c6962726174))
	for d := 1; d <= c.lastStep(t); d++ {
		r := planner.Round{
			Number: d,
			Start:  c.Base.Add(time.Duration(d-1) * t.step),
			End:    c.Base.Add(time.Duration(d) * t.step),
			Budget: grant.Of(t.step),
		}
		if err := stage.Clock.SleepUntil(ctx, r.Start); err != nil {
			return StreamResult{}, err
		}
		m.beginStep(d)
		if err := roundBy(ctx, loop, policy, r); err != nil {
			return StreamResult{}, err
		}
		m.endStep(d)
		unused += plan.Unused()
		if d%(7*t.perDay()) == 0 && estimator != nil && !c.askNothing {
			m.ask(estimator, pages, r, random)
		}
		if err := loop.Advance(r.End); err != nil {
			return StreamResult{}, err
		}
		if tick != nil && d%t.perDay() == 0 {
			tick()
		}
	}
	result := m.result(name, o)
	result.Claims, result.Unused = claimsIn(pages), unused
	return result, nil
}

// outside reports whether a page does not count: it was alive at the base and could not be reached
// then.
func (m *meter) outside(p sitegraph.PageID) bool {
	i := m.of(p)
	return i < 0 && m.aliveAtBase(p)
}
