package papers

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// FiguresPage returns the report of the figures. A terminal shows its tables, HTML also its charts.
func FiguresPage(f *papers.Figures) report.Page {
	month := month(f)
	return report.Page{
		Title:   "recrawl: figures",
		Finding: figuresFinding(f),
		Intro: "Figures 5 to 9 and 12 to 18 of [LINK] from recorded servers, and which of its " +
			"claims they support.",
		Sections: append([]report.Section{
			{Title: "Claims of [LINK]", Tables: []report.Table{tableMeasured(f),
				ClaimsTable("What holds on these servers", overResamples, f.Claims)}},
			{Title: "Update rate and coverage by period", Tables: []report.Table{tableMethods(f,
				"Update rate by period, % [LINK fig. 5]",
				func(m *papers.Method) string { return rate(&m.Result) }),
				tableMethods(f, "Coverage by period, % [LINK fig. 6]",
					func(m *papers.Method) string { return covers(&m.Result) }),
				tableMethods(f, "Share of all pages fetched, %",
					func(m *papers.Method) string { return of(&m.Result) })},
				Charts: []report.Chart{figure5(f), figure6(f)}},
			{Title: "Update rate and coverage by group", Tables: []report.Table{tableGroups(f,
				"Update rate at "+groupWeeks(f)+", % [LINK fig. 7]",
				func(m *papers.Method) string { return rate(&m.Result) }),
				tableGroups(f, "Coverage at "+groupWeeks(f)+", % [LINK fig. 8]",
					func(m *papers.Method) string { return covers(&m.Result) })},
				Charts: []report.Chart{figure7(f), figure8(f)}},
			{Title: "Breadth-first", Tables: []report.Table{tableDepths(f, month), tableSame(f)},
				Charts: []report.Chart{figure9(f, month)}},
			{Title: "Whole servers by their rate", Tables: []report.Table{tableThresholds(f,
				"Update rate of server-true, % [LINK fig. 12]",
				func(t *papers.Threshold) string { return rate(&t.Result) }),
				tableThresholds(f, "Coverage of server-true, % [LINK fig. 13]",
					func(t *papers.Threshold) string { return covers(&t.Result) })},
				Charts: []report.Chart{figure12(f), figure13(f)}},
			{Title: "Whole servers against methods", Charts: eachPeriod(f, figure14)},
			{
				Title: "Methods inside servers",
				Text: "For each threshold of the rate: the share of all pages that is fetched " +
					"and the share of the changed pages that is found, with its interval.",
				Tables: tablesCombined(f),
				Charts: eachPeriod(f, figure18),
			},
			{Title: "What the oracle is worth", Tables: []report.Table{tableRates(f)}},
		}, Comparisons(f.Claims)),
	}
}

// figuresFinding returns a sentence with the number of claims for each verdict.
func figuresFinding(f *papers.Figures) string {
	counts := count(f.Claims, verdictOf)
	return fmt.Sprintf("Of %d claims on the methods %d hold on these servers, %d do not, and %d "+
		"are undecided.", len(f.Claims), counts[papers.Holds], counts[papers.Fails],
		counts[papers.Untold])
}

// month returns the period of the figures that show one period.
func month(f *papers.Figures) *papers.Period {
	i := slices.Index(f.Weeks, f.GroupWeeks)
	return &f.Periods[i]
}

func groupWeeks(f *papers.Figures) string { return words.Plural(f.GroupWeeks, "week") }

// periodsRow returns a row with one value of each period.
func periodsRow(f *papers.Figures, first string, value func(p *papers.Period) string) []string {
	cells := []string{first}
	for i := range f.Periods {
		cells = append(cells, value(&f.Periods[i]))
	}
	return cells
}

func header(f *papers.Figures, first string) []string {
	return periodsRow(f, first,
		func(p *papers.Period) string { return words.Plural(p.Weeks, "week") })
}

func tableMethods(f *papers.Figures, title string,
	value func(m *papers.Method) string) report.Table {
	t := report.Table{Title: title, Header: header(f, "method")}
	for i, m := range f.Periods[0].Methods {
		t.Rows = append(t.Rows, periodsRow(f, m.Policy, func(p *papers.Period) string {
			return value(&p.Methods[i])
		}))
	}
	return t
}

func tableGroups(f *papers.Figures, title string,
	value func(m *papers.Method) string) report.Table {
	t := report.Table{Title: title, Header: []string{"group", "servers", "pages", "changed"}}
	for _, m := range f.Periods[0].Methods {
		t.Header = append(t.Header, m.Policy)
	}
	add := func(name string, servers, pages, changed int, methods []papers.Method) {
		row := []string{name, fmt.Sprint(servers), fmt.Sprint(pages), fmt.Sprint(changed)}
		for i := range methods {
			row = append(row, value(&methods[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, g := range f.Groups {
		if len(f.Groups) > 1 { // a single group equals the total
			add(g.Name, g.Servers, g.Pages, g.Changed, g.Methods)
		}
	}
	p := month(f)
	add("total", p.Servers, p.Pages, p.Changed, p.Methods)
	return t
}

func tableDepths(f *papers.Figures, p *papers.Period) report.Table {
	t := report.Table{
		Title: "Breadth-first down to a depth, " + words.Plural(p.Weeks, "week") +
			", % [LINK fig. 9]",
		Header: []string{"depth", "pages fetched", "of all pages", "coverage", "update rate"},
	}
	for _, d := range p.Depths {
		t.Rows = append(
			t.Rows,
			[]string{
				fmt.Sprint(d.Depth),
				fmt.Sprint(d.Fetched),
				of(&d.Result),
				covers(&d.Result),
				rate(&d.Result),
			},
		)
	}
	return t
}

// tableSame compares methods with orders that are cut after the same number of pages.
func tableSame(f *papers.Figures) report.Table {
	t := report.Table{Title: "Coverage with as many pages as a method fetches, % [LINK fig. 9, " +
		"14 to 17]",
		Header: []string{"period", "method", "of all pages", "coverage", "breadth-first",
			"server-true"}}
	for _, p := range f.Periods {
		for _, m := range p.Methods[1:] {
			t.Rows = append(
				t.Rows,
				[]string{
					words.Plural(p.Weeks, "week"),
					m.Policy,
					percent(m.Share),
					covers(&m.Result),
					within(m.BreadthFirst, m.BreadthFirstSpread, percent),
					within(m.ServerTrue, m.ServerTrueSpread, percent),
				},
			)
		}
	}
	return t
}

func tableThresholds(f *papers.Figures, title string,
	value func(t *papers.Threshold) string) report.Table {
	t := report.Table{Title: title, Header: header(f, "least rate")}
	for i, threshold := range f.Thresholds {
		t.Rows = append(t.Rows, periodsRow(f, leastRateOf(threshold),
			func(p *papers.Period) string { return value(&p.Thresholds[0].Points[i]) }))
	}
	return t
}

// tablesCombined returns a table of methods inside servers for each period.
func tablesCombined(f *papers.Figures) []report.Table {
	var all []report.Table
	for _, p := range f.Periods {
		t := report.Table{
			Title: "Pages fetched / coverage, " + words.Plural(p.Weeks, "week") +
				", % [LINK fig. 18]",
			Header: []string{"least rate", "servers"},
		}
		for _, policy := range p.Thresholds {
			t.Header = append(t.Header, policy.Policy)
		}
		for i, threshold := range f.Thresholds {
			row := []string{leastRateOf(threshold), fmt.Sprint(p.Thresholds[0].Points[i].Servers)}
			for _, policy := range p.Thresholds {
				row = append(
					row,
					percent(policy.Points[i].Share)+" / "+covers(&policy.Points[i].Result),
				)
			}
			t.Rows = append(t.Rows, row)
		}
		all = append(all, t)
	}
	return all
}

func tableRates(f *papers.Figures) report.Table {
	t := report.Table{
		Title:  "Whole servers by true rates, by those of the window before, and by sampled ones",
		Header: []string{"period", "policy", "gain", "fetched", "update rate %", "coverage %"},
		Note: fmt.Sprintf(
			"Update rate and coverage count the first pages, as many as servers with a true "+
				"rate of 10 %% or more have; %s sampled a server. "+
				"Gain is the area under the whole curve: 0 for random order, 1 for all "+
				"changed pages first.",
			words.Plural(f.Sample, "page"),
		),
	}
	for _, p := range f.Periods {
		for _, r := range p.Rates {
			t.Rows = append(
				t.Rows,
				[]string{
					words.Plural(p.Weeks, "week"),
					r.Policy,
					within(r.Gain, r.GainSpread, gainText),
					fmt.Sprint(r.Fetched),
					rate(&r.Result),
					covers(&r.Result),
				},
			)
		}
	}
	return t
}

// rate, covers and of return shares of a result with their intervals.
func rate(r *papers.Result) string   { return within(r.UpdateRate, r.Spread.UpdateRate, percent) }
func covers(r *papers.Result) string { return within(r.Coverage, r.Spread.Coverage, percent) }
func of(r *papers.Result) string     { return within(r.Share, r.Spread.Share, percent) }

// within returns a number with its interval, which is left out if it has no width.
func within(v eval.Number, interval papers.Interval, show func(eval.Number) string) string {
	low, high := show(interval[0]), show(interval[1])
	if math.IsNaN(float64(v)) || low == high {
		return show(v)
	}
	return fmt.Sprintf("%s [%s, %s]", show(v), low, high)
}

func leastRateOf(threshold float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", 100*threshold), "0"), ".") +
		" %"
}

func percent(v eval.Number) string { return number(100*v, 1) }

// number returns a value as text: a dash if it is undefined, and no sign if it rounds to 0.
func number(v eval.Number, digits int) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	s := fmt.Sprintf("%.*f", digits, float64(v))
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

func gainText(v eval.Number) string { return number(v, 3) }

// tableMeasured returns a table that explains the measures, for the top of the report.
func tableMeasured(f *papers.Figures) report.Table {
	t := report.Table{Title: "What was measured", Header: []string{"what", "is"}}
	add := func(what, is string) { t.Rows = append(t.Rows, []string{what, is}) }
	add(
		fmt.Sprintf("servers with pages at week %d", f.Base),
		fmt.Sprintf("%d of %d%s", f.Servers, f.Histories, butNot(f.Without)),
	)
	add("pages there", fmt.Sprint(f.Pages))
	addLeft(f, add)
	add("changed", "another "+f.Change+" than at the base")
	add(
		"N weeks", "N-1 weeks after the base all pages are fetched again, or those a method chooses")
	add("update rate", "changed pages among those fetched")
	add("coverage", "changed pages fetched among all that changed")
	add("a, b, c", "methods A, B and C of [LINK]; whole fetches all pages")
	add("server-true", "whole servers by their true change rates, which only an oracle knows (Cho)")
	add("[x, y]",
		"5th and 95th percentile over 200 resamples of the servers, the same for all; left "+
			"out if both are equal")
	return t
}

// addLeft adds rows: how many servers still have pages. Periods with the same servers share a row.
func addLeft(f *papers.Figures, add func(what, is string)) {
	for i := 0; i < len(f.Periods); {
		p := &f.Periods[i]
		var weeks []string
		for ; i < len(f.Periods) && slices.Equal(f.Periods[i].Emptied, p.Emptied); i++ {
			weeks = append(weeks, fmt.Sprint(f.Periods[i].Weeks))
		}
		if len(p.Emptied) > 0 {
			add(
				"still with pages, N = "+strings.Join(weeks, ", "),
				fmt.Sprintf("%d of %d%s", p.Servers, f.Servers, butNot(p.Emptied)),
			)
		}
	}
}

// mostNamed limits the servers that a row names.
const mostNamed = 5

// butNot returns text that names a few of the missing servers.
func butNot(servers []string) string {
	switch n := len(servers); {
	case n == 0:
		return ""
	case n > mostNamed:
		return fmt.Sprintf("; not %s and %d more", strings.Join(servers[:mostNamed], ", "),
			n-mostNamed)
	}
	return "; not " + strings.Join(servers, ", ")
}
