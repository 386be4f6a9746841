package figures

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/report"
)

const beyondText = `Sites that are no directories: path prefixes with enough pages, address shapes, communities of links, and for each server the partition whose tops describe its past best (auto). Sentinels are tops chosen by what their past changes told of their sites' pages, per fetch.

Gain: area under the curve of coverage, 0 for random order, 1 for all changed pages first; in servers: the mean of the gain on each server, with its difference to the best of A to C in the mean. Better, even and worse count servers against the best of A to C on that very server, chosen afterwards.`

func (f *Figures) sectionBeyond() report.Section {
	s := report.Section{Title: "Beyond directories", Text: beyondText}
	for _, b := range f.Beyond {
		s.Tables = append(s.Tables, b.tableMethods())
	}
	s.Tables[0].Note = fmt.Sprintf("The methods that learn saw %s before the base.", plural(f.History, "weekly state"))
	if f.History == 0 {
		s.Tables[0].Note = "No past was shown to the methods: auto is prefix then, and sentinels are tops. --history 12 shows them twelve weekly states before the base."
	}
	month := f.Beyond[slices.Index(f.Weeks, f.GroupWeeks)]
	s.Tables = append(s.Tables, month.tableServers())
	s.Charts = append(s.Charts, f.chartBeyond())
	return s
}

func (b *Beyond) tableMethods() report.Table {
	t := report.Table{Title: "Beyond directories: sites and tops, " + plural(b.Weeks, "week"),
		Header: []string{"policy", "fetched", "update rate %", "coverage %", "gain", "in servers", "to " + b.Rival + " 5-95 %", "better", "even", "worse"}}
	for _, m := range b.Methods {
		t.Rows = append(t.Rows, []string{m.Policy, fmt.Sprint(m.Fetched), percent(m.UpdateRate), percent(m.Coverage), number(m.Gain, 3), number(m.GainInServers, 3),
			fmt.Sprintf("[%s, %s]", number(m.Difference[0], 3), number(m.Difference[1], 3)), fmt.Sprint(m.Better), fmt.Sprint(m.Even), fmt.Sprint(m.Worse)})
	}
	return t
}

// mostServers bounds the table of servers: those where the difference is largest.
const mostServers = 60

func (b *Beyond) tableServers() report.Table {
	t := report.Table{Title: "Server by server, " + plural(b.Weeks, "week"), Header: []string{"server", "pages", "changed", "best of A to C", "gain", "best of own", "gain", "difference"},
		Note: "Servers where some pages changed and some did not; the best of each side is chosen afterwards."}
	rows := slices.Clone(b.Servers)
	slices.SortStableFunc(rows, func(x, y ServerRow) int { return cmp.Compare(y.lead(), x.lead()) })
	if len(rows) > mostServers {
		half := mostServers / 2
		rows = slices.Concat(rows[:half], rows[len(rows)-half:])
		t.Note += fmt.Sprintf(" The %d with the largest differences either way, of %d.", mostServers, len(b.Servers))
	}
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{r.Server, fmt.Sprint(r.Pages), fmt.Sprint(r.Changed), r.BestLink, number(r.Gains[r.BestLink], 3),
			r.BestOwn, number(r.Gains[r.BestOwn], 3), number(r.lead(), 3)})
	}
	return t
}

// lead is how much more the best of own gains than the best of A to C.
func (r *ServerRow) lead() eval.Number { return r.Gains[r.BestOwn] - r.Gains[r.BestLink] }

// chartBeyond has the mean gain in servers over the periods.
func (f *Figures) chartBeyond() report.Chart {
	c := report.Chart{Title: "Gain in servers by period", XLabel: "weeks", YLabel: "mean gain in servers"}
	for i, m := range f.Beyond[0].Methods {
		s := report.Series{Name: m.Policy, Dashed: slices.Contains(sites, m.Policy)}
		for _, b := range f.Beyond {
			s.X, s.Y = append(s.X, float64(b.Weeks)), append(s.Y, float64(b.Methods[i].GainInServers))
		}
		c.Series = append(c.Series, s)
	}
	return c
}
