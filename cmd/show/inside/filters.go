package inside

import (
	"fmt"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch/filter"
)

// FiltersTable returns the judgements of filters on a page, for people.
func FiltersTable(all []filter.Judgement) report.Table {
	t := report.Table{Title: "Filters", Header: []string{"filter", "kind", "verdict", "score",
		"because"}}
	for _, j := range all {
		verdict := "keeps it"
		switch {
		case j.Error != "":
			verdict, j.Why = "failed", j.Error
		case j.Reject:
			verdict = "rejects it"
		}
		t.Rows = append(t.Rows, []string{j.Filter, j.Kind, verdict, fmt.Sprintf("%.4g", j.Score),
			j.Why})
	}
	return t
}
