package evals

import (
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// weeksTogether is how many weeks a point of the update rate averages over: single weeks jump with
// large servers.
func weeksTogether(weeks int) int {
	if weeks < 16 {
		return 1
	}
	return 4
}

// block is some consecutive weeks of a run.
type block struct {
	first, last int // weeks, from 1
	rate        eval.Number
}

func blocksOf(r *eval.StreamResult, size int) (blocks []block) {
	for weeks := range slices.Chunk(r.Weekly, size) {
		refetched, changed := 0, 0
		for _, w := range weeks {
			refetched, changed = refetched+w.Refetched, changed+w.Changed
		}
		b := block{first: weeks[0].Week, last: weeks[len(weeks)-1].Week}
		b.rate = eval.Number(float64(changed) / float64(refetched)) // NaN for none
		blocks = append(blocks, b)
	}
	return blocks
}

// frontCharts show the results of each policy with its budget: changes found, and good and young
// copies.
func frontCharts(run eval.StreamRun) []report.Chart {
	if len(run.Results) < 2 {
		return nil
	}
	fresh := report.Chart{Title: "Coverage and freshness: upper right is better",
		XLabel: "share of the changes found",
		YLabel: "share of good copies, axis may be cut", XPercent: true, YPercent: true, YCut: true}
	young := report.Chart{Title: "Coverage and age: lower right is better",
		XLabel: "share of the changes found",
		YLabel: "days for which copies have been stale, mean", XPercent: true}
	for _, kind := range []struct {
		name string
		has  func(name string) bool
	}{
		{"published", policy.Published},
		{policy.Default + ", and by objective", func(name string) bool {
			_, ok := policy.ObjectiveOf(name)
			return ok || name == policy.Default
		}},
		{"reference", policy.Reference},
	} {
		f := report.Series{Name: kind.name, Points: true}
		a := f
		for i := range run.Results {
			if r := &run.Results[i]; kind.has(r.Policy) {
				f.X, f.Y, f.Labels = append(f.X, float64(r.Coverage)),
					append(f.Y, float64(r.Freshness)), append(f.Labels, r.Policy)
				a.X, a.Y, a.Labels = append(a.X, float64(r.Coverage)),
					append(a.Y, float64(r.MeanAgeDays)), append(a.Labels, r.Policy)
			}
		}
		if len(f.X) > 0 {
			fresh.Series, young.Series = append(fresh.Series, f), append(young.Series, a)
		}
	}
	return []report.Chart{fresh, young}
}

// weekCharts are the learning curves of the policies shown.
func weekCharts(run eval.StreamRun, shown []string) []report.Chart {
	size := weeksTogether(run.Weeks)
	rates := report.Chart{Title: "Update rate by week", XLabel: "week",
		YLabel: "changed among refetches", YPercent: true}
	if size > 1 {
		rates.Title = fmt.Sprintf("Update rate over %d weeks each", size)
		rates.XLabel = "to week"
	}
	covers := report.Chart{Title: "Coverage so far", XLabel: "to week",
		YLabel: "share of the changes until then", YPercent: true}
	fresh := report.Chart{Title: "Freshness over time", XLabel: "week",
		YLabel: "share of good copies, axis may be cut", YPercent: true, YCut: true}
	for _, name := range shown {
		for i := range run.Results {
			r := &run.Results[i]
			if r.Policy != name {
				continue
			}
			u := report.Series{Name: name, Dashed: policy.Reference(name)}
			c, f := u, u
			for _, b := range blocksOf(r, size) {
				u.X, u.Y = append(u.X, float64(b.last)), append(u.Y, float64(b.rate))
			}
			for _, w := range r.Weekly {
				c.X, c.Y = append(c.X, float64(w.Week)), append(c.Y, float64(w.Coverage))
				f.X, f.Y = append(f.X, float64(w.Week)), append(f.Y, float64(w.Freshness))
			}
			rates.Series, covers.Series, fresh.Series = append(rates.Series, u),
				append(covers.Series, c), append(fresh.Series, f)
		}
	}
	return []report.Chart{rates, covers, fresh}
}

// weekTable has the update rate of all policies over time, for the page.
func weekTable(run eval.StreamRun) report.Table {
	size := weeksTogether(run.Weeks)
	t := report.Table{Title: fmt.Sprintf("Update rate over time, %s a day, by weeks",
		eval.PerCent(run.Budget)), Header: []string{"policy"}, PageOnly: true}
	for i := range run.Results {
		r := &run.Results[i]
		row := []string{r.Policy}
		for _, b := range blocksOf(r, size) {
			if i == 0 && size > 1 {
				t.Header = append(t.Header, fmt.Sprintf("%d-%d", b.first, b.last))
			} else if i == 0 {
				t.Header = append(t.Header, fmt.Sprint(b.last))
			}
			row = append(row, Decimals(b.rate))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// reliability shows how reliable probabilities are; nothing if no policy has any.
func reliability(runs []Run, shown []string) []report.Section {
	s := report.Section{Title: "How far probabilities can be believed",
		Text: "Of the pages that a policy gave a probability of change of 30 %, did 30 % change? " +
			"On the line they did; below it the policy was too sure of changes. The expected " +
			"calibration error (ECE) is the mean distance from the line over 20 bins, weighted " +
			"by how many pages are in them; Brier score and log loss also punish probabilities " +
			"that say little. Visited: the pages that the policy chose to fetch again. Any page: " +
			"pages drawn at random at each week's end, whether visited or not, of policies that " +
			"can be asked."}
	errors := report.Table{Title: "Expected calibration error of probabilities of change: of " +
		"refetches; of any page drawn at random", Header: []string{"policy"}}
	full := report.Table{Title: "Probabilities of change and what came of them", PageOnly: true,
		Header: []string{"policy", "run", "of", "count", "mean probability", "changed", "ECE",
			"Brier", "log loss"}}
	for _, run := range runs {
		errors.Header = append(errors.Header, run.label, "any page")
		chart := report.Chart{Title: "Reliability of refetches, " + run.label,
			XLabel: "probability of change given", YLabel: "share that had changed",
			XPercent: true, YPercent: true, Diagonal: true, DiagonalName: "what should be"}
		anyPage := chart
		anyPage.Title = "Reliability for any page, " + run.label
		for _, r := range run.results {
			if r.stream.Calibration == nil || policy.Reference(r.policy) {
				continue
			}
			for _, of := range []struct {
				name string
				c    *eval.Calibration
			}{{"visited", r.stream.Calibration}, {"any page", r.stream.CalibrationUnvisited}} {
				if c := of.c; c != nil {
					full.Rows = append(full.Rows, []string{r.name, run.label, of.name,
						words.Count(c.Count), Decimals(c.Probability), Decimals(c.Changed),
						Decimals(c.ECE), Decimals(c.Brier), Decimals(c.LogLoss)})
				}
			}
		}
		chart.Series = reliabilityLines(run, shown, func(r *eval.StreamResult) *eval.Calibration {
			return r.Calibration
		})
		anyPage.Series = reliabilityLines(run, shown, func(r *eval.StreamResult) *eval.Calibration {
			return r.CalibrationUnvisited
		})
		for _, c := range []report.Chart{chart, anyPage} {
			if len(c.Series) > 0 {
				s.Charts = append(s.Charts, c)
			}
		}
	}
	errors.Rows = calibrationErrors(runs)
	if len(errors.Rows) == 0 {
		return nil
	}
	s.Tables = []report.Table{errors, full}
	return []report.Section{s}
}

// calibrationErrors has a row for each policy with probabilities.
func calibrationErrors(runs []Run) (rows [][]string) {
	for i, r := range runs[0].results {
		if r.stream.Calibration == nil || policy.Reference(r.policy) {
			continue
		}
		row := []string{r.name}
		for _, run := range runs {
			for _, c := range []*eval.Calibration{run.results[i].stream.Calibration,
				run.results[i].stream.CalibrationUnvisited} {
				if c == nil {
					row = append(row, "-")
					continue
				}
				row = append(row, Decimals(c.ECE))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// reliabilityLines are the bins of the shown policies, without bins of few pages.
func reliabilityLines(run Run, shown []string, of func(*eval.StreamResult) *eval.Calibration) (
	lines []report.Series) {
	const least = 20
	for _, name := range shown {
		for _, r := range run.results {
			if r.name != name || of(r.stream) == nil || policy.Reference(r.policy) {
				continue
			}
			line := report.Series{Name: name}
			for _, b := range of(r.stream).Bins {
				if b.Count >= least {
					line.X, line.Y = append(line.X, float64(b.Probability)),
						append(line.Y, float64(b.Changed))
				}
			}
			lines = append(lines, line)
		}
	}
	return lines
}
