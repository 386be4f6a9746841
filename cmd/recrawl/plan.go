package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/planner/present"
)

func (p *program) planCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "plan --data DIRECTORY",
		Short: "The next visits, with probability and reason",
		Long: `plan shows which pages run would visit next, in this order, and why. These are the visits that are
left in the current round, or those of the next round if none is left. Give plan the settings of
run. It fetches nothing and writes nothing. A real run learns from each outcome, so later visits
may differ. Below the visits it shows how far the budgets go, and what does not fit.

The directory must not be in use: recrawl checkpoint makes a copy while run works.`,
		Example: "  recrawl plan --data crawl --show 50\n  recrawl plan --data crawl --policy interval --json",
		Args:    noArguments,
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
		return p.print(plan, plan.Tables())
	}
	return p.print(plan.Visits, plan.Tables())
}
