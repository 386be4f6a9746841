package core

import (
	"context"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/dashboard"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/cmd/show/view"
)

func (p *Program) planCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "plan --data DIRECTORY",
		Args: noArguments,
	}, p.plan)
}

func (p *Program) plan(ctx context.Context, _ []string) error {
	o, err := p.open(ctx, true)
	if err != nil {
		q := url.Values{"n": {strconv.Itoa(min(p.config.Plan.Show, view.MostPlanned))},
			"report": {"true"}}
		if p.json && !p.config.Plan.Report {
			q.Set("report", "list")
		}
		return p.instead(err, func(c dashboard.Command) error { return c.Print(ctx, "plan", q) })
	}
	defer o.store.Close() // it was only read
	ahead, err := o.dryRun(&p.config, p.config.Plan.Show)
	if err != nil {
		return err
	}
	plan := present.NewPlan(ahead, o.plan, p.config.Policy, p.config.PerDay())
	if p.config.Plan.Report {
		return p.Print(plan, plan.Finding(), plan.Tables())
	}
	return p.Print(plan.Visits, plan.Finding(), plan.Tables())
}
