package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/present"
	"github.com/recrawl/recrawl/eval/tune"
	"github.com/recrawl/recrawl/planner/budget"
)

func (p *program) tuneCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "tune (HISTORY... | --data DIRECTORY | --journal DIRECTORY)",
		Short: "What a budget buys, and the smallest budget for a target",
		Long: `tune predicts what a policy finds with several budgets: coverage, update rate and freshness, each
with its spread. It also shows from which budget on more buys less (the knee), the smallest budget
for a target, and what a longer or shorter delay between two visits to a server would change.

It draws possible futures of the servers and runs the policy on each by the stream protocol of eval.

  from histories      each server does again what it did in the weeks before --base: as many
                      changes, births and deaths, pages changing together as they did
  from --data         (the directory of run, or while run works of a checkpoint) or from --journal
                      (the folder journal in it): each page changes at a rate drawn from what the
                      visits to it and to its server saw

--check replays the weeks of the histories after the base, which a prediction does not know, and
compares. A prediction is as good as the future resembles the known weeks. Where more changes than
before, as when a large quiet server is rebuilt, less of it is covered than predicted. Try --check
with several bases to see how steady your servers are.

The spread is the 5th to 95th percentile over the futures and 200 resamples of the servers in each.
The knee is the budget highest above the line from nothing to the largest budget, so name the
largest budget that you might pay for. A server with a delay of d seconds between visits can be
visited 86,400 / d times a day; changes beyond that are out of reach of every policy and budget.`,
		Example: `  recrawl tune histories/ --target coverage=0.8
  recrawl tune histories/ --base 30 --check --budget 0.01,0.02,0.05,0.10
  recrawl checkpoint --data crawl --to copy && recrawl tune --data copy --html tune.html
  recrawl tune --journal crawl/journal --delay 30s --json | jq .knee`,
		Args: cobra.ArbitraryArgs,
	}, p.tune)
}

// tuning is a prediction at work.
type tuning struct {
	*program
	result   present.Tune
	servers  []*history.Server // of histories; nil
	forecast *tune.Forecast
}

func (p *program) tune(ctx context.Context, paths []string) error {
	c := &p.config
	if err := writable(c.Tune.HTML); err != nil {
		return err
	}
	if c.Delay > tune.LongestDelay {
		return usageError{fmt.Errorf("--delay %v: want at most %v", c.Delay, tune.LongestDelay), "tune counts visits by day, and with a longer delay there are days without any"}
	}
	t := &tuning{program: p, result: present.Tune{Policy: c.Policy, Base: c.Tune.Base, Weeks: c.Tune.Weeks, History: c.Tune.History, New: c.New,
		Change: c.Change, Futures: c.Tune.Futures, Seed: c.Seed, Warnings: []string{}}}
	source, err := t.source(ctx, paths)
	if err != nil {
		return err
	}
	if err := t.predict(ctx, source); err != nil {
		return err
	}
	for _, w := range t.result.Warnings {
		p.warn(w)
	}
	return p.publish(t.result, t.result.Page(), c.Tune.HTML)
}

func (t *tuning) options() tune.Options {
	r := &t.result
	return tune.Options{Policy: r.Policy, Base: r.Base, Weeks: r.Weeks, History: r.History, New: r.New, Gone: t.config.Gone, Objective: t.config.objective(), Change: t.config.changeBy(),
		Futures: r.Futures, Seed: r.Seed, AtOnce: t.config.Tune.AtOnce}
}

func (t *tuning) predict(ctx context.Context, source tune.Source) (err error) {
	c, r := &t.config, &t.result
	draws := t.progress("drawing futures", r.Futures)
	t.forecast, err = tune.New(ctx, source, t.options(), draws.Step)
	draws.End()
	if err != nil {
		return err
	}
	r.Pages, r.PerDay, r.Servers = t.forecast.Pages, t.forecast.PerDay, len(t.forecast.Changes)
	limits := tune.Limits(c.Delay)
	if r.Curve, err = t.curve(ctx, c.Tune.Budget, limits); err != nil {
		return err
	}
	if c.Tune.Target != "" {
		target, _ := tune.ParseTarget(c.Tune.Target) // checked before
		bar := t.progress("days for the target", 0)
		answer, curve, err := t.forecast.Solve(ctx, target, r.Curve, limits, daysOf(bar))
		bar.End()
		if err != nil {
			return err
		}
		r.Target, r.Curve = &answer, curve
	}
	if at, ok := tune.Knee(r.Curve); ok {
		r.Knee = &r.Curve[at]
	}
	curve := func(budgets []float64, limits budget.Limits) ([]tune.Point, error) {
		return t.curve(ctx, budgets, limits)
	}
	r.Politeness, err = t.forecast.Politeness(r.Recommended(), c.Delay, curve)
	if err != nil {
		return err
	}
	return t.check(ctx)
}

func daysOf(bar *progress) func(eval.Progress) {
	return func(at eval.Progress) { bar.StepOf(fmt.Sprintf("%.3g %%", 100*at.Budget), at.Last) }
}

func (t *tuning) curve(ctx context.Context, budgets []float64, limits budget.Limits) ([]tune.Point, error) {
	bar := t.progress("days", t.result.Futures*len(budgets)*7*t.result.Weeks)
	defer bar.End()
	return t.forecast.Curve(ctx, budgets, limits, daysOf(bar))
}

// check replays what came, where that is asked for.
func (t *tuning) check(ctx context.Context) error {
	if !t.config.Tune.Check {
		return nil
	}
	bar := t.progress("days of the replay", len(t.result.Curve)*7*t.result.Weeks)
	defer bar.End()
	check, err := t.forecast.Check(ctx, t.servers, t.result.Curve, tune.Limits(t.config.Delay), daysOf(bar))
	t.result.Check = &check
	return err
}

var errTuneSources = usageError{errors.New("tune wants one source: histories, --data or --journal"),
	"recrawl tune histories/, or recrawl tune --data DIRECTORY, or recrawl tune --journal DIRECTORY/journal"}
