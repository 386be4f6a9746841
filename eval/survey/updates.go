package survey

import (
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/internal/words"
)

// table10 counts pages by their number of updates [LINK fig. 10].
func (s *Survey) table10() report.Table {
	t := report.Table{
		Title:  "All pages by number of updates (%) [LINK fig. 10]",
		Header: s.periods("updates"),
	}
	s.eachCount(&t, 0, func(p *Period, u int) string {
		return fmt.Sprintf("%d (%s)", p.Updates[u], percent(ratio(p.Updates[u], p.Pages)))
	})
	return t
}

// table11 leaves those without updates out [LINK fig. 11].
func (s *Survey) table11() report.Table {
	t := report.Table{
		Title:  "Updated pages by number of updates, % [LINK fig. 11]",
		Header: s.periods("updates"),
		Note: "Methods that need two updates to learn from can help with the pages of the last " +
			"row only.",
	}
	s.eachCount(&t, 1, func(p *Period, u int) string {
		return percent(ratio(p.Updates[u], p.Updated))
	})
	t.Rows = append(t.Rows, row("2 or more", &s.Total, func(p *Period) string {
		once := p.Updates[1] // a period has at least one comparison
		return percent(ratio(p.Updated-once, p.Updated))
	}))
	return t
}

// eachCount adds a row for each number of updates that is possible in some period. Numbers
// beyond those of a period stay empty.
func (s *Survey) eachCount(t *report.Table, from int, cell func(p *Period, u int) string) {
	for u := from; u < slices.Max(s.Weeks); u++ {
		t.Rows = append(t.Rows, row(fmt.Sprint(u), &s.Total, func(p *Period) string {
			if u >= len(p.Updates) {
				return ""
			}
			return cell(p, u)
		}))
	}
}

func (s *Survey) figure10() report.Chart {
	return s.chartUpdates("All pages by number of updates [LINK fig. 10]", "share of all pages", 0,
		func(p *Period) int { return p.Pages })
}

func (s *Survey) figure11() report.Chart {
	return s.chartUpdates(
		"Updated pages by number of updates [LINK fig. 11]",
		"share of the updated pages",
		1,
		func(p *Period) int { return p.Updated },
	)
}

func (s *Survey) chartUpdates(title, label string, from int, of func(p *Period) int) report.Chart {
	c := report.Chart{Title: title, XLabel: "updates", YLabel: label, YPercent: true}
	for i := range s.Total.Periods {
		p := &s.Total.Periods[i]
		line := report.Series{Name: words.Plural(p.Weeks, "week")}
		for u := from; u < len(p.Updates); u++ {
			line.X, line.Y = append(line.X, float64(u)),
				append(line.Y, float64(ratio(p.Updates[u], of(p))))
		}
		c.Series = append(c.Series, line)
	}
	return c
}

// inOrder returns the places of the periods, the shortest first: a line must not run back.
func (s *Survey) inOrder() []int {
	var order []int
	for i := range s.Weeks {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.Weeks[a] - s.Weeks[b] })
	return order
}

// over is a line of one value over the periods.
func (s *Survey) over(name string, g *Group, value func(p *Period) float64) report.Series {
	line := report.Series{Name: name}
	for _, i := range s.inOrder() {
		line.X, line.Y = append(line.X, float64(s.Weeks[i])), append(line.Y, value(&g.Periods[i]))
	}
	return line
}

func (s *Survey) figure1() report.Chart {
	all := s.over("all pages", &s.Total, func(p *Period) float64 { return float64(p.UpdatedShare) })
	all.Dashed = true
	return report.Chart{
		Title:    "Top pages updated [LINK fig. 1]",
		XLabel:   "weeks",
		YLabel:   "share updated",
		YPercent: true,
		Series: []report.Series{
			s.over("top pages", &s.Total, func(p *Period) float64 {
				return float64(p.TopsUpdatedShare)
			}),
			all,
		},
	}
}

// mostLines is how many groups a chart can tell apart beside the total; the largest are drawn.
const mostLines = 6

func (s *Survey) chartGroups() report.Chart {
	share := func(p *Period) float64 { return float64(p.UpdatedShare) }
	c := report.Chart{
		Title:    "Pages updated, by period and group",
		XLabel:   "weeks",
		YLabel:   "share of pages updated",
		YPercent: true,
	}
	groups := slices.Clone(s.groups())
	slices.SortStableFunc(groups, func(a, b Group) int { return b.Pages - a.Pages })
	if len(groups) > mostLines {
		groups = groups[:mostLines]
		c.Title += fmt.Sprintf(" (the %d largest)", mostLines)
	}
	for i := range groups {
		c.Series = append(c.Series, s.over(groups[i].Name, &groups[i], share))
	}
	total := s.over("total", &s.Total, share)
	total.Dashed = true
	c.Series = append(c.Series, total)
	return c
}
