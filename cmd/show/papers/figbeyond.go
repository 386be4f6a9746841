package papers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/figures"
	"github.com/recrawl/recrawl/sitegraph/words"
)

const beyondText = `Sites that are no directories: path prefixes with enough pages, address shapes, communities of links, and for each server the partition whose tops describe its past best (auto). Sentinels are tops chosen by the past: the page whose changes told most about all pages of its site, and up to two more of which each adds a tenth or more.

Gain: area under the curve of coverage, 0 for random order, 1 for all changed pages first; in servers: the mean of the gain on each server. The rival is that of A to C with the largest gain in servers. Better, even and worse count servers against the best of A to C on that very server, chosen afterwards.`

func sectionBeyond(f *figures.Figures) report.Section {
	s := report.Section{Title: "Beyond directories", Text: beyondText}
	for _, b := range f.Beyond {
		s.Tables = append(s.Tables, tableBeyond(&b))
	}
	s.Tables[0].Note += "\n\n" + past(f)
	month := f.Beyond[slices.Index(f.Weeks, f.GroupWeeks)]
	s.Tables = append(s.Tables, tableServers(&month))
	s.Charts = append(s.Charts, chartBeyond(f))
	return s
}

// past says what the methods that learn were shown.
func past(f *figures.Figures) string {
	if f.History == 0 {
		return "No past was shown to the methods: auto is prefix then, and sentinels are tops. " +
			"--history 12 shows them twelve weekly states before the base."
	}
	return fmt.Sprintf("The methods that learn saw %s before the base.",
		words.Plural(f.History, "weekly state"))
}

func tableBeyond(b *figures.Beyond) report.Table {
	t := report.Table{
		Title: fmt.Sprintf(
			"Beyond directories: sites and tops, %s; the rival is %s",
			words.Plural(b.Weeks, "week"),
			b.Rival,
		),
		Header: []string{
			"policy",
			"fetched",
			"update rate %",
			"coverage %",
			"gain",
			"in servers",
			"less the rival's",
			"better",
			"even",
			"worse",
		},
		Note: outcome(b),
	}
	rival := b.Methods[slices.Index(figures.SitePolicies, b.Rival)].GainInServers
	for _, m := range b.Methods {
		t.Rows = append(
			t.Rows,
			[]string{
				m.Policy,
				fmt.Sprint(m.Fetched),
				percent(m.UpdateRate),
				percent(m.Coverage),
				within(m.Gain, m.GainSpread, gainText),
				within(m.GainInServers, m.GainInServersSpread, gainText),
				within(m.GainInServers-rival, m.Difference, gainText),
				fmt.Sprint(m.Better),
				fmt.Sprint(m.Even),
				fmt.Sprint(m.Worse),
			},
		)
	}
	return t
}

func gainText(v eval.Number) string { return number(v, 3) }

// outcome says in words how own policies came out.
func outcome(b *figures.Beyond) string {
	if len(b.Servers) < figures.LeastServers {
		return fmt.Sprintf(
			"Fewer than %d servers have pages that changed and pages that did not: that tells "+
				"nothing of others.",
			figures.LeastServers,
		)
	}
	var more, less, asMany, above, around, below []string
	for _, m := range b.Methods[len(figures.SitePolicies):] {
		count := fmt.Sprintf("%s (%d to %d)", m.Policy, m.Better, m.Worse)
		switch {
		case m.Better > m.Worse:
			more = append(more, count)
		case m.Better < m.Worse:
			less = append(less, count)
		default:
			asMany = append(asMany, count)
		}
		switch {
		case m.Difference[0] > 0:
			above = append(above, m.Policy)
		case m.Difference[1] < 0:
			below = append(below, m.Policy)
		case m.Difference[0] <= 0 && m.Difference[1] >= 0:
			around = append(around, m.Policy)
		}
	}
	return fmt.Sprintf(
		"Against the best of A to C on each server, better on more servers than worse: %s; worse "+
			"on more than better: %s; as many: %s. "+
			"The interval of the difference to %s lies above 0 for %s; contains 0 for %s; lies "+
			"below 0 for %s.",
		listed(more),
		listed(less),
		listed(asMany),
		b.Rival,
		listed(above),
		listed(around),
		listed(below),
	)
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// shownOwn are the own policies that the table of servers has room for.
var shownOwn = []string{"prefix", "shape", "community", "auto", "sentinel-shape"}

const (
	mostServers = 60 // in the table of servers: those where own policies differ most from A to C
	mostNamed   = 5  // servers named for a policy, each way
)

func tableServers(b *figures.Beyond) report.Table {
	t := report.Table{
		Title: "Gain server by server, " + words.Plural(b.Weeks, "week"),
		Header: append([]string{"server", "pages", "changed", "best of A to C", "gain"},
			shownOwn...),
		Note: fmt.Sprintf(
			"Servers where some pages changed and some did not, by how much the mean of all own "+
				"policies lies above the best of A to C, which is chosen afterwards. "+
				"*: the largest gain of the row, and what is within %.2f of it.",
			figures.EvenGain,
		),
	}
	rows := slices.Clone(b.Servers)
	slices.SortStableFunc(rows, func(x, y figures.ServerRow) int {
		return cmp.Compare(ahead(&y), ahead(&x))
	})
	if len(rows) > mostServers {
		half := mostServers / 2
		rows = slices.Concat(rows[:half], rows[len(rows)-half:])
		t.Note += fmt.Sprintf(" The %d first and the %d last, of %d.", half, half, len(b.Servers))
	}
	for _, r := range rows {
		t.Rows = append(t.Rows, cells(&r))
	}
	for _, policy := range figures.OwnPolicies {
		t.Note += "\n\n" + extremes(b, policy)
	}
	return t
}

// ahead is how much more own policies gain on average than the best of A to C.
func ahead(r *figures.ServerRow) float64 {
	sum := 0.0
	for _, policy := range figures.OwnPolicies {
		sum += float64(less(r, policy))
	}
	return sum / float64(len(figures.OwnPolicies))
}

// less is how much more a policy gains than the best of A to C.
func less(r *figures.ServerRow, policy string) eval.Number {
	return r.Gains[policy] - r.Gains[r.BestLink]
}

func cells(r *figures.ServerRow) []string {
	shown := append([]string{r.BestLink}, shownOwn...)
	most := r.Gains[figures.Best(shown, func(policy string) eval.Number { return r.Gains[policy] })]
	cells := []string{r.Server, fmt.Sprint(r.Pages), fmt.Sprint(r.Changed), r.BestLink}
	for _, policy := range shown {
		cell := gainText(r.Gains[policy])
		if r.Gains[policy] >= most-figures.EvenGain {
			cell += "*"
		}
		cells = append(cells, cell)
	}
	return cells
}

// extremes names the servers on which a policy does worst and best beside the best of A to C.
func extremes(b *figures.Beyond, policy string) string {
	rows := slices.Clone(b.Servers)
	slices.SortStableFunc(
		rows,
		func(x, y figures.ServerRow) int { return cmp.Compare(less(&x, policy), less(&y, policy)) },
	)
	worse := slices.IndexFunc(
		rows,
		func(r figures.ServerRow) bool { return !(less(&r, policy) < -figures.EvenGain) },
	)
	if worse < 0 {
		worse = len(rows)
	}
	lines := policy + ": " + extreme("worse", policy, rows[:worse])
	slices.Reverse(rows)
	better := slices.IndexFunc(
		rows,
		func(r figures.ServerRow) bool { return !(less(&r, policy) > figures.EvenGain) },
	)
	if better < 0 {
		better = len(rows)
	}
	return lines + "; " + extreme("better", policy, rows[:better]) + "."
}

func extreme(word, policy string, rows []figures.ServerRow) string {
	if len(rows) == 0 {
		return word + " on none"
	}
	text := fmt.Sprintf("%s on %s: ", word, words.Plural(len(rows), "server"))
	if len(rows) > mostNamed {
		text = fmt.Sprintf("%s on %s, by most on ", word, words.Plural(len(rows), "server"))
		rows = rows[:mostNamed]
	}
	var named []string
	for _, r := range rows {
		named = append(named, fmt.Sprintf("%s (%+.2f)", r.Server, float64(less(&r, policy))))
	}
	return text + strings.Join(named, ", ")
}

// chartBeyond has the mean gain in servers over the periods.
func chartBeyond(f *figures.Figures) report.Chart {
	c := report.Chart{Title: "Gain in servers by period", XLabel: "weeks",
		YLabel: "mean gain in servers"}
	for i, m := range f.Beyond[0].Methods {
		s := report.Series{Name: m.Policy, Dashed: slices.Contains(figures.SitePolicies, m.Policy)}
		for _, b := range f.Beyond {
			s.X, s.Y = append(s.X, float64(b.Weeks)),
				append(s.Y, float64(b.Methods[i].GainInServers))
		}
		c.Series = append(c.Series, s)
	}
	return c
}
