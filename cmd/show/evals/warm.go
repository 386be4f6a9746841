package evals

import (
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Warm returns the page of a comparison of warm and cold starts.
func Warm(run *eval.WarmRun) report.Page {
	t := report.Table{
		Title: fmt.Sprintf("Coverage of the first %d weeks, begun with captures of %d weeks and "+
			"without%s", run.Weeks, run.Before, intervals(run.Corpus.Servers)),
		Header: []string{"policy", "budget", "a capture every", "warm", "cold", "ratio",
			"addresses alone", "ratio"},
	}
	chart := report.Chart{Title: fmt.Sprintf("Coverage of the first %d weeks", run.Weeks),
		XLabel: "fetches a day, share of the pages", YLabel: "changes found",
		XPercent: true, YPercent: true}
	add := func(name string, dashed bool, x float64, y eval.Number) {
		i := slices.IndexFunc(chart.Series, func(s report.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(chart.Series)
			chart.Series = append(chart.Series, report.Series{Name: name, Dashed: dashed})
		}
		s := &chart.Series[i]
		if !slices.Contains(s.X, x) { // cold is the same beside all pasts
			s.X, s.Y = append(s.X, x), append(s.Y, float64(y))
		}
	}
	for _, s := range run.Starts {
		weeks := words.Plural(s.Every, "week")
		t.Rows = append(t.Rows, []string{s.Policy, eval.PerCent(s.Budget), weeks,
			Decimals(s.Value), Decimals(s.Other), ratioOf(s.Paired), Decimals(s.Alone.Other),
			ratioOf(s.Alone)})
		add(s.Policy+", cold", true, s.Budget, s.Other)
		add(s.Policy+", addresses alone", true, s.Budget, s.Alone.Other)
		add(s.Policy+", a capture every "+weeks, false, s.Budget, s.Value)
	}
	t.Note = fmt.Sprintf("%d servers, %d pages at week %d, %d changes. Cold: one copy of each "+
		"page, and no past. Addresses alone: no copies.",
		run.Corpus.Servers, run.Corpus.BasePages, run.Base, run.Corpus.Events)
	return report.Page{Title: "recrawl: warm starts", Finding: warmFinding(run),
		Intro: "What captures of others are worth in the first weeks of a planner.",
		Sections: []report.Section{{Title: "Warm and cold", Tables: []report.Table{t},
			Charts: []report.Chart{chart}}}}
}

// warmFinding says by which factor a warm start finds more changes, over all policies and budgets.
func warmFinding(run *eval.WarmRun) string {
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range run.Starts {
		if r := float64(s.Paired.Ratio); r > 0 {
			least, most = min(least, r), max(most, r)
		}
	}
	if most < least {
		return ""
	}
	return fmt.Sprintf("With captures of %s a planner finds %.2f to %.2f times as many changes "+
		"in its first %s as without.",
		words.Plural(run.Before, "week"), least, most, words.Plural(run.Weeks, "week"))
}
