package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/present"
	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner/policy"
)

func (p *program) evalCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "eval FILE|DIRECTORY...",
		Short: "Compare policies on recorded histories",
		Long: `eval replays recorded page histories through the loop that also runs on the live web, and measures
what each policy finds, by one of two protocols:

snapshot  one sweep N-1 weeks after the base: update rate (changed among fetched), coverage
          (changed fetched among all changed), the area under coverage against share fetched
          (AUC), the gain (0 for random order, 1 for the clairvoyant's), and the same inside
          servers.
stream    a daily budget over weeks: update rate, coverage of change events, freshness, mean age
          of stale copies, discovery of new pages, deletions found.

FILE is a history (gzip'd JSON Lines, one server each). Of a directory all *.jsonl.gz and *.jsonl
are read. The same files, options and seed give the same figures.

--compare compares one policy (value, if it takes part) with all others: differences and ratios of
the measures, with the 5th to 95th percentile over 200 corpora of as many servers, drawn with
replacement. Both sides are measured on the same drawn servers. "Best published" is the best policy
that is neither ours nor a reference line, by each measure, chosen once on the whole corpus.
--ablate adds the compared policy without each kind of evidence, to measure what it is worth.

value uses parameters learnt from histories: those of --model, or those that come with the program.
The report says if they were learnt on the same histories. --folds 3 learns them anew, for each
third of the servers on the other two, before anything is measured.

Histories have no feeds, sitemaps or headers. Where value, norconex or ncis would use their claims,
text, report and JSON ("absent") say so; demo measures them over HTTP.

--runs 8 runs each policy of a stream eight times, with eight seeds. Results and comparisons are
then those of the means. With small budgets a single run depends much on chance.
--warm 52 compares starts with and without captures of 52 weeks before the base: what import is worth.

For policies that estimate probabilities the report has the expected calibration error (ECE) over
20 bins: of the refetches, and of pages drawn at random at each week's end.

--figures makes the figures of [LINK] instead, by the snapshot protocol: update rate and coverage of
methods A, B and C by period and by group (fig. 5 to 8), against breadth-first (fig. 9) and against
whole servers by their change rate (fig. 12 to 18). It tells which claims of the paper hold on these
servers. Both sides of a claim are measured on the same 200 resamples of the servers. A claim holds
if the 5th to 95th percentile is where the claim says, does not hold if all of it is elsewhere, and
otherwise cannot be decided. All numbers have that interval, with or without --spread. Server by
server, sites that are no directories, and tops chosen by their past, are compared with A to C. They
learn from twelve weekly states before the base (--history changes that), which A to C do not see.`,
		Example: `  recrawl eval histories/ --protocol snapshot --weeks 2,4,12,24
  recrawl eval histories/ --protocol stream --budget 0.01,0.05 --policy interval,ebayes --spread
  recrawl eval histories/ --protocol stream --budget 0.01,0.02,0.05,0.10 --policy all --html report.html
  recrawl eval histories/ --protocol stream --budget 0.01 --policy value,cho-greedy --runs 8
  recrawl eval histories/ --protocol stream --policy value,ebayes --folds 3 --ablate --html report.html
  recrawl eval histories/ --protocol stream --compare ebayes --json | jq '.[0].comparison.best_published'
  recrawl eval histories/ --figures --group kinds.tsv --html figures.html
  recrawl eval histories/ --json | jq '.[0].results[] | {policy, coverage}'`,
		Args: someHistories,
	}, p.eval)
}

// someHistories wants files or directories as arguments.
func someHistories(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return noHistories(cmd.CommandPath())
	}
	return nil
}

func noHistories(command string) error {
	return usageError{errors.New("no histories given"), "name files or a directory: " + command + " histories/"}
}

// readHistories reads them with progress.
func (p *program) readHistories(ctx context.Context, paths []string) ([]*history.Server, error) {
	bar := p.progress("reading histories", 0)
	defer bar.End()
	return history.ReadFiles(ctx, paths, bar.Of)
}

func (p *program) eval(ctx context.Context, paths []string) error {
	c := &p.config
	if c.Least > 0 && (c.Eval.Protocol != "stream" || c.Eval.Figures) {
		return usageError{errors.New("--least-value bounds the visits of a stream, not of a sweep"), "add --protocol stream, or leave it out"}
	}
	if err := errors.Join(writable(c.Eval.HTML), writable(c.Eval.SVG)); err != nil {
		return err
	}
	groups, err := readGroups(c.Eval.Group)
	if err != nil {
		return err
	}
	servers, err := p.readHistories(ctx, paths)
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
		p.warn(f.Warnings...)
		return p.publish(f, f.Page(), c.Eval.HTML)
	}
	policies := c.Eval.lineup().All()
	if c.Least > 0 { // those that were named tell it
		policies = c.Eval.lineup().WithWorth()
	}
	if slices.ContainsFunc(policies, policy.Learns) {
		if corpus.Learnt, err = p.learnt(ctx, servers); err != nil {
			return err
		}
		if corpus.Learnt.SameServers {
			p.warn("the parameters of value were learnt on these very histories, which flatters it; --folds 3 learns them out of fold")
		}
	}
	var page report.Page
	var result any
	if c.Eval.Warm > 0 {
		var run *eval.WarmRun
		if run, err = p.warmed(ctx, corpus, policies); err == nil {
			result, page = run, present.Warm(run)
		}
	} else if c.Eval.Protocol == "snapshot" {
		var runs []eval.SnapshotRun
		if runs, err = p.snapshots(ctx, corpus, policies); err == nil {
			result, page = runs, present.Snapshot(runs)
		}
	} else {
		var runs []eval.StreamRun
		if runs, err = p.streams(ctx, corpus, policies); err == nil {
			result, page = runs, present.Stream(runs)
		}
	}
	if err != nil {
		return err
	}
	if c.Eval.SVG != "" { // before anything is printed: a run that fails prints nothing
		if err := writeWhole(c.Eval.SVG, page.Lead().SVG); err != nil {
			return err
		}
	}
	return p.publish(result, page, c.Eval.HTML)
}

const week = 7 * 24 * time.Hour

func (p *program) snapshots(ctx context.Context, corpus *eval.Corpus, policies []string) ([]eval.SnapshotRun, error) {
	c := &p.config
	bar := p.progress("sweeps", len(c.Eval.Weeks)*len(policies))
	defer bar.End()
	var runs []eval.SnapshotRun
	for _, weeks := range c.Eval.Weeks {
		run, err := corpus.Snapshot(ctx, eval.SnapshotOptions{
			Weeks: weeks, Seed: c.Seed, Spread: c.Eval.Spread,
			Compare: c.Eval.lineup().Compared(), Without: c.Eval.lineup().Variants(),
			Sample: c.Eval.Sample, Alpha: c.Alpha, Thresholds: c.Eval.Threshold,
		}, policies, bar.Step)
		if err != nil {
			return nil, err
		}
		p.warn(eval.AllVanished(weeks, run.Corpus.Pages, run.Corpus.Vanished))
		runs = append(runs, run)
	}
	return runs, nil
}

func (p *program) streams(ctx context.Context, corpus *eval.Corpus, policies []string) ([]eval.StreamRun, error) {
	all, tick, end := p.streamOptions(len(policies))
	defer end()
	return corpus.Streams(ctx, all, policies, p.config.Eval.AtOnce, tick)
}

// warmed compares streams that begin with a past and without one.
func (p *program) warmed(ctx context.Context, corpus *eval.Corpus, policies []string) (*eval.WarmRun, error) {
	c := &p.config.Eval
	all, tick, end := p.streamOptions(len(policies) * (2 + len(c.WarmEvery)))
	defer end()
	return corpus.Warm(ctx, all, c.Warm, c.WarmEvery, policies, c.AtOnce, tick)
}

// streamOptions are those of all streams, and what tells how far so many of each are.
func (p *program) streamOptions(of int) (all []eval.StreamOptions, tick func(eval.Progress), end func()) {
	c := &p.config
	all = eval.StreamOptions{Step: c.Eval.Step, New: c.New, Seed: c.Seed, Runs: c.Eval.Runs, Spread: c.Eval.Spread,
		Compare: c.Eval.lineup().Compared(), Without: c.Eval.lineup().Variants(),
		Alpha: c.Alpha, Gone: c.Gone, Objective: c.objective(), LeastValue: c.Least}.Each(c.Eval.Weeks, c.Eval.Budget)
	bar := p.progress("days", eval.Days(all)*of)
	return all, func(at eval.Progress) { bar.StepOf(at.Name(all), at.Last) }, bar.End
}
