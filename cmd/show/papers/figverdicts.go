package papers

import (
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/figures"
	"github.com/recrawl/recrawl/sitegraph/words"
)

const verdictNote = `yes, no, ?: the numbers that a claim speaks of; the tables at the end have them all. yes: the 5th to 95th percentile over 200 resamples of the servers is where the claim says; no: all of it is elsewhere; ?: cannot be told. A claim holds if all its numbers are yes, it does not hold if one is no. Short periods are those of up to 4 weeks, long ones of 12 or more.`

// figuresFinding counts the verdicts.
func figuresFinding(f *figures.Figures) string {
	counts := map[figures.Verdict]int{}
	for _, c := range f.Claims {
		counts[c.Verdict]++
	}
	return fmt.Sprintf("Of %d claims on the methods %d hold on these servers, %d do not, and of "+
		"%d it cannot be told.",
		len(f.Claims), counts[figures.Holds], counts[figures.Fails], counts[figures.Untold])
}

func tableClaims(f *figures.Figures) report.Table {
	t := report.Table{
		Title:  "What holds on these servers",
		Header: []string{"", "claim", "verdict", "yes", "no", "?", "source"},
		Note:   verdictNote,
	}
	for i, c := range f.Claims {
		counts := map[figures.Verdict]int{}
		for _, found := range c.Found {
			counts[found.Verdict]++
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(i + 1), c.Claim, string(c.Verdict),
			fmt.Sprint(
				counts[figures.Holds],
			), fmt.Sprint(counts[figures.Fails]), fmt.Sprint(counts[figures.Untold]),
			c.Source})
	}
	return t
}

// comparisons are the numbers behind the verdicts, a table for each claim.
func comparisons(f *figures.Figures) report.Section {
	s := report.Section{
		Title: "Comparisons",
		Text: "Each number with its 5th and 95th percentile over the resamples. Differences of " +
			"rates and coverages are in points of a hundred.",
	}
	for i, c := range f.Claims {
		t := report.Table{Title: fmt.Sprintf("%d. %s %s: %s", i+1, c.Claim, c.Source, c.Verdict)}
		if len(c.Found) == 0 {
			t.Note = fmt.Sprintf(
				"Nothing to compare: no such period, or no group with changed pages on %d servers.",
				figures.LeastServers,
			)
		} else {
			arrange(&t, c.Found)
		}
		s.Tables = append(s.Tables, t)
	}
	return s
}

// arrange puts comparisons into rows by name, or by group where there are groups, and into
// columns by what is left.
func arrange(t *report.Table, found []figures.Comparison) {
	grouped := found[0].Group != ""
	t.Header = []string{"comparison, wanted"}
	if grouped {
		t.Header[0] = "group"
	}
	rows := map[string]int{}
	for _, c := range found {
		row, column := title(&c), "all periods"
		if c.Weeks > 0 {
			column = words.Plural(c.Weeks, "week")
		}
		if grouped {
			row, column = c.Group, title(&c)
		}
		if _, ok := rows[row]; !ok {
			rows[row] = len(t.Rows)
			t.Rows = append(t.Rows, []string{row})
		}
		at := slices.Index(t.Header, column)
		if at < 0 {
			at = len(t.Header)
			t.Header = append(t.Header, column)
		}
		cells := &t.Rows[rows[row]]
		for len(*cells) <= at {
			*cells = append(*cells, "")
		}
		(*cells)[at] = text(&c)
	}
}

// title says what is compared and where it should lie.
func title(c *figures.Comparison) string {
	return c.Comparison + ", " + c.Wanted
}

// text is the number with its interval, and whether that is where the claim says.
func text(c *figures.Comparison) string {
	word := map[figures.Verdict]string{
		figures.Holds: "yes", figures.Fails: "no", figures.Untold: "?",
	}[c.Verdict]
	show := func(v eval.Number) string { return number(v, 2) }
	if c.Share {
		show = percent
	}
	return fmt.Sprintf("%s [%s, %s] %s", show(c.Value), show(c.Interval[0]), show(c.Interval[1]),
		word)
}
