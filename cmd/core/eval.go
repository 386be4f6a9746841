package core

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/evals"
	"github.com/recrawl/recrawl/cmd/show/papers"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/tidy"
)

func (p *Program) evalCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "eval FILE|DIRECTORY...",
		Args: someHistories,
	}, p.eval)
}

// someHistories requires files or directories as arguments.
func someHistories(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return noHistories(cmd.CommandPath())
	}
	return nil
}

func noHistories(command string) error {
	return UsageError(errors.New("no histories given"), "name files or a directory: "+command+
		" histories/")
}

// ReadHistories reads histories with a progress bar.
func (p *Program) ReadHistories(ctx context.Context, paths []string) ([]*history.Server, error) {
	bar := p.Progress("reading histories", 0)
	defer bar.End()
	return history.ReadFiles(ctx, paths, bar.Of)
}

func (p *Program) eval(ctx context.Context, paths []string) error {
	c := &p.config
	if c.Least > 0 && (c.Eval.Protocol != "stream" || c.Eval.Figures) {
		return UsageError(errors.New("--least-value bounds the visits of a stream, not of "+
			"a sweep"), "add --protocol stream, or leave it out")
	}
	if err := p.Outputs(c.Eval.HTML, c.Eval.SVG); err != nil {
		return err
	}
	if err := findPrograms(p.programs(ctx, false), c.Eval.Policy...); err != nil {
		return err
	}
	groups, err := ReadGroups(c.Eval.Group)
	if err != nil {
		return err
	}
	tables, err := p.Tables(p.evalTables()...)
	if err != nil {
		return err
	}
	defer tables.Discard()
	servers, err := p.ReadHistories(ctx, paths)
	if err != nil {
		return err
	}
	corpus, err := p.evalCorpus(ctx, servers)
	if err != nil {
		return err
	}
	if c.Eval.Figures {
		f, err := p.figures(ctx, corpus, groups)
		if err != nil {
			return err
		}
		p.Warn(f.Warnings...)
		if err := p.Commit(tables, tidy.WriteFigures(tables, f)); err != nil {
			return err
		}
		return p.Publish(f, papers.FiguresPage(f), c.Eval.HTML)
	}
	policies := c.Eval.Lineup().All()
	if c.Least > 0 { // named policies report it themselves
		policies = c.Eval.Lineup().WithWorth()
	}
	var page report.Page
	var result any
	if c.Eval.Warm > 0 {
		var run *eval.WarmRun
		if run, err = p.warmed(ctx, corpus, policies); err == nil {
			result, page = run, evals.Warm(run)
			err = tidy.WriteWarm(tables, run)
		}
	} else if c.Eval.Protocol == "snapshot" {
		var runs []eval.SnapshotRun
		if runs, err = p.snapshots(ctx, corpus, policies); err == nil {
			result, page = runs, evals.Snapshot(runs)
			err = tidy.WriteSnapshot(tables, runs)
		}
	} else {
		var runs []eval.StreamRun
		if runs, err = p.streams(ctx, corpus, policies, tables); err == nil {
			result, page = runs, evals.Stream(runs)
			err = tidy.WriteStream(tables, runs)
		}
	}
	if err := p.Commit(tables, err); err != nil {
		return err
	}
	if c.Eval.SVG != "" { // before any output: a run that fails prints nothing
		if err := p.writeWhole(c.Eval.SVG, page.Lead().SVG); err != nil {
			return err
		}
	}
	return p.Publish(result, page, c.Eval.HTML)
}

// evalTables returns the tables that eval writes with these settings.
func (p *Program) evalTables() []tidy.Described {
	switch c := &p.config.Eval; {
	case c.Figures:
		return tidy.ForFigures
	case c.Warm > 0:
		return tidy.ForWarm
	case c.Protocol == "snapshot":
		return tidy.ForSnapshot
	}
	return tidy.ForStream
}

const week = 7 * 24 * time.Hour

func (p *Program) snapshots(ctx context.Context, corpus *eval.Dataset, policies []string) (
	[]eval.SnapshotRun, error) {
	c := &p.config
	bar := p.Progress("sweeps", len(c.Eval.Weeks)*len(policies))
	defer bar.End()
	var runs []eval.SnapshotRun
	for _, weeks := range c.Eval.Weeks {
		run, err := corpus.Snapshot(ctx, eval.SnapshotOptions{
			Weeks: weeks, Seed: c.Seed, Spread: c.Eval.Spread,
			Compare: c.Eval.Lineup().Compared(), Without: c.Eval.Lineup().Variants(),
			Sample: c.Eval.Sample, Alpha: c.Alpha, Thresholds: c.Eval.Threshold,
		}, policies, bar.Step)
		if err != nil {
			return nil, err
		}
		p.Warn(eval.AllVanished(weeks, run.Corpus.Pages, run.Corpus.Vanished))
		runs = append(runs, run)
	}
	return runs, nil
}

func (p *Program) streams(ctx context.Context, corpus *eval.Dataset, policies []string,
	tables *tidy.Tables) ([]eval.StreamRun, error) {
	all, tick, end := p.streamOptions(corpus, len(policies))
	defer end()
	listed, err := p.listed()
	if err != nil {
		return nil, err
	}
	visits, err := tidy.Visits.Open(tables)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Listed, all[i].Lag = listed, p.config.SearchLag
		if !tables.Empty() {
			all[i].Visits = tidy.Watch(visits)
		}
	}
	return corpus.Streams(ctx, all, policies, p.config.Eval.AtOnce, tick)
}

// warmed compares streams that begin with and without a past.
func (p *Program) warmed(ctx context.Context, corpus *eval.Dataset, policies []string) (
	*eval.WarmRun, error) {
	c := &p.config.Eval
	all, tick, end := p.streamOptions(corpus, len(policies)*(2+len(c.WarmEvery)))
	defer end()
	return corpus.Warm(ctx, all, c.Warm, c.WarmEvery, policies, c.AtOnce, tick)
}

// streamOptions returns the common options of all streams, with a progress bar for this many of
// each.
func (p *Program) streamOptions(corpus *eval.Dataset, of int) (
	all []eval.StreamOptions, tick func(eval.Progress), end func()) {
	c := &p.config
	all = eval.StreamOptions{Step: c.Eval.Step, New: c.New, Seed: c.Seed, Runs: c.Eval.Runs,
		Spread:  c.Eval.Spread,
		Compare: c.Eval.Lineup().Compared(), Without: c.Eval.Lineup().Variants(),
		Alpha: c.Alpha, Sample: c.Eval.Sample, Gone: c.Gone, Objective: c.VisitsFor(),
		LeastValue: c.Least}.Each(c.Eval.Weeks,
		c.Eval.Shares(len(corpus.Pages)))
	bar := p.Progress("days", eval.Days(all)*of)
	return all, func(at eval.Progress) { bar.StepOf(at.Name(all), at.Last) }, bar.End
}
