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

// SurveyPage returns the report of a survey. A terminal shows its tables, HTML also its charts.
func SurveyPage(s *papers.Survey) report.Page {
	t := &s.Total
	return report.Page{
		Title:   "recrawl: survey",
		Finding: surveyFinding(s),
		Intro: fmt.Sprintf(
			"%s and %s, from week %d of their windows on; change by %s. A period of N weeks has N "+
				"weekly snapshots and N-1 comparisons. "+
				"A page is updated if at least one comparison shows a difference.\n\n"+
				"The survey has the pages that were alive at week %d and within 11 links of the "+
				"start page. Top pages are the start page and its frames.",
			words.Plural(t.Servers, "server"),
			words.Plural(t.Pages, "page"),
			s.Base,
			s.Change,
			s.Base,
		),
		Sections: []report.Section{
			{Title: "Servers and pages", Tables: []report.Table{table1(s), tableApart(s)}},
			{
				Title:  "Pages updated",
				Tables: []report.Table{table2(s)},
				Charts: []report.Chart{chartGroups(s)},
			},
			{
				Title:  "Top pages",
				Tables: []report.Table{table3(s), tableTops(s)},
				Charts: []report.Chart{figure1(s)},
			},
			{
				Title:  "Updates per page",
				Tables: []report.Table{table10(s), table11(s)},
				Charts: []report.Chart{figure10(s), figure11(s)},
			},
			{Title: "Access intervals", Text: intervalText,
				Tables: []report.Table{tableIntervals(s)},
				Charts: []report.Chart{figureIntervals(s, 0), figureIntervals(s, shortDays)}},
		},
	}
}

// surveyFinding returns the shares of pages that change in the shortest and the longest period.
func surveyFinding(s *papers.Survey) string {
	of := s.Total.Periods
	if len(of) == 0 {
		return ""
	}
	share := func(p *papers.SurveyPeriod) string {
		return fmt.Sprintf("%.1f %% of the pages and %.1f %% of the top pages were updated "+
			"within %s",
			100*p.UpdatedShare, 100*p.TopsUpdatedShare, words.Plural(p.Weeks, "week"))
	}
	first, last := &of[0], &of[len(of)-1]
	if len(of) == 1 {
		return share(first) + "."
	}
	return share(first) + ", and " + share(last) + "."
}

const intervalText = `These are the intervals that a crawler's state store would hold after one visit a day to every page. A share counts the pages whose interval, estimated by [SAT eq. 1], is at most the given one. A weighted share counts the visits that fall due in one unit of time.

"days" uses the visits alone. "dated" also uses the time at which a changed version appeared, as Last-Modified gives it [SAT footnote 2]. Only these times show intervals below a day, which need hours as the unit. The shortest interval lowers the estimate of eq. 1, so dated intervals are shorter.`

// periods returns the header of a table: a first cell, and a cell for each period.
func periods(s *papers.Survey, first string) []string {
	row := []string{first}
	for _, n := range s.Weeks {
		row = append(row, fmt.Sprintf("%d weeks", n))
	}
	return row
}

// surveyRow returns a row with one value of each period of a group.
func surveyRow(first string, g *papers.SurveyGroup,
	value func(p *papers.SurveyPeriod) string) []string {
	cells := []string{first}
	for i := range g.Periods {
		cells = append(cells, value(&g.Periods[i]))
	}
	return cells
}

// groups returns the groups to show. A single group is left out, because it equals the total.
func groups(s *papers.Survey) []papers.SurveyGroup {
	if len(s.Groups) == 1 {
		return nil
	}
	return s.Groups
}

func table1(s *papers.Survey) report.Table {
	t := report.Table{
		Title:  fmt.Sprintf("Servers and pages at week %d [LINK table 1]", s.Base),
		Header: []string{"group", "servers", "pages", "pages/server", "top pages", "unlinked"},
		Note: "top pages: the start page and its frames; unlinked: alive, but not within 11 " +
			"links of the start page; they are not surveyed.",
	}
	for _, g := range append(slices.Clone(s.Groups), s.Total) {
		t.Rows = append(
			t.Rows,
			[]string{
				g.Name,
				fmt.Sprint(g.Servers),
				fmt.Sprint(g.Pages),
				tenths(float64(g.PagesPerServer)),
				fmt.Sprint(g.Tops),
				fmt.Sprint(g.Unlinked),
			},
		)
	}
	if n := s.Total.Absent; n > 0 {
		t.Note += fmt.Sprintf(" Not counted: %s without a page at week %d.",
			words.Plural(n, "server"), s.Base)
	}
	return t
}

func tableApart(s *papers.Survey) report.Table {
	g := &s.Total
	return report.Table{
		Title:  "Pages in each period",
		Header: periods(s, "pages"),
		Rows: [][]string{
			surveyRow("alive at both ends", g,
				func(p *papers.SurveyPeriod) string { return fmt.Sprint(p.Pages) }),
			surveyRow("of these, missing in between", g, func(p *papers.SurveyPeriod) string {
				return fmt.Sprint(p.Returned)
			}),
			surveyRow("vanished", g,
				func(p *papers.SurveyPeriod) string { return fmt.Sprint(p.Vanished) }),
			surveyRow("new", g, func(p *papers.SurveyPeriod) string { return fmt.Sprint(p.New) }),
		},
		Note: "Shares refer to the first row, and leave out vanished and new pages.",
	}
}

func table2(s *papers.Survey) report.Table {
	t := report.Table{
		Title:  "Share of pages updated, % [LINK table 2]",
		Header: periods(s, "group"),
		Note:   paperTotals(s),
	}
	updated := func(p *papers.SurveyPeriod) string { return surveyPercent(p.UpdatedShare) }
	for i := range groups(s) {
		t.Rows = append(t.Rows, surveyRow(s.Groups[i].Name, &s.Groups[i], updated))
	}
	t.Rows = append(t.Rows, surveyRow("total", &s.Total, updated),
		surveyRow("total, first against last snapshot", &s.Total,
			func(p *papers.SurveyPeriod) string { return surveyPercent(p.DifferShare) }))
	return t
}

func table3(s *papers.Survey) report.Table {
	t := report.Table{
		Title:  "Classification by updates of top pages, % [LINK table 3]",
		Header: periods(s, "share"),
	}
	for i, share := range []struct {
		name string
		of   func(p *papers.SurveyPeriod) eval.Number
	}{
		{"updated pages on servers with updated top / updated pages",
			func(p *papers.SurveyPeriod) eval.Number {
				return p.ByTop.OfUpdated
			}},
		{"updated pages on servers with updated top / their pages",
			func(p *papers.SurveyPeriod) eval.Number {
				return p.ByTop.OfPages
			}},
		{"updated pages / all pages",
			func(p *papers.SurveyPeriod) eval.Number { return p.UpdatedShare }},
		{"servers with updated top / servers", func(p *papers.SurveyPeriod) eval.Number {
			return p.ByTop.OfServers
		}},
	} {
		t.Rows = append(t.Rows, surveyRow(share.name, &s.Total,
			func(p *papers.SurveyPeriod) string {
				cell := surveyPercent(share.of(p))
				if k := slices.Index(paperWeeks, p.Weeks); k >= 0 {
					cell += fmt.Sprintf(" / %.0f", paperTops[i][k])
					t.Note = "The number after the slash is that of the paper: 17,613 servers in 2003."
				}
				return cell
			}))
	}
	return t
}

func tableTops(s *papers.Survey) report.Table {
	g := &s.Total
	return report.Table{
		Title:  "Share of top pages updated, % [LINK fig. 1]",
		Header: periods(s, "pages"),
		Rows: [][]string{
			surveyRow("top pages updated", g, func(p *papers.SurveyPeriod) string {
				return surveyPercent(p.TopsUpdatedShare)
			}),
			surveyRow("all pages updated", g,
				func(p *papers.SurveyPeriod) string { return surveyPercent(p.UpdatedShare) }),
			surveyRow("top pages (count)", g,
				func(p *papers.SurveyPeriod) string { return fmt.Sprint(p.Tops) }),
		},
	}
}

// paperWeeks lists the periods of [LINK], whose table 3 gives the longer ones in months.
var paperWeeks = []int{2, 4, 12, 24}

// The results of [LINK] in percent: the total of its table 2, and its table 3.
var (
	paperUpdated = []float64{3.6, 7.7, 14.5, 21.0}
	paperTops    = [4][]float64{{63, 76, 84, 88}, {5, 9, 16, 22}, {4, 8, 15, 21}, {20, 35, 52, 66}}
)

// paperTotals returns a note with the totals of [LINK] for the periods of this survey.
func paperTotals(s *papers.Survey) string {
	var parts []string
	for i, n := range paperWeeks {
		if slices.Contains(s.Weeks, n) {
			parts = append(parts, fmt.Sprintf("%.1f at %d weeks", paperUpdated[i], n))
		}
	}
	if parts == nil {
		return ""
	}
	return "Total in the paper, 17,613 servers in 2003: " + strings.Join(parts, ", ") + "."
}

func surveyPercent(v eval.Number) string { return tenths(100 * float64(v)) }

// tenths returns a number with one decimal, or a dash if it is undefined.
func tenths(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.1f", v)
}

// table10 returns the pages by their number of updates [LINK fig. 10].
func table10(s *papers.Survey) report.Table {
	t := report.Table{
		Title:  "All pages by number of updates (%) [LINK fig. 10]",
		Header: periods(s, "updates"),
	}
	eachCount(s, &t, 0, func(p *papers.SurveyPeriod, u int) string {
		return fmt.Sprintf("%d (%s)", p.Updates[u], surveyPercent(papers.Ratio(p.Updates[u],
			p.Pages)))
	})
	return t
}

// table11 returns the updated pages by their number of updates [LINK fig. 11].
func table11(s *papers.Survey) report.Table {
	t := report.Table{
		Title:  "Updated pages by number of updates, % [LINK fig. 11]",
		Header: periods(s, "updates"),
		Note: "A method that learns from two updates or more can help only with the pages of the " +
			"last row."}
	eachCount(s, &t, 1, func(p *papers.SurveyPeriod, u int) string {
		return surveyPercent(papers.Ratio(p.Updates[u], p.Updated))
	})
	t.Rows = append(t.Rows, surveyRow("2 or more", &s.Total, func(p *papers.SurveyPeriod) string {
		once := p.Updates[1] // each period has a comparison, so an element 1
		return surveyPercent(papers.Ratio(p.Updated-once, p.Updated))
	}))
	return t
}

// eachCount adds a row for each possible number of updates, from the given one. Cells of periods
// too short for the number stay empty.
func eachCount(s *papers.Survey, t *report.Table, from int, cell func(p *papers.SurveyPeriod,
	u int) string) {
	for u := from; u < slices.Max(s.Weeks); u++ {
		t.Rows = append(t.Rows, surveyRow(fmt.Sprint(u), &s.Total,
			func(p *papers.SurveyPeriod) string {
				if u >= len(p.Updates) {
					return ""
				}
				return cell(p, u)
			}))
	}
}

func figure10(s *papers.Survey) report.Chart {
	return chartUpdates(s, "All pages by number of updates [LINK fig. 10]", "share of all pages", 0,
		func(p *papers.SurveyPeriod) int { return p.Pages })
}

func figure11(s *papers.Survey) report.Chart {
	return chartUpdates(s, "Updated pages by number of updates [LINK fig. 11]",
		"share of the updated pages", 1, func(p *papers.SurveyPeriod) int { return p.Updated })
}

func chartUpdates(s *papers.Survey, title, label string, from int,
	of func(p *papers.SurveyPeriod) int) report.Chart {
	c := report.Chart{Title: title, XLabel: "updates", YLabel: label, YPercent: true}
	for i := range s.Total.Periods {
		p := &s.Total.Periods[i]
		line := report.Series{Name: words.Plural(p.Weeks, "week")}
		for u := from; u < len(p.Updates); u++ {
			line.X, line.Y = append(line.X, float64(u)),
				append(line.Y, float64(papers.Ratio(p.Updates[u], of(p))))
		}
		c.Series = append(c.Series, line)
	}
	return c
}

// inOrder returns the indexes of the periods, shortest first, so that lines run from left to right.
func inOrder(s *papers.Survey) []int {
	var order []int
	for i := range s.Weeks {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.Weeks[a] - s.Weeks[b] })
	return order
}

// over returns a line of one value over the periods.
func over(s *papers.Survey, name string, g *papers.SurveyGroup,
	value func(p *papers.SurveyPeriod) float64) report.Series {
	line := report.Series{Name: name}
	for _, i := range inOrder(s) {
		line.X, line.Y = append(line.X, float64(s.Weeks[i])), append(line.Y, value(&g.Periods[i]))
	}
	return line
}

func figure1(s *papers.Survey) report.Chart {
	all := over(s, "all pages", &s.Total,
		func(p *papers.SurveyPeriod) float64 { return float64(p.UpdatedShare) })
	all.Dashed = true
	return report.Chart{
		Title:    "Top pages updated [LINK fig. 1]",
		XLabel:   "weeks",
		YLabel:   "share updated",
		YPercent: true,
		Series: []report.Series{
			over(s, "top pages", &s.Total, func(p *papers.SurveyPeriod) float64 {
				return float64(p.TopsUpdatedShare)
			}),
			all,
		},
	}
}

// mostLines limits the groups in a chart beside the total, so that a reader can distinguish them.
const mostLines = 6

func chartGroups(s *papers.Survey) report.Chart {
	share := func(p *papers.SurveyPeriod) float64 { return float64(p.UpdatedShare) }
	c := report.Chart{
		Title:    "Pages updated, by period and group",
		XLabel:   "weeks",
		YLabel:   "share of pages updated",
		YPercent: true,
	}
	groups := slices.Clone(groups(s))
	slices.SortStableFunc(groups, func(a, b papers.SurveyGroup) int { return b.Pages - a.Pages })
	if len(groups) > mostLines {
		groups = groups[:mostLines]
		c.Title += fmt.Sprintf(" (the %d largest)", mostLines)
	}
	for i := range groups {
		c.Series = append(c.Series, over(s, groups[i].Name, &groups[i], share))
	}
	total := over(s, "total", &s.Total, share)
	total.Dashed = true
	c.Series = append(c.Series, total)
	return c
}
