package inside

import (
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// MeasuredFinding says in a sentence how many filters there are, and how many labelled pages they
// judge differently from the label.
func MeasuredFinding(r *eval.FilterResult) string {
	text := words.Plural(len(r.Filters), "filter")
	if r.Pages == 0 {
		return text + "; no labelled pages were given to measure them by."
	}
	wrong := 0
	for _, f := range r.Filters {
		wrong += len(f.Wrong)
	}
	return fmt.Sprintf("%s on %s: %s otherwise than labelled.",
		text, words.Plural(r.Pages, "labelled page"), words.Plural(wrong, "verdict"))
}

// MeasuredTables returns the result for people.
func MeasuredTables(r *eval.FilterResult) []report.Table {
	filters := report.Table{Title: "Filters", Header: []string{"filter", "kind"}}
	if r.Pages == 0 {
		for _, f := range r.Filters {
			filters.Rows = append(filters.Rows, []string{f.Filter, f.Kind})
		}
		return []report.Table{filters}
	}
	filters.Title += " on " + words.Plural(r.Pages, "labelled page")
	filters.Header = append(filters.Header, "rejected rightly", "wrongly", "kept wrongly",
		"rightly", "failed", "precision", "recall")
	wrong := report.Table{Title: "Judged otherwise than labelled",
		Header: []string{"filter", "does", "page", "because"}}
	for _, f := range r.Filters {
		filters.Rows = append(filters.Rows,
			[]string{f.Filter, f.Kind, fmt.Sprint(f.Hits), fmt.Sprint(f.FalseAlarms),
				fmt.Sprint(f.Misses), fmt.Sprint(f.Passes), fmt.Sprint(f.Failed),
				f.Precision.String(), f.Recall.String()})
		for _, w := range f.Wrong {
			does := "keeps"
			if w.Rejected {
				does = "rejects"
			}
			wrong.Rows = append(wrong.Rows, []string{f.Filter, does, w.URL, w.Why})
		}
	}
	tables := []report.Table{filters}
	if len(r.Languages) > 0 {
		tables = append(tables, languageTable(r))
	}
	if len(wrong.Rows) > 0 {
		tables = append(tables, wrong)
	}
	return tables
}

func languageTable(r *eval.FilterResult) report.Table {
	t := report.Table{Title: "Languages", Header: []string{"language", "pages", "told", "not told",
		"precision", "recall"}}
	for _, l := range r.Languages {
		t.Rows = append(t.Rows, []string{l.Language, fmt.Sprint(l.Hits + l.Misses),
			fmt.Sprint(l.Hits), fmt.Sprint(l.Unknown),
			l.Precision.String(), l.Recall.String()})
	}
	var by []string
	for _, d := range r.Decided {
		by = append(by, fmt.Sprintf("%s %d of %d", d.By, d.Right, d.Pages))
	}
	t.Note = "Told rightly, by what decided: " + strings.Join(by, ", ")
	return t
}
