package papers

import (
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/sitegraph/words"
)

const verdictNote = `The columns yes, no and ? count the numbers of a claim; the tables at the end list them. yes: %s lies in the range that the claim gives. no: all of it lies outside. ?: neither. A claim holds if all its numbers are yes. It does not hold if one is no.`

const (
	overResamples = "the 5th to 95th percentile over 200 resamples of the servers"
	// OverRepetitions describes the interval of a number that was measured repeatedly.
	OverRepetitions = "the range of the repetitions"
	overWebs        = "the range of the webs"
)

// count returns the number of elements of `all` with each verdict.
func count[T any](all []T, of func(*T) papers.Verdict) map[papers.Verdict]int {
	counts := map[papers.Verdict]int{}
	for i := range all {
		counts[of(&all[i])]++
	}
	return counts
}

func verdictOf(c *papers.Claim) papers.Verdict { return c.Verdict }

// ClaimsTable returns a table of claims and their verdicts. interval describes their intervals.
func ClaimsTable(title, interval string, claims []papers.Claim) report.Table {
	t := report.Table{Title: title, Header: []string{"", "claim", "verdict", "yes", "no", "?",
		"measured", "source"}, Note: fmt.Sprintf(verdictNote, interval)}
	for i := range claims {
		c := &claims[i]
		counts := count(c.Found, func(c *papers.Comparison) papers.Verdict { return c.Verdict })
		verdict, measured := string(c.Verdict), ""
		if c.Fitted {
			verdict += " (fitted: proves nothing)"
		}
		if len(c.Found) == 1 {
			measured = claimText(&c.Found[0])
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(i + 1), c.Claim, verdict,
			fmt.Sprint(counts[papers.Holds]), fmt.Sprint(counts[papers.Fails]),
			fmt.Sprint(counts[papers.Untold]), measured, c.Source})
	}
	return t
}

// Comparisons returns the numbers behind the verdicts: a table for each claim.
func Comparisons(claims []papers.Claim) report.Section {
	s := report.Section{
		Title: "Comparisons",
		Text: "Each number with its interval, and the range that the claim gives. Differences of " +
			"rates and coverages are in percentage points."}
	for i, c := range claims {
		t := report.Table{Title: fmt.Sprintf("%d. %s %s: %s", i+1, c.Claim, c.Source, c.Verdict)}
		if len(c.Found) == 0 {
			t.Note = fmt.Sprintf("There is nothing to compare: no such period, or no group with "+
				"changed pages on %d servers.", papers.LeastServers)
		} else {
			arrange(&t, c.Found)
		}
		s.Tables = append(s.Tables, t)
	}
	return s
}

// arrange fills a table with comparisons. Groups give a row to each group and a column to each
// name. Without groups each name has a row, and each number of weeks a column.
func arrange(t *report.Table, found []papers.Comparison) {
	grouped := found[0].Group != ""
	t.Header = []string{"comparison, wanted"}
	if grouped {
		t.Header[0] = "group"
	}
	rows := map[string]int{}
	for _, c := range found {
		row, column := c.Comparison+", "+c.Wanted, "measured"
		if c.Weeks > 0 {
			column = words.Plural(c.Weeks, "week")
		}
		if grouped {
			row, column = c.Group, row
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
		(*cells)[at] = claimText(&c)
	}
}

// claimText returns a number with its interval and yes, no or ?: whether it agrees with the claim.
func claimText(c *papers.Comparison) string {
	word := map[papers.Verdict]string{papers.Holds: "yes", papers.Fails: "no",
		papers.Untold: "?"}[c.Verdict]
	show := func(v eval.Number) string {
		if math.Abs(float64(v)) >= 100 {
			return papers.Short(float64(v))
		}
		return number(v, 2)
	}
	if c.Share {
		show = percent
	}
	if c.Interval[0] == c.Interval[1] && c.Interval[0] == c.Value {
		return show(c.Value) + " " + word
	}
	return fmt.Sprintf("%s [%s, %s] %s", show(c.Value), show(c.Interval[0]), show(c.Interval[1]),
		word)
}
