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
	Budget   float64      `json:"budget"` // share of the base pages fetched a day
	// StepHours is the length of a round.
	StepHours float64 `json:"step_hours"`
	New       float64 `json:"new"` // share of a day's budget for first visits
	// LeastValue is what a visit had to be worth to be made; 0: nothing.
	LeastValue float64 `json:"least_value,omitempty"`
	Change     string  `json:"change"`
	Seed       uint64  `json:"seed"`
	// Of each policy, with the seeds from Seed on; results are means. 0: one.
	Runs    int            `json:"runs,omitempty"`
	Results []StreamResult `json:"results"`
	// Absent names evidence that these policies would use and that histories do not have: "feed",
	// "sitemap", "last-modified". Nil if none of them would use it.
	Absent []string `json:"absent,omitempty"`
	// Comparison compares one policy with the others, if asked for.
	Comparison *Comparison `json:"comparison,omitempty"`
}

// StreamTotals describe a corpus over the weeks.
type StreamTotals struct {
	Servers   int `json:"servers"`
	BasePages int `json:"base_pages"`
	Pages     int `json:"pages"` // base pages and pages born later
	Events    int `json:"events"`
}

// StreamResult is what one policy reached.
type StreamResult struct {
	Policy      string `json:"policy"`
	Fetched     int    `json:"fetched"`
	Refetched   int    `json:"refetched"`
	Changed     int    `json:"changed"`
	UpdateRate  Number `json:"update_rate"`
	Coverage    Number `json:"coverage"`
	Freshness   Number `json:"freshness"`
	MeanAgeDays Number `json:"mean_age_days"`
	// SearchFreshness is the time average of the share of what a search shows that is true: of the
	// copies that it has, each weighed by its listed weight, those that are good. A page that is
	// gone counts until a visit has found it so. 0: neither weights nor a lag are given.
	SearchFreshness Number `json:"search_freshness,omitempty"`
	// Of the changes found: from the first change that the copy did not have to the visit, which
	// sees the page as it is at the end of its round. The median of several runs is the mean of
	// theirs.
	DetectionDelayHours Number `json:"detection_delay_hours"`
	MedianDelayHours    Number `json:"median_detection_delay_hours"`

	Discovered         Number `json:"discovered"` // share of the discoverable new pages
	DiscoveryDelayDays Number `json:"discovery_delay_days"`
	NewFetched         int    `json:"new_fetched"`
	DeletionsFound     Number `json:"deletions_found"` // share of all deletions
	DeletionDelayDays  Number `json:"deletion_delay_days"`
	DeletionVisits     int    `json:"deletion_visits"` // made because the page was probably gone
	// Unused are fetches of the budget that no visit was worth (StreamOptions.LeastValue).
	Unused int `json:"unused,omitempty"`
	// Sources are the visits to feeds and sitemaps, among those fetched. Claims are what they and
	// Last-Modified claimed, and how accurate it was. Histories have none of them.
	Sources int         `json:"sources,omitempty"`
	Claims  []Claims    `json:"claims,omitempty"`
	Weekly  []WeekPoint `json:"weekly"`
	Spread  Spread      `json:"spread,omitempty"`
	// Runs are behind the means if there were several.
	Runs []RunMeasures `json:"runs,omitempty"`
	// Calibration is of the probabilities that came with refetches, CalibrationUnvisited of pages
	// drawn at random at each week's end, for policies that can be asked. Nil if there are none.
	Calibration          *Calibration `json:"calibration,omitempty"`
	CalibrationUnvisited *Calibration `json:"calibration_unvisited,omitempty"`

	draws              draws       // nil unless servers were resampled
	visited, unvisited reliability // behind the calibrations
}

// Measure is one of StreamMeasures.
func (r *StreamResult) Measure(name string) Number {
	return r.measures(0).measure(name)
}

// Interval is the spread of a measure; undefined if servers were not resampled.
func (r *StreamResult) Interval(measure string) [2]Number { return r.draws.interval(measure) }

// Drawn is a measure on each of the resampled corpora, in the order of Resamples; nil if servers
// were not resampled. Do not change it.
func (r *StreamResult) Drawn(measure string) []float64 { return r.draws[measure] }

// WeekPoint is one week of a run, for curves over time.
type WeekPoint struct {
	Week       int    `json:"week"`
	UpdateRate Number `json:"update_rate"`
	Coverage   Number `json:"coverage"` // from the base to the week's end
	Freshness  Number `json:"freshness"`

	// Refetched and Changed are behind the update rate, for means over several weeks.
	Refetched int `json:"-"`
	Changed   int `json:"-"`
}

// StreamOptions of a run.
type StreamOptions struct {
	Weeks  int
	Step   time.Duration // length of a round, which divides a day; 0: a day
	Budget float64       // share of the base pages of servers still in their window, a day
	New    float64
	Seed   uint64
	// number of runs of each policy, with seeds from Seed on; results are their means; 0: one
	Runs  int
	Alpha float64 // of gamma
	// Sample is how many pages server-sample visits first of each server; 0: one.
	Sample int
	Gone   float64 // what it is worth to sites to find that a page is gone, in changes found
	// Objective says what sites visits pages for.
	Objective preferences.Objective
	Spread    bool
	// LeastValue is what a visit must be worth to be made (planner.Options).
	LeastValue float64
	// Limits are budgets beside Budget, as the fetches that a server allows in a day.
	Limits budget.Limits
	// Listed are weights of pages that policies go by, and that SearchFreshness is weighed by, as
	// often as results show each page; nil: 1 for all.
	Listed *preferences.Listed
	// Lag is how long after a visit a search shows what it found; 0: at once.
	Lag time.Duration
	// Search asks for SearchFreshness where neither Listed nor Lag is given.
	Search bool
	// Compare names the policy to be compared with the others; "": none. Without are its
	// variants among the policies, each with a part switched off.
	Compare string
	Without []string
	// Visits returns what is called with each visit of a run, and at its end, by one goroutine;
	// nil: nothing is.
	Visits func(Progress, *sitegraph.Graph) (seen func(*crawl.Event), end func())

	run int // of Runs
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

// Stage is one world for a loop: where visits go and what is remembered. Its graph and store
// hold the base crawl.
type Stage struct {
	Graph   *sitegraph.Graph
	Store   crawl.Store
	Fetcher crawl.Fetcher
	Clock   crawl.Clock
	Records []sitegraph.Record // by page, as of the base
	// Forecast keeps in the store when a page is due next, and why: see crawl.Options.
	Forecast bool
	// Sources is the share of the budget that visits to feeds and sitemaps may take; 0: they are
	// not visited, as in a recorded world, which has none.
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

// Empty returns a stage of the recorded world without any page: for Crawl.
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

// StreamOn runs the stream protocol for one policy and budget in a world of the caller's,
// measured against the recorded truth. The world's base crawl must have been made with Crawl.
func (c *Dataset) StreamOn(
	ctx context.Context,
	stage Stage,
	o StreamOptions,
	policy string,
	tick func(),
) (StreamResult, error) {
	return c.stream(ctx, stage, c.newTruthBy(o.Weeks*7, o.step()), o, policy, tick)
}

// step is the length of a round.
func (o *StreamOptions) step() time.Duration {
	if o.Step == 0 {
		return day
	}
	return o.Step
}

// stream goes step by step.
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
	// Draws the same pages for every policy that knows the same.
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

// outside reports whether a page is no part of the evaluation: it was alive at the base and could
// not be reached then.
func (m *meter) outside(p sitegraph.PageID) bool {
	i := m.of(p)
	return i < 0 && m.aliveAtBase(p)
}
