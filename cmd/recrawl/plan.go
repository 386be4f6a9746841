package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/planner/present"
)

func (p *program) planCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "plan --data DIRECTORY",
		Args: noArguments,
	}, p.plan)
}

func (p *program) plan(context.Context, []string) error {
	o, err := p.open(true)
	if err != nil {
		return err
	}
	defer o.store.Close() // nothing was written
	ahead, err := o.dryRun(&p.config, p.config.Plan.Show)
	if err != nil {
		return err
	}
	plan := present.NewPlan(ahead, o.plan, p.config.Policy, p.config.perDay())
	if p.config.Plan.Report {
		return p.print(plan, plan.Finding(), plan.Tables())
	}
	return p.print(plan.Visits, plan.Finding(), plan.Tables())
}
