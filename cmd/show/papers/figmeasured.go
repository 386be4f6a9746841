package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/figures"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// tableMeasured says what was measured, before any number is shown.
func tableMeasured(f *figures.Figures) report.Table {
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
		"N weeks", "all pages are fetched again N-1 weeks after the base, or those a method chooses")
	add("update rate", "changed pages among those fetched")
	add("coverage", "changed pages fetched among all that changed")
	add("a, b, c", "methods A, B and C of [LINK]; whole fetches all pages")
	add("server-true", "whole servers by their true change rates, which only an oracle knows (Cho)")
	add(
		"[x, y]",
		"5th and 95th percentile over 200 resamples of the servers, the same for all; none "+
			"without width",
	)
	shown := "none: auto is prefix then, and sentinels are tops"
	if f.History > 0 {
		shown = words.Plural(f.History, "weekly state") +
			" before the base; a, b, c and server-true look at none"
	}
	add("past shown", shown)
	return t
}

// addLeft says on how many servers there are pages left, periods with the same servers in one row.
func addLeft(f *figures.Figures, add func(what, is string)) {
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

// butNot names servers that are missing, a few of them.
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
