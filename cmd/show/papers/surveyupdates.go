package papers

import (
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/survey"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// table10 counts pages by their number of updates [LINK fig. 10].
func table10(s *survey.Survey) report.Table {
	t := report.Table{
		Title:  "All pages by number of updates (%) [LINK fig. 10]",
		Header: periods(s, "updates"),
	}
	eachCount(s, &t, 0, func(p *survey.Period, u int) string {
		return fmt.Sprintf(
			"%d (%s)",
			p.Updates[u],
			surveyPercent(survey.Ratio(p.Updates[u], p.Pages)),
		)
	})
	return t
}

// table11 leaves those without updates out [LINK fig. 11].
func table11(s *survey.Survey) report.Table {
	t := report.Table{
		Title:  "Updated pages by number of updates, % [LINK fig. 11]",
		Header: periods(s, "updates"),
		Note: "Methods that need two updates to learn from can help with the pages of the last " +
			"row only.",
	}
	eachCount(s, &t, 1, func(p *survey.Period, u int) string {
		return surveyPercent(survey.Ratio(p.Updates[u], p.Updated))
	})
	t.Rows = append(t.Rows, surveyRow("2 or more", &s.Total, func(p *survey.Period) string {
		once := p.Updates[1] // a period has at least one comparison
		return surveyPercent(survey.Ratio(p.Updated-once, p.Updated))
	}))
	return t
}

// eachCount adds a row for each number of updates that is possible in some period. Numbers
// beyond those of a period stay empty.
func eachCount(
	s *survey.Survey,
	t *report.Table,
	from int,
	cell func(p *survey.Period, u int) string,
) {
	for u := from; u < slices.Max(s.Weeks); u++ {
		t.Rows = append(t.Rows, surveyRow(fmt.Sprint(u), &s.Total, func(p *survey.Period) string {
			if u >= len(p.Updates) {
				return ""
			}
			return cell(p, u)
		}))
	}
}

func figure10(s *survey.Survey) report.Chart {
	return chartUpdates(s, "All pages by number of updates [LINK fig. 10]", "share of all pages", 0,
		func(p *survey.Period) int { return p.Pages })
}

func figure11(s *survey.Survey) report.Chart {
	return chartUpdates(s,
		"Updated pages by number of updates [LINK fig. 11]",
		"share of the updated pages",
		1,
		func(p *survey.Period) int { return p.Updated },
	)
}

func chartUpdates(
	s *survey.Survey,
	title, label string,
	from int,
	of func(p *survey.Period) int,
) report.Chart {
	c := report.Chart{Title: title, XLabel: "updates", YLabel: label, YPercent: true}
	for i := range s.Total.Periods {
		p := &s.Total.Periods[i]
		line := report.Series{Name: words.Plural(p.Weeks, "week")}
		for u := from; u < len(p.Updates); u++ {
			line.X, line.Y = append(line.X, float64(u)),
				append(line.Y, float64(survey.Ratio(p.Updates[u], of(p))))
		}
		c.Series = append(c.Series, line)
	}
	return c
}

// inOrder returns the places of the periods, the shortest first: a line must not run back.
func inOrder(s *survey.Survey) []int {
	var order []int
	for i := range s.Weeks {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.Weeks[a] - s.Weeks[b] })
	return order
}

// over is a line of one value over the periods.
func over(
	s *survey.Survey,
	name string,
	g *survey.Group,
	value func(p *survey.Period) float64,
) report.Series {
	line := report.Series{Name: name}
	for _, i := range inOrder(s) {
		line.X, line.Y = append(line.X, float64(s.Weeks[i])), append(line.Y, value(&g.Periods[i]))
	}
	return line
}

func figure1(s *survey.Survey) report.Chart {
	all := over(
		s,
		"all pages",
		&s.Total,
		func(p *survey.Period) float64 { return float64(p.UpdatedShare) },
	)
	all.Dashed = true
	return report.Chart{
		Title:    "Top pages updated [LINK fig. 1]",
		XLabel:   "weeks",
		YLabel:   "share updated",
		YPercent: true,
		Series: []report.Series{
			over(s, "top pages", &s.Total, func(p *survey.Period) float64 {
				return float64(p.TopsUpdatedShare)
			}),
			all,
		},
	}
}

// mostLines is how many groups a chart can tell apart beside the total; the largest are drawn.
const mostLines = 6

func chartGroups(s *survey.Survey) report.Chart {
	share := func(p *survey.Period) float64 { return float64(p.UpdatedShare) }
	c := report.Chart{
		Title:    "Pages updated, by period and group",
		XLabel:   "weeks",
		YLabel:   "share of pages updated",
		YPercent: true,
	}
	groups := slices.Clone(groups(s))
	slices.SortStableFunc(groups, func(a, b survey.Group) int { return b.Pages - a.Pages })
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
