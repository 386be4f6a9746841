package evals

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/tune"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Tune shows a prediction of the effect of budgets. As JSON it is the prediction.
type Tune struct{ *tune.Prediction }

// percent returns a share with its unit, for tables in which budgets are shares, too.
func percent(v eval.Number) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return words.Significant(100*float64(v), 3) + " %"
}

func fetches(v eval.Number) string { return words.Significant(float64(v), 4) }

func ranged(r tune.Range) string {
	if math.IsNaN(float64(r.Low)) {
		return Decimals(r.Value)
	}
	return fmt.Sprintf("%s (%s to %s)", Decimals(r.Value), Decimals(r.Low), Decimals(r.High))
}

func (t Tune) Page() report.Page {
	r := t
	page := report.Page{Title: "What a budget buys", Intro: fmt.Sprintf(
		"Predicted from %s for policy %s over %s: %s on %s, %s. "+
			"Values are means over %s; in brackets %s. Budgets are shares of the pages a day.",
		r.Source, r.Policy, words.Plural(r.Weeks, "week"), words.Plural(r.Pages, "page"),
		words.Plural(r.Servers, "server"), t.changes(true), words.Plural(r.Futures, "future"),
		t.brackets())}
	page.Finding = t.finding()
	page.Sections = append(page.Sections, t.curveSection(), t.politenessSection())
	if r.Check != nil {
		page.Sections = append(page.Sections, checkSection(r.Check, r.Curve))
	}
	if len(r.Warnings) > 0 {
		page.Sections = append(page.Sections,
			report.Section{Title: "To be doubted", Text: strings.Join(r.Warnings, "\n\n")})
	}
	return page
}

// changes says how often the pages change. If they change more often than daily visits see, it also
// says what such visits find.
func (t Tune) changes(doubt bool) string {
	changes := func(v eval.Number) string { return words.Significant(float64(v), 3) }
	if math.IsNaN(float64(t.PerDay.Value)) {
		return "how often they change is not known yet"
	}
	text := changes(t.PerDay.Value) + " changes a day"
	switch high := float64(t.PerDay.High); {
	case !doubt || math.IsNaN(high):
	case math.IsInf(high, 1):
		text += " (" + changes(t.PerDay.Low) + " or more)"
	default:
		text += fmt.Sprintf(" (%s to %s)", changes(t.PerDay.Low), changes(t.PerDay.High))
	}
	if daily := t.Daily.Value; daily < 0.9*t.PerDay.Value {
		text += ", of which a visit a day to each page can find " + changes(daily)
	}
	return text
}

// finding says from which budget on another fetch gains less, and the budget of a target.
func (t Tune) finding() string {
	says := "The curve of coverage has no knee: each fetch more buys as much as the one before."
	if last := t.Curve[len(t.Curve)-1]; math.IsNaN(float64(last.Coverage.Value)) {
		says = "No change is expected, so no budget buys any."
	}
	if t.Knee != nil {
		says = fmt.Sprintf("Beyond %s a day a fetch more buys less than the mean fetch up to "+
			"%s does.", percent(eval.Number(t.Knee.Budget)),
			percent(eval.Number(t.Curve[len(t.Curve)-1].Budget)))
	}
	if now := t.InForce; now != nil {
		says += fmt.Sprintf(" The budget in force is %s, %s fetches a day: coverage %s, freshness "+
			"%s.", percent(eval.Number(now.Budget)), fetches(now.PerDay),
			Decimals(now.Coverage.Value),
			Decimals(now.Freshness.Value))
	}
	if t.Target != nil {
		says += " " + answerText(t.Target)
	}
	return says
}

func (t Tune) curveSection() report.Section {
	r := t
	table := report.Table{Title: fmt.Sprintf("Predicted from %s: %s, %s, policy "+
		"%s, %s", r.Source, words.Plural(r.Pages, "page"), t.changes(false), r.Policy,
		words.Plural(r.Weeks, "week")),
		Header: []string{"budget a day", "fetches", "coverage", "update rate", "freshness",
			"of search results", ""}}
	for i, p := range t.points() {
		note := ""
		if p == r.InForce {
			note, table.Best = "in force", append(table.Best, i)
		} else if r.Knee != nil && p.Budget == r.Knee.Budget {
			note = "knee"
		}
		table.Rows = append(table.Rows, []string{percent(eval.Number(p.Budget)),
			fetches(p.PerDay), ranged(p.Coverage), ranged(p.UpdateRate), ranged(p.Freshness),
			ranged(p.SearchFreshness), note})
	}
	table.Spare, table.BestBy = []int{5, 3}, "the budget in force"
	table.Note = "In brackets: " + t.brackets() + ". Of search results: share of the copies that a " +
		"search shows which are good, each page counted as often as the list of --weights says " +
		"that it is shown, or once; there the futures alone are in brackets."
	if r.Futures < 4 {
		table.Note += " More --futures tell more of what chance does, and take longer."
	}
	s := report.Section{Title: "Budgets", Tables: []report.Table{table}}
	for _, m := range []struct{ name, label string }{{eval.Coverage, "Coverage"},
		{eval.UpdateRate, "Update rate"}, {eval.Freshness, "Freshness"}} {
		s.Charts = append(s.Charts, t.curveChart(m.name, m.label))
	}
	return s
}

// points returns the points of the curve and the budget in force, from small to large.
func (t Tune) points() (all []*tune.Point) {
	for i := range t.Curve {
		all = append(all, &t.Curve[i])
	}
	if t.InForce != nil {
		at := slices.IndexFunc(all, func(p *tune.Point) bool { return p.Budget > t.InForce.Budget })
		if at < 0 {
			at = len(all)
		}
		all = slices.Insert(all, at, t.InForce)
	}
	return all
}

// brackets explains the brackets.
func (t Tune) brackets() string {
	switch futures := words.Plural(t.Futures, "future"); {
	case t.Servers < 2 && t.Futures < 2:
		return "nothing, because one future of one server has no interval"
	case t.Servers < 2:
		return "the 5th to 95th percentile over " + futures +
			" of one server, which says nothing of others"
	default:
		return "the 5th to 95th percentile over " + futures + " and 200 resamples of the servers"
	}
}

func answerText(a *tune.Answer) string {
	if math.IsNaN(float64(a.Budget.Value)) {
		return fmt.Sprintf("No budget looked at reaches %s; --budget takes others.", a.Target)
	}
	end := func(v eval.Number) string {
		if math.IsNaN(float64(v)) {
			return "out of reach"
		}
		return percent(v)
	}
	kind := "smallest"
	if strings.HasPrefix(a.Target, eval.UpdateRate) {
		kind = "largest"
	}
	return fmt.Sprintf("The %s budget for %s is %s, %s fetches a day (%s to %s).",
		kind, a.Target, percent(a.Budget.Value), fetches(a.PerDay), end(a.Budget.Low),
		end(a.Budget.High))
}

func (t Tune) curveChart(measure, label string) report.Chart {
	r := t
	chart := report.Chart{Title: label + " against budget",
		XLabel: "fetches a day, share of the pages", YLabel: strings.ToLower(label), XPercent: true,
		YPercent: true,
		Bars:     "5th to 95th percentile over futures and resamples of the servers"}
	line := report.Series{Name: "predicted"}
	for _, p := range t.points() {
		v := p.Measure(measure)
		label := ""
		if p == r.InForce {
			label = "in force"
		} else if r.Knee != nil && p.Budget == r.Knee.Budget && measure == eval.Coverage {
			label = "knee"
		}
		line.X, line.Y, line.Labels = append(line.X, p.Budget), append(line.Y, float64(v.Value)),
			append(line.Labels, label)
		line.Low, line.High = append(line.Low, float64(v.Low)), append(line.High, float64(v.High))
	}
	chart.Series = []report.Series{line}
	if r.Check != nil {
		seen := report.Series{Name: "measured by replay", Dashed: true}
		for i := range r.Check.Points {
			p := &r.Check.Points[i]
			seen.X, seen.Y = append(seen.X, p.Budget),
				append(seen.Y, float64(p.Measure(measure).Measured))
		}
		chart.Series = append(chart.Series, seen)
	}
	return chart
}

func (t Tune) politenessSection() report.Section {
	r := t.Politeness
	delays := report.Table{Title: "What a delay between two visits to a server leaves within " +
		"reach, coverage at " + percent(eval.Number(r.Budget)) + " a day",
		Header: []string{"delay, s", "visits a day", "crowded servers", "short servers",
			"beyond reach", "late", "coverage"}}
	for _, d := range r.Delays {
		visits := "any"
		if d.Seconds > 0 {
			visits = fmt.Sprintf("%.0f", math.Floor(float64(d.Visits)))
		}
		delays.Rows = append(delays.Rows, []string{words.Significant(d.Seconds, 4), visits,
			words.Count(d.Crowded), words.Count(d.Short), percent(eval.Number(d.Beyond)),
			percent(eval.Number(d.Late)), ranged(d.Coverage)})
	}
	delays.Note = "crowded: more pages than visits a day; short: more changes than visits a day " +
		"in the long run; beyond reach: changes that no policy and no budget finds; late: that " +
		"cannot be found on their day. " + feasibleText(&r)
	busiest := report.Table{Title: "Busiest servers",
		Header: []string{"server", "pages", "changes a day", "longest feasible delay, s"}}
	for _, l := range r.Busiest {
		busiest.Rows = append(busiest.Rows,
			[]string{l.Server, words.Count(l.Pages), words.Significant(l.PerDay, 3),
				Number(l.Seconds, 0)})
	}
	return report.Section{Title: "Politeness", Tables: []report.Table{delays, busiest}}
}

func feasibleText(r *tune.Politeness) string {
	text := fmt.Sprintf("Up to %s s each page can be seen each day (largest server: %s), so "+
		"that a shorter delay buys nothing.",
		words.Significant(float64(r.PromptSeconds), 4), r.PromptServer)
	if r.FeasibleServer == "" {
		return text + " Nothing changes, so any delay is feasible."
	}
	return text + fmt.Sprintf(" Up to %s s no server changes more often than it can be visited "+
		"(busiest: %s).", words.Significant(float64(r.FeasibleSeconds), 4), r.FeasibleServer)
}

func checkSection(c *tune.Check, curve []tune.Point) report.Section {
	table := report.Table{Title: "Predicted, and measured by a replay of the weeks after the base",
		Header: []string{"budget a day", "measure", "predicted", "measured", "error",
			"inside the spread"}}
	row := func(budget, measure string, v tune.Checked, digits int) {
		inside := "no"
		if v.Inside {
			inside = "yes"
		}
		off := "-"
		if !math.IsNaN(float64(v.Error)) {
			off = fmt.Sprintf("%+.1f %%", 100*float64(v.Error))
		}
		table.Rows = append(table.Rows, []string{budget, measure, fmt.Sprintf("%s (%s to %s)",
			Number(v.Predicted.Value, digits), Number(v.Predicted.Low, digits),
			Number(v.Predicted.High, digits)), Number(v.Measured, digits), off, inside})
	}
	row("all", "changes a day", c.PerDay, 1)
	for i := range c.Points {
		p := &c.Points[i]
		for _, m := range tune.Measures {
			row(percent(eval.Number(p.Budget)), strings.ReplaceAll(m, "_", " "), p.Measure(m), 3)
		}
		row(percent(eval.Number(p.Budget)), "of search results", p.SearchFreshness, 3)
	}
	table.Note = "error: predicted over measured, less 1. Where the number of changes a day is " +
		"wrong, so is what hangs on it: coverage at small budgets, the update rate at large ones."
	return report.Section{Title: "Check", Tables: []report.Table{table}}
}
