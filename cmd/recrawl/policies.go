package main

import (
	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/present"
	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner/policy"
)

func (p *program) policiesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "policies",
		Short: "List all policies: where they come from and what they visit first",
		Long: `policies lists all policies that --policy takes, with a line on each. There are three kinds:

  published  methods of others, faithful to their source, and plain controls
  own        policies of this project
  reference  lines to compare with: they know the future, and work in evaluations only

docs/policies.md names the sources.`,
		Example: "  recrawl policies\n  recrawl policies --json | jq -r '.[] | select(.kind == \"own\") | .name'",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			all := policy.All()
			return p.print(all, []report.Table{present.Policies(all)})
		},
	}
}
