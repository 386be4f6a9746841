package core

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	show "github.com/recrawl/recrawl/cmd/show/papers"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/eval/recorded"
	servers "github.com/recrawl/recrawl/planner/schedule"
)

func (p *Program) scheduleCommand() *cobra.Command {
	return p.scheduleOf(p.scheduled("report", p.scheduleReport),
		p.scheduled("plan", p.schedulePlan))
}

// scheduleOf returns the command schedule; simulate, which is in another program, is among more.
func (p *Program) scheduleOf(more ...*cobra.Command) *cobra.Command {
	return group(&cobra.Command{Use: "schedule"}, "unknown command %q of schedule",
		"recrawl schedule report, simulate, plan", append(more, p.in("lab", "schedule-simulate",
			"simulate "+scheduleSource, cobra.ArbitraryArgs))...)
}

const scheduleSource = "(HISTORY... | --data DIRECTORY | --journal DIRECTORY | --log FILE | " +
	"--generate SERVERS)"

// scheduled returns a command below schedule. Tags of settings have another name for it, because
// plan is also a separate command.
func (p *Program) scheduled(
	name string,
	work func(context.Context, []string) error,
) *cobra.Command {
	return p.command(&cobra.Command{Use: name + " " + scheduleSource, Args: cobra.ArbitraryArgs,
		Annotations: map[string]string{config.NameAs: "schedule-" + name}},
		func(ctx context.Context, args []string) error {
			if err := p.Outputs(p.config.Schedule.HTML); err != nil {
				return err
			}
			return work(ctx, args)
		})
}

// Servers opens the source of demands; least is the interval that politeness requires.
func (p *Program) Servers(ctx context.Context, paths []string, least servers.Tick) (
	*papers.Source, error) {
	c := &p.config.Schedule
	var (
		name    string
		demands []servers.Demand
		doubts  []string
		err     error
	)
	stages := p.stages(ctx)
	defer stages.End()
	switch {
	case !oneOf(len(paths) > 0, p.config.Data != "", c.Journal != "", c.Log != "", c.Generate > 0):
		return nil, UsageError(errors.New("schedule wants one source: histories, --data, "+
			"--journal, --log or --generate"),
			"recrawl schedule report --data DIRECTORY, or recrawl schedule report --log "+
				"downloads.csv")
	case c.Generate > 0:
		return papers.Generated(c.Generate, p.config.Seed, least)
	case c.Log != "":
		f, err := os.Open(c.Log)
		if err != nil {
			return nil, err
		}
		defer f.Close() // it was only read
		return papers.ReadLog(f, c.Log, least)
	case c.Journal != "":
		name = "journal"
		demands, doubts, err = recorded.DemandsInJournal(c.Journal, least, recorded.By(c.By),
			stages.Tell)
	case p.config.Data != "":
		name = "store"
		demands, doubts, err = recorded.DemandsInStore(p.config.Data, least, recorded.By(c.By),
			stages.Tell)
	default:
		name = "histories"
		var read []*history.Server
		read, err = p.ReadHistories(ctx, paths)
		demands = papers.OfHistories(read, least)
	}
	if err != nil {
		return nil, noJournal(err)
	}
	p.Warn(doubts...)
	return papers.Demanded(name, demands, servers.Tick(c.Download.Milliseconds())), nil
}

func (p *Program) scheduleReport(ctx context.Context, paths []string) error {
	c := &p.config.Schedule
	source, err := p.Servers(ctx, paths, servers.Tick(p.config.Delay.Milliseconds()))
	if err != nil {
		return err
	}
	r := papers.Examine(source,
		papers.ReportOptions{Connections: c.Connections, Headroom: c.Headroom, Days: c.Days})
	p.Warn(r.Warnings...)
	return p.Publish(r, show.SchedulePage(r), c.HTML)
}

func (p *Program) schedulePlan(ctx context.Context, paths []string) error {
	c := &p.config.Schedule
	least := servers.Tick(p.config.Delay.Milliseconds())
	source, err := p.Servers(ctx, paths, least)
	if err != nil {
		return err
	}
	target, _ := papers.ParseTarget(c.Target) // checked before
	bar := p.Progress("simulations", 0)
	plan, err := papers.Size(ctx, source, papers.PlanOptions{
		Target: target, PageBytes: c.PageBytes, Connections: c.PerNode, Mbps: c.NodeMbps,
		Delay: least, Hours: c.Hours, Seed: p.config.Seed, Told: bar.Of,
	})
	bar.End()
	if err != nil {
		return err
	}
	return p.Publish(plan, show.SchedulePlanPage(plan), c.HTML)
}
