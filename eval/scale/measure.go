package scale

import (
	"context"
	"errors"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// Options configure a measurement.
type Options struct {
	Dir    string
	Web    *Web
	Policy string
	Seed   uint64
	Rounds int
	Round  time.Duration
	Budget float64 // share of the pages to visit a day
	// ImagePages is crawl.Options.ImagePages.
	ImagePages int
	// Seen gets the number of visits so far; it may be nil.
	Seen func(visits int)
}

// Result is the result of a measurement. Resident memory is 0 if it is not known.
type Result struct {
	Pages   int    `json:"pages"`
	Servers int    `json:"servers"`
	Links   int    `json:"links"`
	Policy  string `json:"policy"`
	// Image means that the planner started from an image.
	Image bool `json:"image"`
	// Since is the number of pages saved since the image.
	Since int `json:"since_image"`
	// Store is the time until the store is open, Open until the policy is also ready, and First
	// until a round has its first visit.
	Store       float64 `json:"store_seconds"`
	Open        float64 `json:"open_seconds"`
	First       float64 `json:"first_visit_seconds"`
	OpenedBytes int64   `json:"opened_bytes"` // resident then
	PeakBytes   int64   `json:"peak_bytes"`   // resident at most
	Rounds      []Round `json:"rounds"`
	// Keep is the time to write the last image.
	Keep float64 `json:"keep_seconds"`
	// Traffic is the store's traffic for records, without its building.
	Traffic crawl.Traffic `json:"store"`
}

// Round is the result of one round.
type Round struct {
	Visits  int     `json:"visits"`
	Changed int     `json:"changed"`
	Seconds float64 `json:"seconds"`
	// Processor is its time on all processors, and Begin that until its first visit.
	Processor float64 `json:"processor_seconds"`
	Begin     float64 `json:"begin_processor_seconds"`
	Resident  int64   `json:"resident_bytes"` // at its end
	Peak      int64   `json:"peak_bytes"`     // resident at most
	// Heap and File are the peaks of memory without a file and of mapped files.
	Heap int64 `json:"heap_bytes"`
	File int64 `json:"file_bytes"`
	// Read and Written are bytes of system calls, mostly of the store.
	Read    int64 `json:"read_bytes"`
	Written int64 `json:"written_bytes"`
}

// Measure opens a store of the web and makes rounds. tick is called for each.
func Measure(ctx context.Context, o Options, tick func(done, total int)) (
	result *Result, err error) {
	started := time.Now()
	r := &Result{Pages: o.Web.Pages, Servers: o.Web.Servers, Links: o.Web.Links, Policy: o.Policy}
	store, err := satstore.Open(o.Dir, satstore.Options{})
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := store.Close(); err == nil {
			err = closed
		}
	}()
	r.Store = time.Since(started).Seconds()
	perDay := o.Budget * float64(o.Web.Pages)
	build := func(pages *planner.Pages) (*planner.Planner, error) {
		ranking, err := policy.New(o.Policy, policy.Settings{
			Pages: pages, Mode: planner.Stream, Seed: o.Seed, PerDay: perDay, Alpha: 0.95,
		})
		return planner.New(pages, ranking,
			planner.Options{Name: o.Policy, NewShare: 0.25, Leftover: true, Turns: true}), err
	}
	plan, why, err := crawl.RecallImage(store, o.Dir, build)
	if err = errors.Join(why, err); err != nil {
		return nil, err
	}
	if r.Image = plan != nil; plan == nil {
		plan, why, err = crawl.RecallAll(store, func() (*planner.Planner, error) {
			file, err := arena.Open(o.Dir)
			if err != nil {
				return nil, err
			}
			pages := planner.NewPages(sitegraph.NewGraphIn(file))
			if err := store.Restore(pages.Graph, pages.Remember); err != nil {
				return nil, err
			}
			pages.Graph.Release()
			return build(pages)
		})
		if err = errors.Join(why, err); err != nil {
			return nil, err
		}
	}
	r.Since, _ = plan.SinceImage()
	r.Open, r.OpenedBytes = time.Since(started).Seconds(), resident()
	r.PeakBytes = peak()
	clock := crawl.NewVirtualClock(store.Clock().Add(time.Hour))
	var round Round
	visits, spent := 0, 0.0 // spent before the round
	loop := crawl.New(crawl.Options{
		Planner: plan, Fetcher: Fetcher{o.Web, clock}, Store: store, Clock: clock, Workers: 1,
		Discover: true, Forecast: true,
		CommitEvery: 1000, ImagePages: o.ImagePages,
		Seen: func(e *crawl.Event) {
			if r.First == 0 {
				r.First = time.Since(started).Seconds()
			}
			if round.Visits == 0 {
				round.Begin = processorTime() - spent
			}
			round.Visits++
			if visits++; o.Seen != nil {
				o.Seen(visits)
			}
			if e.Verdict == sitegraph.VerdictChanged {
				round.Changed++
			}
		},
	})
	samples := startSampler()
	defer samples.end()
	resetPeak()
	begun, from := time.Now(), traffic()
	spent = processorTime()
	ended := begun
	err = loop.Run(ctx, perDay, o.Round, func(planner.Round) bool {
		now := traffic()
		round.Seconds, round.Resident = time.Since(begun).Seconds(), resident()
		most := samples.mostSince()
		round.Peak, round.Heap, round.File = peak(), most.heap, most.file
		r.PeakBytes = max(r.PeakBytes, round.Peak)
		resetPeak()
		round.Processor = processorTime() - spent
		round.Read, round.Written = now.read-from.read, now.written-from.written
		r.Rounds = append(r.Rounds, round)
		round, begun, from, spent = Round{}, time.Now(), now, processorTime()
		tick(len(r.Rounds), o.Rounds)
		ended = time.Now()
		return len(r.Rounds) < o.Rounds
	})
	r.Keep = time.Since(ended).Seconds()
	r.Traffic = loop.Traffic()
	return r, err
}
