package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner"
)

func (p *program) evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval FILE|DIRECTORY...",
		Short: "Compare policies on recorded histories",
		Long: `eval replays recorded page histories through the loop that also runs on the live web,
and measures what each policy finds.

snapshot  one sweep N-1 weeks after the base: update rate (changed among fetched),
          coverage (changed fetched among all changed), the area under coverage against
          share fetched (AUC), the gain over random order in units of the clairvoyant's,
          and the same inside servers.
stream    a daily budget over weeks: update rate, coverage of change events, freshness,
          mean age of stale copies, discovery of new pages, deletions found.

--figures makes the figures of [LINK] instead, by the snapshot protocol: update rate and
coverage of methods A, B and C by period and by group (fig. 5 to 8), against breadth-first
(fig. 9) and against whole servers by their change rate (fig. 12 to 18), and says which
claims of the paper hold on these servers: both sides are compared on the same 200
resamples of the servers; a claim holds if the 5th to 95th percentile is where it says,
does not hold if all of that is elsewhere, and otherwise cannot be told. All numbers have
that interval, with --spread or without. Sites that are no directories and tops chosen by
what they told are set beside A to C, server by server; they learn from twelve weekly
states before the base, or from --history so many, which A to C do not look at.

FILE is a history (gzip'd JSON Lines, one server each); of a directory all *.jsonl.gz
and *.jsonl are taken. The same files, options and seed give the same figures.`,
		Example: `  recrawl eval histories/ --protocol snapshot --weeks 2,4,12,24
  recrawl eval histories/ --protocol stream --budget 0.01,0.05 --policy interval,ebayes --spread
  recrawl eval histories/ --figures --group kinds.tsv --html figures.html
  recrawl eval histories/ --json | jq '.[0].results[] | {policy, coverage}'`,
		Args: someHistories,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.eval(cmd.Context(), args)
		},
	}
	addSettings(cmd)
	return cmd
}

// someHistories wants files or directories as arguments.
func someHistories(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError{errors.New("no histories given"), "name files or a directory: " + cmd.CommandPath() + " histories/"}
	}
	return nil
}

// readHistories reads them with progress.
func (p *program) readHistories(ctx context.Context, paths []string) ([]*history.Server, error) {
	bar := p.progress("reading histories", 0)
	defer bar.end()
	return history.ReadFiles(ctx, paths, func(done, total int) { bar.total = total; bar.at(done) })
}

func (p *program) eval(ctx context.Context, paths []string) error {
	c := &p.config
	if err := writable(c.Eval.HTML); err != nil {
		return err
	}
	groups, err := c.Eval.Groups.read()
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
		for _, w := range f.Warnings {
			p.warn(w)
		}
		return p.publish(f, f.Page(), c.Eval.HTML)
	}
	policies := c.Eval.Policy
	if slices.Contains(policies, "all") {
		policies = planner.PolicyNames()
		if c.Eval.Protocol == "stream" {
			policies = planner.StreamPolicyNames()
		}
	}
	var page report.Page
	var result any
	if c.Eval.Protocol == "snapshot" {
		var runs []eval.SnapshotRun
		if runs, err = p.snapshots(ctx, corpus, policies); err == nil {
			result, page = runs, snapshotReport(runs)
		}
	} else {
		var runs []eval.StreamRun
		if runs, err = p.streams(ctx, corpus, policies); err == nil {
			result, page = runs, streamReport(runs)
		}
	}
	if err != nil {
		return err
	}
	return p.publish(result, page, c.Eval.HTML)
}

const week = 7 * 24 * time.Hour

func (p *program) snapshots(ctx context.Context, corpus *eval.Corpus, policies []string) ([]eval.SnapshotRun, error) {
	c := &p.config
	bar := p.progress("sweeps", len(c.Eval.Weeks)*len(policies))
	defer bar.end()
	var runs []eval.SnapshotRun
	for _, weeks := range c.Eval.Weeks {
		run, err := corpus.Snapshot(ctx, eval.SnapshotOptions{Weeks: weeks, Seed: c.Seed, Spread: c.Eval.Spread, Sample: c.Eval.Sample, Thresholds: c.Eval.Threshold}, policies, bar.step)
		if err != nil {
			return nil, err
		}
		p.warn(allVanished(weeks, run.Corpus.Pages, run.Corpus.Vanished))
		runs = append(runs, run)
	}
	return runs, nil
}

func (p *program) streams(ctx context.Context, corpus *eval.Corpus, policies []string) ([]eval.StreamRun, error) {
	c := &p.config
	days := 0
	for _, weeks := range c.Eval.Weeks {
		days += 7 * weeks * len(c.Eval.Budget) * len(policies)
	}
	bar := p.progress("days", days)
	defer bar.end()
	var runs []eval.StreamRun
	for _, weeks := range c.Eval.Weeks {
		for _, budget := range c.Eval.Budget {
			run, err := corpus.Stream(ctx, eval.StreamOptions{Weeks: weeks, Budget: budget, New: c.New, Seed: c.Seed, Spread: c.Eval.Spread}, policies, bar.step)
			if err != nil {
				return nil, err
			}
			runs = append(runs, run)
		}
	}
	return runs, nil
}

// snapshotReport shows what is printed and what the file holds: the same tables.
func snapshotReport(runs []eval.SnapshotRun) report.Page {
	page := report.Page{Title: "recrawl: snapshot protocol",
		Intro: "Each policy decides the order in which the pages of one corpus are fetched again, once. U is the update rate (changed among fetched), C the coverage (changed fetched among all changed). The gain relates the area under the curve to random order (0) and to the clairvoyant (1)."}
	for _, run := range runs {
		page.Sections = append(page.Sections, snapshotSection(run))
	}
	return page
}

func snapshotSection(run eval.SnapshotRun) report.Section {
	t := report.Table{Title: fmt.Sprintf("N = %d weeks: %d servers, %d pages, %d changed (%.1f %%), %d in some weekly comparison, %d vanished; change by %s",
		run.Weeks, run.Corpus.Servers, run.Corpus.Pages, run.Corpus.Changed,
		100*float64(run.Corpus.Changed)/float64(max(run.Corpus.Pages, 1)), run.ChangedWeekly, run.Corpus.Vanished, run.Change),
		Header: []string{"policy", "fetched", "changed", "U", "C", "AUC", "gain", "gain in servers"}}
	chart := report.Chart{Title: fmt.Sprintf("Coverage against share fetched, N = %d weeks", run.Weeks),
		XLabel: "share of the pages fetched", YLabel: "share of the changed pages found", XPercent: true, YPercent: true, Diagonal: true}
	withSpread := len(run.Results) > 0 && run.Results[0].Spread != nil
	if withSpread {
		t.Header = append(t.Header, "U 5-95 %", "C 5-95 %")
	}
	for _, r := range run.Results {
		row := []string{nameOf(r), count(r.Fetched), count(r.ChangedFetched), decimals(r.UpdateRate), decimals(r.Coverage), decimals(r.AUC), decimals(r.Gain), decimals(r.GainInServers)}
		if withSpread {
			row = append(row, span(r.Spread.UpdateRate), span(r.Spread.Coverage))
		}
		t.Rows = append(t.Rows, row)
		s := report.Series{Name: nameOf(r), Dashed: planner.Reference(r.Policy)}
		for _, point := range r.Curve {
			s.X, s.Y = append(s.X, point[0]), append(s.Y, point[1])
		}
		chart.Series = append(chart.Series, s)
	}
	return report.Section{Title: fmt.Sprintf("N = %d weeks", run.Weeks), Tables: []report.Table{t}, Charts: []report.Chart{chart}}
}

// nameOf is a policy with its threshold, where it has one.
func nameOf(r eval.SnapshotResult) string {
	if r.Threshold == 0 {
		return r.Policy
	}
	return fmt.Sprintf("%s >= %.3g", r.Policy, r.Threshold)
}

func streamReport(runs []eval.StreamRun) report.Page {
	page := report.Page{Title: "recrawl: stream protocol",
		Intro: "Each policy has the same number of fetches a day. U is the update rate (changed among refetches), C the share of all change events that were found. Freshness is the time average of the share of known living pages whose copy is good; age is the mean number of days since the first unseen change."}
	for _, run := range runs {
		page.Sections = append(page.Sections, streamSection(run))
	}
	return page
}

func streamSection(run eval.StreamRun) report.Section {
	t := report.Table{Title: fmt.Sprintf("%.3g %% of the pages a day, %d weeks: %d servers, %d base pages, %d pages in all, %d events; change by %s",
		100*run.Budget, run.Weeks, run.Corpus.Servers, run.Corpus.BasePages, run.Corpus.Pages, run.Corpus.Events, run.Change),
		Header: []string{"policy", "fetched", "refetched", "changed", "U", "C", "freshness", "age, days", "discovered", "delay, days", "deletions"}}
	rates := report.Chart{Title: "Update rate by week", XLabel: "week", YLabel: "changed among refetches", YPercent: true}
	fresh := report.Chart{Title: "Freshness over time", XLabel: "week", YLabel: "share of good copies, axis may be cut", YPercent: true, YCut: true}
	withSpread := len(run.Results) > 0 && run.Results[0].Spread != nil
	if withSpread {
		t.Header = append(t.Header, "C 5-95 %")
	}
	for _, r := range run.Results {
		row := []string{r.Policy, count(r.Fetched), count(r.Refetched), count(r.Changed), decimals(r.UpdateRate), decimals(r.Coverage),
			decimals(r.Freshness), tenths(r.MeanAgeDays), decimals(r.Discovered), tenths(r.DiscoveryDelayDays), decimals(r.DeletionsFound)}
		if withSpread {
			row = append(row, span(r.Spread.Coverage))
		}
		t.Rows = append(t.Rows, row)
		u := report.Series{Name: r.Policy, Dashed: planner.Reference(r.Policy)}
		f := u
		for _, w := range r.Weekly {
			u.X, u.Y = append(u.X, float64(w.Week)), append(u.Y, float64(w.UpdateRate))
			f.X, f.Y = append(f.X, float64(w.Week)), append(f.Y, float64(w.Freshness))
		}
		rates.Series, fresh.Series = append(rates.Series, u), append(fresh.Series, f)
	}
	return report.Section{Title: fmt.Sprintf("Budget %.3g %% a day, %d weeks", 100*run.Budget, run.Weeks),
		Tables: []report.Table{t}, Charts: []report.Chart{rates, fresh}}
}

func count(n int) string { return fmt.Sprint(n) }

func decimals(v eval.Number) string { return number(v, 3) }

func tenths(v eval.Number) string { return number(v, 1) }

// number shows an undefined value as a dash.
func number(v eval.Number, digits int) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, float64(v))
}

func span(s [2]eval.Number) string {
	return strings.Join([]string{decimals(s[0]), decimals(s[1])}, "..")
}
