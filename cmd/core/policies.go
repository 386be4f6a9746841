package core

import (
	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/evals"
	"github.com/recrawl/recrawl/planner/policy"
)

func (p *Program) policiesCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "policies",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			all := policy.All()
			return p.Print(all, evals.PoliciesFinding(all), evals.Policies(all))
		},
	}
}
