package survey

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/internal/words"
)

// Page shows a survey: its tables are what a terminal shows, its charts the figures.
func (s *Survey) Page() report.Page {
	t := &s.Total
	return report.Page{
		Title:   "recrawl: survey",
		Finding: s.finding(),
		Intro: fmt.Sprintf(
			"%s and %s, from week %d of their windows on; change by %s. A period of N weeks is N "+
				"weekly snapshots, N-1 comparisons. "+
				"A page is updated if at least one of them shows a difference.\n\n"+
				"Pages are those alive at week %d and within 11 links of the start page; top "+
				"pages are the start page and its frames.",
			words.Plural(t.Servers, "server"),
			words.Plural(t.Pages, "page"),
			s.Base,
			s.Change,
			s.Base,
		),
		Sections: []report.Section{
			{Title: "Servers and pages", Tables: []report.Table{s.table1(), s.tableApart()}},
			{
				Title:  "Pages updated",
				Tables: []report.Table{s.table2()},
				Charts: []report.Chart{s.chartGroups()},
			},
			{
				Title:  "Top pages",
				Tables: []report.Table{s.table3(), s.tableTops()},
				Charts: []report.Chart{s.figure1()},
			},
			{
				Title:  "Updates per page",
				Tables: []report.Table{s.table10(), s.table11()},
				Charts: []report.Chart{s.figure10(), s.figure11()},
			},
			{Title: "Access intervals", Text: intervalText,
				Tables: []report.Table{s.tableIntervals()},
				Charts: []report.Chart{s.figureIntervals(0), s.figureIntervals(shortDays)}},
		},
	}
}

// finding says how many pages change, by the shortest and the longest period.
func (s *Survey) finding() string {
	of := s.Total.Periods
	if len(of) == 0 {
		return ""
	}
	share := func(p *Period) string {
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

const intervalText = `What the state store of a crawler would hold if every page had been visited once a day: the share of pages whose interval, estimated by [SAT eq. 1], is so long or shorter; weighted, the share of the visits that fall due in one unit of time.

"days" takes visits as they are; "told" adds the time at which a version appeared where a visit sees a change, as Last-Modified does [SAT footnote 2]: only then are intervals below a day found, and hours a unit that makes sense. The shortest interval pulls eq. 1 down, so told intervals are shorter.`

// periods begins a row for each period.
func (s *Survey) periods(first string) []string {
	row := []string{first}
	for _, n := range s.Weeks {
		row = append(row, fmt.Sprintf("%d weeks", n))
	}
	return row
}

// row shows one value of each period of a group.
func row(first string, g *Group, value func(p *Period) string) []string {
	cells := []string{first}
	for i := range g.Periods {
		cells = append(cells, value(&g.Periods[i]))
	}
	return cells
}

// groups are those to show: a single one says no more than the total.
func (s *Survey) groups() []Group {
	if len(s.Groups) == 1 {
		return nil
	}
	return s.Groups
}

func (s *Survey) table1() report.Table {
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
		t.Note += fmt.Sprintf(" %s without a page at week %d: not counted.",
			words.Plural(n, "server"), s.Base)
	}
	return t
}

func (s *Survey) tableApart() report.Table {
	g := &s.Total
	return report.Table{Title: "Pages in each period", Header: s.periods("pages"), Rows: [][]string{
		row("alive at both ends", g, func(p *Period) string { return fmt.Sprint(p.Pages) }),
		row("of these, missing in between", g, func(p *Period) string {
			return fmt.Sprint(p.Returned)
		}),
		row("vanished", g, func(p *Period) string { return fmt.Sprint(p.Vanished) }),
		row("new", g, func(p *Period) string { return fmt.Sprint(p.New) }),
	}, Note: "Shares are of the first row; vanished and new pages are in none."}
}

func (s *Survey) table2() report.Table {
	t := report.Table{
		Title:  "Share of pages updated, % [LINK table 2]",
		Header: s.periods("group"),
		Note:   s.paperTotals(),
	}
	updated := func(p *Period) string { return percent(p.UpdatedShare) }
	for i := range s.groups() {
		t.Rows = append(t.Rows, row(s.Groups[i].Name, &s.Groups[i], updated))
	}
	t.Rows = append(
		t.Rows,
		row("total", &s.Total, updated),
		row(
			"total, first against last snapshot",
			&s.Total,
			func(p *Period) string { return percent(p.DifferShare) },
		),
	)
	return t
}

func (s *Survey) table3() report.Table {
	t := report.Table{
		Title:  "Classification by updates of top pages, % [LINK table 3]",
		Header: s.periods("share"),
	}
	for i, share := range []struct {
		name string
		of   func(p *Period) eval.Number
	}{
		{"updated pages on servers with updated top / updated pages", func(p *Period) eval.Number {
			return p.ByTop.OfUpdated
		}},
		{"updated pages on servers with updated top / their pages", func(p *Period) eval.Number {
			return p.ByTop.OfPages
		}},
		{"updated pages / all pages", func(p *Period) eval.Number { return p.UpdatedShare }},
		{"servers with updated top / servers", func(p *Period) eval.Number {
			return p.ByTop.OfServers
		}},
	} {
		t.Rows = append(t.Rows, row(share.name, &s.Total, func(p *Period) string {
			cell := percent(share.of(p))
			if k := slices.Index(paperWeeks, p.Weeks); k >= 0 {
				cell += fmt.Sprintf(" / %.0f", paperTops[i][k])
				t.Note = "After the stroke: the paper, 17,613 servers in 2003."
			}
			return cell
		}))
	}
	return t
}

func (s *Survey) tableTops() report.Table {
	g := &s.Total
	return report.Table{
		Title:  "Share of top pages updated, % [LINK fig. 1]",
		Header: s.periods("pages"),
		Rows: [][]string{
			row("top pages updated", g, func(p *Period) string {
				return percent(p.TopsUpdatedShare)
			}),
			row("all pages updated", g, func(p *Period) string { return percent(p.UpdatedShare) }),
			row("top pages (count)", g, func(p *Period) string { return fmt.Sprint(p.Tops) }),
		},
	}
}

// paperWeeks are the periods of [LINK]; its table 3 calls the longer ones months.
var paperWeeks = []int{2, 4, 12, 24}

// What [LINK] found, in percent: the total of table 2, and table 3.
var (
	paperUpdated = []float64{3.6, 7.7, 14.5, 21.0}
	paperTops    = [4][]float64{{63, 76, 84, 88}, {5, 9, 16, 22}, {4, 8, 15, 21}, {20, 35, 52, 66}}
)

// paperTotals quotes the periods that both have.
func (s *Survey) paperTotals() string {
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

func percent(v eval.Number) string { return tenths(100 * float64(v)) }

// tenths shows an undefined value as a dash.
func tenths(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.1f", v)
}
