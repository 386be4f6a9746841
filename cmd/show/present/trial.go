package present

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch/watch"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// TrialFinding says in a sentence how the targets answered.
func TrialFinding(t *watch.Trial) string {
	return fmt.Sprintf("%d of %s took a sample message.",
		len(t.Targets)-t.Failed, words.Plural(len(t.Targets), "target"))
}

// TrialTables returns the trial for people.
func TrialTables(t *watch.Trial) []report.Table {
	table := report.Table{
		Title:  "Targets",
		Header: []string{"target", "result", "took"},
	}
	for _, x := range t.Targets {
		result := "took it"
		if x.Error != "" {
			result = x.Error
		}
		table.Rows = append(table.Rows,
			[]string{x.Target, result, x.Took.Round(time.Millisecond).String()})
	}
	return []report.Table{table}
}
