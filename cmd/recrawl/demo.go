package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/replay"
	"github.com/recrawl/recrawl/eval/synth"
	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *program) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The whole system on a built-in web, in a minute",
		Long: `demo serves a synthetic web, or recorded sites, from this machine's loopback addresses,
one a server, and lets recrawl crawl it and keep it fresh for 24 virtual weeks: real HTTP,
robots.txt, conditional requests, politeness in virtual time, the store on disk.
Then it replays the same web without HTTP under every policy, checks that HTTP and replay
agree visit by visit, prints what each policy found, and writes a report with figures.

Nothing but this machine is asked for anything.`,
		Example: `  recrawl demo
  recrawl demo --seed 7 --budget 0.05
  recrawl demo --sites DIRECTORY      # whole page contents over time, one file a server`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.demo(cmd.Context())
		},
	}
	addSettings(cmd)
	return cmd
}

// demoPolicies are those a demo has room for; eval compares all.
var demoPolicies = []string{"random", "breadth-first", "a", "b-closure", "c-closure", "interval", "ebayes", "clairvoyant"}

// demoAgent is the user agent on loopback. The address is that of the example domain.
const demoAgent = "recrawl-demo/1.0 (+https://www.example.com/recrawl-demo)"

// sweepWeeks is the horizon of the demo's one sweep: a month, as in most figures of [LINK].
const sweepWeeks = 4

// demoResult is what --json prints.
type demoResult struct {
	Web        string            `json:"web"`
	HTTP       httpResult        `json:"http"`
	Agreement  agreement         `json:"agreement"`
	Run        eval.StreamRun    `json:"run"`
	Sweep      eval.SnapshotRun  `json:"sweep"`
	Comparison *synth.Comparison `json:"comparison,omitempty"`
}

func (p *program) demo(ctx context.Context) error {
	c := &p.config
	if err := writable(c.Demo.HTML); err != nil {
		return err
	}
	web, about, comparison, err := p.demoWeb()
	if err != nil {
		return err
	}
	bar := p.progress("reading every version of every page, by server", len(web.Servers()))
	servers, err := timetravel.Histories(ctx, &watched{Archive: web, bar: bar}, timetravel.HistoryOptions{Agent: demoAgent})
	bar.end()
	if err != nil {
		return err
	}
	for _, s := range servers {
		s.T0 = replay.Epoch.Unix() // all start together, whatever each server's first page
	}
	corpus, err := eval.NewCorpus(ctx, servers, eval.Options{Change: c.changeBy(), LastModified: true})
	if err != nil {
		return err
	}
	options := eval.StreamOptions{Weeks: c.Demo.Weeks, Budget: c.Demo.Budget, New: c.New, Seed: c.Seed}
	result := demoResult{Web: about, Comparison: comparison}
	visited, err := p.demoHTTP(ctx, web, corpus, options, &result)
	if err != nil {
		return err
	}
	if err := p.demoReplay(ctx, corpus, options, visited, &result); err != nil {
		return err
	}
	if err := p.publish(result, demoReport(result), c.Demo.HTML); err != nil {
		return err
	}
	if result.Agreement.Difference != "" {
		return fmt.Errorf("HTTP and replay disagree: %s", result.Agreement.Difference)
	}
	return nil
}

// watched tells how far Histories has come: it asks for the paths of each server once, and
// is done with one server when it asks for those of the next.
type watched struct {
	timetravel.Archive
	bar   *progress
	begun int
}

func (w *watched) Paths(server string) []string {
	w.bar.at(w.begun)
	w.begun++
	return w.Archive.Paths(server)
}

// demoWeb returns the web to serve, on the clock of the replays.
func (p *program) demoWeb() (timetravel.Archive, string, *synth.Comparison, error) {
	c := &p.config
	if c.Demo.Sites != "" {
		sites, err := timetravel.LoadSites(c.Demo.Sites)
		if err != nil {
			return nil, "", nil, err
		}
		return timetravel.Align(sites, replay.Epoch), fmt.Sprintf("%d recorded sites of %s", len(sites.Servers()), c.Demo.Sites), nil, nil
	}
	web := synth.New(synth.Options{Seed: c.Seed, Servers: max(c.Demo.Pages/50, 1), Pages: c.Demo.Pages, Start: replay.Epoch})
	comparison := synth.Compare(web, replay.Epoch)
	return web, fmt.Sprintf("the built-in web of %d servers, seed %d", len(web.Servers()), c.Seed), &comparison, nil
}

// step is one visit, in what must not depend on the world.
type step struct {
	round   int
	url     string
	first   bool
	verdict sitegraph.Verdict
	reason  planner.Reason
}

func stepOf(e *cycle.Event) step {
	return step{e.Round.Number, e.Record.URL, e.Visit.First, e.Verdict, e.Visit.Reason}
}

func (s step) String() string {
	return fmt.Sprintf("day %d, %s: %v (%v)", s.round, s.url, s.verdict, s.reason)
}

// demoHTTP crawls the web at the base and keeps it fresh, over HTTP, with the store on disk.
func (p *program) demoHTTP(ctx context.Context, web timetravel.Web, corpus *eval.Corpus, o eval.StreamOptions, result *demoResult) (visited []step, err error) {
	dir := p.config.Demo.Keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "recrawl-demo-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
	}
	store, err := satstore.Open(filepath.Join(dir, "data"), satstore.Options{Now: corpus.Base})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	clock := cycle.NewVirtualClock(corpus.Base.Add(-24 * time.Hour))
	count := newHTTPCount(clock)
	world, err := timetravel.NewWorld(web, clock, demoAgent, count.log)
	if err != nil {
		return nil, err
	}
	defer world.Close()

	started := time.Now()
	bar := p.progress("crawling over HTTP", len(corpus.Pages))
	stage := eval.Stage{Graph: sitegraph.NewGraph(), Store: store, Fetcher: world, Clock: clock, Explain: true,
		Log: func(e *cycle.Event) { visited = append(visited, stepOf(e)); bar.step() }}
	if err := corpus.Crawl(ctx, stage); err != nil {
		return nil, err
	}
	bar.end()
	if err := stage.Remember(); err != nil {
		return nil, err
	}
	bar = p.progress("days over HTTP", 7*o.Weeks)
	stage.Log = func(e *cycle.Event) { visited = append(visited, stepOf(e)) }
	if _, err := corpus.StreamOn(ctx, stage, o, planner.DefaultPolicy, bar.step); err != nil {
		return nil, err
	}
	bar.end()
	result.HTTP = count.result(len(visited), time.Since(started), store.Stats())
	return visited, nil
}

// agreement compares the visits over HTTP with those of the replay.
type agreement struct {
	Visits     int    `json:"visits"`
	Difference string `json:"difference"` // "" if they agree
}

// demoReplay runs every policy on the recorded web, and the default one step by step.
func (p *program) demoReplay(ctx context.Context, corpus *eval.Corpus, o eval.StreamOptions, visited []step, result *demoResult) error {
	bar := p.progress("days by replay", 7*o.Weeks*(len(demoPolicies)+1))
	defer bar.end()
	stage := corpus.Empty()
	var replayed []step
	stage.Log = func(e *cycle.Event) { replayed = append(replayed, stepOf(e)) }
	if err := corpus.Crawl(ctx, stage); err != nil {
		return err
	}
	if err := stage.Remember(); err != nil {
		return err
	}
	if _, err := corpus.StreamOn(ctx, stage, o, planner.DefaultPolicy, bar.step); err != nil {
		return err
	}
	result.Agreement = compareSteps(visited, replayed)
	run, err := corpus.Stream(ctx, o, demoPolicies, bar.step)
	if err != nil {
		return err
	}
	result.Run = run
	result.Sweep, err = corpus.Snapshot(ctx, eval.SnapshotOptions{Weeks: sweepWeeks, Seed: o.Seed}, demoPolicies, nil)
	return err
}

func compareSteps(visited, replayed []step) agreement {
	for i := range min(len(visited), len(replayed)) {
		if visited[i] != replayed[i] {
			return agreement{i, fmt.Sprintf("visit %d: over HTTP %v; by replay %v", i+1, visited[i], replayed[i])}
		}
	}
	if len(visited) != len(replayed) {
		return agreement{min(len(visited), len(replayed)), fmt.Sprintf("%d visits over HTTP, %d by replay", len(visited), len(replayed))}
	}
	return agreement{Visits: len(visited)}
}
