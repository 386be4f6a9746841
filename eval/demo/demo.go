package demo

import (
	"context"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/synth"
	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/sites"
	"github.com/recrawl/recrawl/sitegraph"
)

// Options configure a demo.
type Options struct {
	Seed  uint64
	Pages int    // of the synthetic web
	Sites string // recorded sites to serve instead, a file or directory; "": none
	Keep  string // directory in which the stores stay (Occupied checks it); "": none
	// Archive is the directory for WARC files of the base crawl and the weeks over HTTP (Occupied
	// checks it); "": none.
	Archive string

	Change sitegraph.ChangeBy
	Policy string  // of the weeks
	Weeks  int     // of the stream after the base
	Budget float64 // share of the pages a day
	New    float64 // share of the budget for new pages

	Claims bool // also measure the gain by feeds and sitemaps

	Progress Progress
}

// Progress starts the bar of a part of the work, with a number of steps.
type Progress func(what string, steps int) Bar

// Bar shows the progress of a part of the work. Goroutines may share it.
type Bar interface {
	Step()       // one step more
	At(done int) // total of steps so far
	End()
}

// shownPolicies are the policies of a demo; eval compares all.
var shownPolicies = []string{
	"random", "breadth-first", "a", "b-closure", "c-closure", "interval", "ebayes",
	policy.Default, "clairvoyant",
}

// agent is the user agent on loopback, with the URL of the example domain.
const agent = "recrawl-demo/1.0 (+https://www.example.com/recrawl-demo)"

// topFirst are the methods whose sweeps a demo makes over HTTP.
var topFirst = []string{"a", "b-closure", "c-closure"}

// sweepWeeks is the horizon of the demo's sweeps: a month, as in most figures of [LINK].
const sweepWeeks = 4

// Result is the result of a demo.
type Result struct {
	Web        string            `json:"web"`
	HTTP       HTTPResult        `json:"http"`
	TopFirst   []TopFirst        `json:"top_first"`
	Agreement  Agreement         `json:"agreement"`
	Run        eval.StreamRun    `json:"run"`
	Sweep      eval.SnapshotRun  `json:"sweep"`
	Claims     *Claims           `json:"claims,omitempty"`
	Comparison *synth.Comparison `json:"comparison,omitempty"`
}

// Run makes a demo. Callers check Result.Agreement for the agreement of both worlds.
func Run(ctx context.Context, o Options) (*Result, error) {
	web, about, comparison, err := o.open(history.WorldEpoch)
	if err != nil {
		return nil, err
	}
	corpus, err := record(ctx, web, o.Change, o.Progress)
	if err != nil {
		return nil, err
	}
	s := &show{web: web, corpus: corpus, keep: o.Keep, archive: o.Archive, progress: o.Progress}
	p := o.plan()
	r := &Result{Web: about, Comparison: comparison}
	var http journey
	if http, r.HTTP, err = s.overHTTP(ctx, p); err != nil {
		return nil, err
	}
	replayed, err := s.byReplay(ctx, p)
	if err != nil {
		return nil, err
	}
	r.TopFirst, r.Agreement = p.compareSweeps(http, replayed), p.compare(http, replayed)
	if r.Run, r.Sweep, err = s.policies(ctx, p); err != nil {
		return nil, err
	}
	if o.Claims {
		if r.Claims, err = s.claims(ctx, p); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// show is a web that can be visited over HTTP and by replay.
type show struct {
	web      timetravel.Archive
	corpus   *eval.Dataset // the recorded web
	keep     string
	archive  string
	progress Progress
}

// plan is the work of a demo in each of its two worlds.
type plan struct {
	sweeps []string // methods of the sweeps after the base crawl
	policy string   // of the weeks after it
	stream eval.StreamOptions
}

func (o *Options) plan() plan {
	stream := eval.StreamOptions{Weeks: o.Weeks, Budget: o.Budget, New: o.New,
		Gone: sites.DefaultGoneWorth, Seed: o.Seed}
	return plan{sweeps: topFirst, policy: o.Policy, stream: stream}
}

func (p plan) snapshot() eval.SnapshotOptions {
	return eval.SnapshotOptions{Weeks: sweepWeeks, Seed: p.stream.Seed}
}

// policies measures the shown policies, and the one that ran over HTTP, on the replay.
func (s *show) policies(ctx context.Context, p plan) (
	run eval.StreamRun, sweep eval.SnapshotRun, err error) {
	policies := shownPolicies
	if !slices.Contains(policies, p.policy) {
		policies = append(slices.Clone(policies), p.policy)
	}
	bar := s.progress("days by replay", 7*p.stream.Weeks*len(policies))
	defer bar.End()
	if run, err = s.corpus.Stream(ctx, p.stream, policies, bar.Step); err != nil {
		return run, sweep, err
	}
	sweep, err = s.corpus.Snapshot(ctx, p.snapshot(), policies, nil)
	return run, sweep, err
}
