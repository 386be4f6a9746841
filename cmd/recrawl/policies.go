package main

import (
	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner/policy"
)

func (p *program) policiesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "policies",
		Short: "All policies, where they come from and what they do",
		Long: `policies lists what --policy takes, with a line on each. Published policies are methods of others,
faithful to their source, or plain controls; own ones are of this project; reference lines know the
future and take part in evaluations alone. docs/policies.md names the sources.`,
		Example: "  recrawl policies\n  recrawl policies --json | jq -r '.[] | select(.kind == \"own\") | .name'",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			all := policy.All()
			if p.json {
				return p.printJSON(all)
			}
			t := report.Table{Title: "Policies", Header: []string{"name", "kind", "what it visits"}}
			for _, of := range all {
				t.Rows = append(t.Rows, []string{of.Name, of.Kind, of.About})
			}
			return t.Text(p.stdout)
		},
	}
}
