package evals

import (
	"fmt"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/planner/policy"
)

// PoliciesFinding says in a sentence how many policies of each kind there are.
func PoliciesFinding(all []policy.Info) string {
	count := map[string]int{}
	for _, of := range all {
		count[of.Kind]++
	}
	return fmt.Sprintf("%d policies for the live web; for evaluations %d published in all, %d of our "+
		"own, and %d that know the future and serve as reference lines.",
		len(policy.Choices), count["published"], count["own"], count["reference"])
}

// Policies returns a table of the policies for the live web, and one of all.
func Policies(all []policy.Info) []report.Table {
	live := report.Table{Title: "For the live web", Header: []string{"name", "choose it"}}
	for _, of := range policy.Choices {
		live.Rows = append(live.Rows, []string{of.Name, of.When})
	}
	t := report.Table{Title: "All, for evaluations",
		Header: []string{"name", "kind", "what it visits"}}
	for _, of := range all {
		t.Rows = append(t.Rows, []string{of.Name, of.Kind, of.About})
	}
	return []report.Table{live, t}
}
