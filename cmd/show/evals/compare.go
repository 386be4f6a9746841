package evals

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/policy"
)

// overview shows first what matters most: the results of each budget or horizon, the compared
// policy beside the others, and the gain by its evidence.
func overview(runs []Run, order, shown []string) []report.Section {
	var all []report.Section
	if charts := againstBudget(runs, order, shown); charts != nil {
		title, text := "What a budget buys", "Each line is a policy. Each point is a run with that "+
			"number of fetches a day. Dashed lines are bounds, which know the changes: "+
			"clairvoyant fetches pages that have changed, true-rates those that change "+
			"most often."
		if order[0] == eval.Gain {
			title, text = "What an order of fetches gains",
				"Each line is a policy, each point a sweep of its own. 0 is random order, 1 all "+
					"changed pages first."
		}
		all = append(all, report.Section{Title: title, Text: text, Charts: charts})
	}
	if len(runs) > 0 && runs[0].comparison != nil {
		policy := runs[0].comparison.Policy
		all = append(all, report.Section{Title: fmt.Sprintf("How %s stands beside the others",
			policy),
			Text: fmt.Sprintf("Best published: the best policy that is neither ours nor a "+
				"reference line, by each measure, chosen once on all servers. Intervals: 200 "+
				"corpora of as many servers are drawn with replacement, and %s and its rival are "+
				"measured on the same drawn servers; 5 to 95 %% of the differences or ratios lie "+
				"within. A ratio whose interval lies above 1, or a difference whose interval "+
				"lies above 0, is hardly luck of these servers.", policy),
			Tables: []report.Table{comparedWithBest(runs, order), comparedByRun(runs, order)}})
	}
	if ablation := ablations(runs, order); ablation != nil {
		all = append(all, *ablation)
	}
	return all
}

// comparedWithBest compares the compared policy with the best published one, by measure and run.
func comparedWithBest(runs []Run, order []string) report.Table {
	policy := runs[0].comparison.Policy
	t := report.Table{Title: fmt.Sprintf("%s against the best published policy by each measure%s",
		policy, intervals(runs[0].servers)),
		Header: []string{"measure", "run", "ratio", "difference", policy, "best published",
			"its value"}}
	row := func(label, measure, against string, p eval.Paired) {
		t.Rows = append(t.Rows, []string{measureNames[measure], label, ratioOf(p), difference(p),
			Decimals(p.Value), against, Decimals(p.Other)})
	}
	for _, m := range order {
		var pairs []eval.Paired
		for _, run := range runs {
			if best, ok := run.comparison.Best[m]; ok {
				row(run.label, m, opponentName(best.Policy, best.Threshold), best.Paired)
				pairs = append(pairs, best.Paired)
			}
		}
		if len(pairs) > 1 && len(pairs) == len(runs) {
			row("mean", m, "the best of each", eval.Mean(pairs))
		}
	}
	return t
}

// comparedByRun compares the policy with all others in each run by the most telling measure: ratios
// of coverage, and differences of gain, which may be 0.
func comparedByRun(runs []Run, order []string) report.Table {
	m, show, what := order[0], ratioOf, "ratio"
	if m == eval.Gain {
		show, what = difference, "difference"
	}
	c := runs[0].comparison
	t := report.Table{Title: fmt.Sprintf("%s against each policy: %s of %s%s",
		c.Policy, what, measureNames[m], intervals(runs[0].servers)), Header: []string{"against"}}
	for i, run := range runs {
		t.Header, t.Spare = append(t.Header, run.label), append(t.Spare, i+1)
	}
	for i, o := range c.With {
		name := opponentName(o.Policy, o.Threshold)
		if o.Reference {
			name += " (reference)"
		}
		row := []string{name}
		for _, run := range runs {
			row = append(row, show(run.comparison.With[i].Measures[m]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// comparedWithAll has all measures of a run, for the page.
func comparedWithAll(run Run, order []string) []report.Table {
	c := run.comparison
	if c == nil || len(c.With) == 0 {
		return nil
	}
	differences := report.Table{Title: fmt.Sprintf("%s less each other policy, %s%s",
		c.Policy, run.label, intervals(run.servers)), Header: []string{"less"}, PageOnly: true}
	for _, m := range order {
		differences.Header = append(differences.Header, measureNames[m])
	}
	ratios := differences
	ratios.Title = fmt.Sprintf("%s divided by each other policy, %s%s",
		c.Policy, run.label, intervals(run.servers))
	ratios.Header = slices.Concat([]string{"divided by"}, differences.Header[1:])
	for _, o := range c.With {
		d, r := []string{opponentName(o.Policy, o.Threshold)},
			[]string{opponentName(o.Policy, o.Threshold)}
		for _, m := range order {
			d, r = append(d, difference(o.Measures[m])), append(r, ratioOf(o.Measures[m]))
		}
		differences.Rows, ratios.Rows = append(differences.Rows, d), append(ratios.Rows, r)
	}
	return []report.Table{differences, ratios}
}

func opponentName(policy string, threshold float64) string {
	return nameOf(eval.SnapshotResult{Policy: policy, Threshold: threshold})
}

// difference returns a signed difference with its interval.
func difference(p eval.Paired) string {
	return within(p.Difference, p.DifferenceSpread, func(v eval.Number) string {
		return fmt.Sprintf("%+.3f", float64(v))
	})
}

func ratioOf(p eval.Paired) string {
	return within(p.Ratio, p.RatioSpread, func(v eval.Number) string {
		return fmt.Sprintf("%.2f", float64(v))
	})
}

// within returns a value with its interval, without undefined parts.
func within(v eval.Number, spread [2]eval.Number, show func(eval.Number) string) string {
	switch {
	case math.IsNaN(float64(v)):
		return "-"
	case math.IsNaN(float64(spread[0])):
		return show(v)
	}
	return fmt.Sprintf("%s [%s, %s]", show(v), show(spread[0]), show(spread[1]))
}

// longMeasures are the names of measures on axes.
var longMeasures = map[string]string{eval.Coverage: "Coverage: share of the changes found",
	eval.UpdateRate: "Update rate",
	eval.Freshness:  "Freshness: share of good copies", eval.Gain: "Gain",
	eval.GainInServers: "Gain in servers", eval.Discovered: "Discovered"}

// againstBudget draws the two leading measures against the budget or the horizon, a pair of charts
// for each length of a stream.
func againstBudget(runs []Run, order, shown []string) []report.Chart {
	pair, x := []string{eval.Coverage, eval.Freshness}, "fetches a day, as a share of the pages"
	if order[0] == eval.Gain {
		pair, x = []string{eval.Gain, eval.GainInServers}, "weekly snapshots N"
	}
	var lengths []int
	for _, run := range runs {
		if !slices.Contains(lengths, run.weeks) {
			lengths = append(lengths, run.weeks)
		}
	}
	var charts []report.Chart
	for _, weeks := range lengths {
		same := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.weeks != weeks })
		if len(same) < 2 {
			continue
		}
		slices.SortStableFunc(same, func(a, b Run) int { return cmp.Compare(a.x, b.x) })
		for _, m := range pair {
			c := report.Chart{Title: longMeasures[m], XLabel: x, YLabel: measureNames[m],
				YPercent: m == eval.Coverage || m == eval.Freshness, YCut: m == eval.Freshness,
				Bars: shortResampled}
			for _, run := range same {
				c.XNames = append(c.XNames, run.tick)
			}
			if m == eval.Coverage {
				c.YLabel = "change events found"
			}
			if m == eval.Freshness {
				c.YLabel = "good copies, axis may be cut"
			}
			if len(lengths) > 1 {
				c.Title += fmt.Sprintf(", %d weeks", weeks)
			}
			for _, name := range shown {
				c.Series = append(c.Series, measureLine(same, name, m))
			}
			charts = append(charts, c)
		}
	}
	return charts
}

// measureLine is one policy's measure in all runs.
func measureLine(runs []Run, name, measure string) report.Series {
	s := report.Series{Name: name}
	for i, run := range runs {
		for _, r := range run.results {
			if r.name != name {
				continue
			}
			s.Dashed = policy.Reference(r.policy)
			bar := r.Interval(measure)
			s.X, s.Y = append(s.X, float64(i)), append(s.Y, float64(r.Measure(measure)))
			s.Low, s.High = append(s.Low, float64(bar[0])), append(s.High, float64(bar[1]))
		}
	}
	return s
}

// ablations shows the loss of the policy without each of its parts; nil if they were not measured.
func ablations(runs []Run, order []string) *report.Section {
	if len(runs) == 0 || runs[0].comparison == nil || len(runs[0].comparison.Without) == 0 {
		return nil
	}
	c := runs[0].comparison
	s := report.Section{Title: "What each part is worth",
		Text: fmt.Sprintf("%s less the same policy with one part switched off, on the same "+
			"drawn servers. Above 0: the part helps. Parts that tell the same stand in for each "+
			"other, so their values need not add up.", c.Policy)}
	shownMeasures := order[:2]
	if order[0] == eval.Coverage {
		shownMeasures = []string{eval.Coverage, eval.Freshness}
	}
	for _, m := range shownMeasures {
		t := report.Table{Title: fmt.Sprintf("%s: %s less that without%s",
			measureNames[m], c.Policy, intervals(runs[0].servers)), Header: []string{"without"}}
		chart := report.Chart{Title: longMeasures[m] + " lost without", XLabel: "part",
			YLabel: "difference of " + measureNames[m], Bars: shortResampled}
		for _, without := range c.Without {
			t.Rows = append(t.Rows, []string{without.Part})
			chart.XNames = append(chart.XNames, without.Part)
		}
		for _, run := range runs {
			t.Header = append(t.Header, run.label)
			line := report.Series{Name: run.label, Points: true}
			for i, without := range run.comparison.Without {
				p := without.Measures[m]
				t.Rows[i] = append(t.Rows[i], difference(p))
				line.X, line.Y = append(line.X, float64(i)), append(line.Y, float64(p.Difference))
				line.Low, line.High = append(line.Low, float64(p.DifferenceSpread[0])),
					append(line.High, float64(p.DifferenceSpread[1]))
			}
			chart.Series = append(chart.Series, line)
		}
		s.Tables, s.Charts = append(s.Tables, t), append(s.Charts, chart)
	}
	return &s
}
