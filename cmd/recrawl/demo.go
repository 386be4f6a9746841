package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/replay"
	"github.com/recrawl/recrawl/eval/synth"
	"github.com/recrawl/recrawl/eval/timetravel"
)

func (p *program) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The whole system on a built-in web, in a minute",
		Long: `demo serves a synthetic web, or recorded sites, from this machine's loopback addresses,
one a server, and lets recrawl crawl it, look at the tops of its sites first a month later
[LINK 4], and keep it fresh for 24 virtual weeks with --policy: real HTTP, robots.txt,
conditional requests, politeness in virtual time, the store on disk.
Then it replays the same web without HTTP under every policy, checks that HTTP and replay
agree visit by visit, prints what each policy found, and writes a report with figures.
At last it crawls the web anew over HTTP and keeps it fresh with feeds and sitemaps and
without, within the same budget, to measure what their claims are worth (--claims=false: not).

--keep leaves the store in DIRECTORY/data, and as it was after the crawl in DIRECTORY/base:
recrawl sites --data DIRECTORY/base SERVER shows its sites.

Nothing but this machine is asked for anything.`,
		Example: `  recrawl demo
  recrawl demo --seed 7 --budget 0.05 --policy c-closure
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

// shownPolicies are those a demo has room for; eval compares all.
var shownPolicies = []string{"random", "breadth-first", "a", "b-closure", "c-closure", "interval", "ebayes", "value", "clairvoyant"}

// demoAgent is the user agent on loopback. The address is that of the example domain.
const demoAgent = "recrawl-demo/1.0 (+https://www.example.com/recrawl-demo)"

// topFirst are the methods whose sweeps a demo makes over HTTP.
var topFirst = []string{"a", "b-closure", "c-closure"}

// sweepWeeks is the horizon of the demo's sweeps: a month, as in most figures of [LINK].
const sweepWeeks = 4

// demoResult is what --json prints.
type demoResult struct {
	Web        string            `json:"web"`
	HTTP       httpResult        `json:"http"`
	TopFirst   []topFirstResult  `json:"top_first"`
	Agreement  agreement         `json:"agreement"`
	Run        eval.StreamRun    `json:"run"`
	Sweep      eval.SnapshotRun  `json:"sweep"`
	Claims     *claimsResult     `json:"claims,omitempty"`
	Comparison *synth.Comparison `json:"comparison,omitempty"`
}

func (p *program) demo(ctx context.Context) error {
	c := &p.config
	if err := writable(c.Demo.HTML); err != nil {
		return err
	}
	if err := unused(c.Demo.Keep); err != nil {
		return err
	}
	web, about, comparison, err := p.demoWeb()
	if err != nil {
		return err
	}
	corpus, err := p.demoCorpus(ctx, web)
	if err != nil {
		return err
	}
	plan := p.demoPlan()
	result := demoResult{Web: about, Comparison: comparison}
	http, err := p.demoHTTP(ctx, web, corpus, plan, &result.HTTP)
	if err != nil {
		return err
	}
	replayed, err := p.demoReplay(ctx, corpus, plan)
	if err != nil {
		return err
	}
	result.TopFirst, result.Agreement = plan.compareSweeps(http, replayed), plan.compare(http, replayed)
	if err := p.demoPolicies(ctx, corpus, plan, &result); err != nil {
		return err
	}
	if c.Demo.Claims {
		if result.Claims, err = p.demoClaims(ctx, web, corpus, plan); err != nil {
			return err
		}
	}
	if err := p.publish(result, demoReport(result), c.Demo.HTML); err != nil {
		return err
	}
	if result.Agreement.Difference != "" {
		return fmt.Errorf("HTTP and replay disagree: %s", result.Agreement.Difference)
	}
	return nil
}

// demoCorpus records the web: what a replay needs to know of it.
func (p *program) demoCorpus(ctx context.Context, web timetravel.Archive) (*eval.Corpus, error) {
	bar := p.progress("reading every version of every page, by server", len(web.Servers()))
	servers, err := timetravel.Histories(ctx, &watched{Archive: web, bar: bar}, timetravel.HistoryOptions{Agent: demoAgent, Main: true})
	bar.end()
	if err != nil {
		return nil, err
	}
	for _, s := range servers {
		s.T0 = replay.Epoch.Unix() // all start together, whatever each server's first page
	}
	return eval.NewCorpus(ctx, servers, eval.Options{Change: p.config.changeBy(), LastModified: true})
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

// demoPlan is what a demo does in each of its two worlds.
type demoPlan struct {
	sweeps []string // methods of the sweeps after the base crawl
	policy string   // of the weeks after it
	stream eval.StreamOptions
}

func (p *program) demoPlan() demoPlan {
	c := &p.config
	return demoPlan{sweeps: topFirst, policy: c.Policy,
		stream: eval.StreamOptions{Weeks: c.Demo.Weeks, Budget: c.Demo.Budget, New: c.New, Seed: c.Seed}}
}

// demoPolicies measures the policies shown, and the one that ran over HTTP, on the replay.
func (p *program) demoPolicies(ctx context.Context, corpus *eval.Corpus, plan demoPlan, result *demoResult) (err error) {
	policies := shownPolicies
	if !slices.Contains(policies, plan.policy) {
		policies = append(slices.Clone(policies), plan.policy)
	}
	bar := p.progress("days by replay", 7*plan.stream.Weeks*len(policies))
	defer bar.end()
	if result.Run, err = corpus.Stream(ctx, plan.stream, policies, bar.step); err != nil {
		return err
	}
	result.Sweep, err = corpus.Snapshot(ctx, plan.snapshot(), policies, nil)
	return err
}

func (d demoPlan) snapshot() eval.SnapshotOptions {
	return eval.SnapshotOptions{Weeks: sweepWeeks, Seed: d.stream.Seed}
}
