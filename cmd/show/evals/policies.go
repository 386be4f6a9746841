package evals

import (
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/planner/policy"
)

// Policies lists policies.
func Policies(all []policy.Info) report.Table {
	t := report.Table{Title: "Policies", Header: []string{"name", "kind", "what it visits"}}
	for _, of := range all {
		t.Rows = append(t.Rows, []string{of.Name, of.Kind, of.About})
	}
	return t
}
