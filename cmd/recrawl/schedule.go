package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/recrawl/setting"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/recorded"
	"github.com/recrawl/recrawl/eval/schedule"
	servers "github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/planner/schedule/simulate"
)

func (p *program) scheduleCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "schedule",
		Short: "Which intervals can be kept, which servers stand in the way, and what would help",
		Long: `schedule looks at the servers of a crawl: each wants a visit every so often (1 / the sum of 1/interval
over its pages), and each visit takes a connection for a while.

  recrawl schedule report     which servers' intervals cannot be kept, why, and what would help
  recrawl schedule simulate   months of a schedule in minutes: policies and numbers of connections
  recrawl schedule plan       connections, bandwidth and nodes for a target`,
		Example: `  recrawl schedule report --data copy
  recrawl schedule simulate --sweep --html sweep.html
  recrawl schedule plan --journal crawl/journal --target freshness=0.8`,
	}, "unknown command %q of schedule", "recrawl schedule report, simulate, plan",
		p.scheduled("report", "Which intervals cannot be kept, why, and what would help",
			scheduleReportHelp, scheduleReportExample, p.scheduleReport),
		p.scheduled("simulate", "Simulate months of a schedule",
			scheduleSimulateHelp, scheduleSimulateExample, p.scheduleSimulate),
		p.scheduled("plan", "Connections, bandwidth and nodes for a target",
			schedulePlanHelp, schedulePlanExample, p.schedulePlan))
}

func (p *program) scheduled(name, short, long, example string, run func(context.Context, []string) error) *cobra.Command {
	const sources = " (HISTORY... | --data DIRECTORY | --journal DIRECTORY | --log FILE | --generate SERVERS)"
	return p.command(&cobra.Command{
		Use: name + sources, Short: short, Long: long, Example: example, Args: cobra.ArbitraryArgs,
		Annotations: map[string]string{setting.NameAs: "schedule-" + name}, // plan is also a command of its own
	}, func(ctx context.Context, args []string) error {
		if err := writable(p.config.Schedule.HTML); err != nil {
			return err
		}
		return run(ctx, args)
	})
}

// servers opens what is to be told from; least is the time that politeness demands.
func (p *program) servers(ctx context.Context, paths []string, least servers.Tick) (*schedule.Source, error) {
	c := &p.config.Schedule
	var (
		name    string
		demands []servers.Demand
		doubts  []string
		err     error
	)
	switch {
	case !oneOf(len(paths) > 0, p.config.Data != "", c.Journal != "", c.Log != "", c.Generate > 0):
		return nil, usageError{errors.New("schedule wants one source: histories, --data, --journal, --log or --generate"),
			"recrawl schedule report --data DIRECTORY, or recrawl schedule report --log downloads.csv"}
	case c.Generate > 0:
		return schedule.Generated(c.Generate, p.config.Seed, least)
	case c.Log != "":
		f, err := os.Open(c.Log)
		if err != nil {
			return nil, err
		}
		defer f.Close() // it is only read
		web, err := schedule.ReadLog(f, c.Log)
		if err != nil {
			return nil, err
		}
		return schedule.Logged(c.Log, web, least), nil
	case c.Journal != "":
		name = "journal"
		demands, doubts, err = recorded.DemandsInJournal(c.Journal, least, recorded.By(c.By))
	case p.config.Data != "":
		name = "store"
		demands, doubts, err = recorded.DemandsInStore(p.config.Data, least, recorded.By(c.By))
	default:
		name = "histories"
		var read []*history.Server
		read, err = p.readHistories(ctx, paths)
		demands = schedule.OfHistories(read, least)
	}
	if err != nil {
		return nil, noJournal(err)
	}
	p.warn(doubts...)
	return schedule.Demanded(name, demands, servers.Tick(c.Download.Milliseconds())), nil
}

func (p *program) scheduleReport(ctx context.Context, paths []string) error {
	c := &p.config.Schedule
	source, err := p.servers(ctx, paths, servers.Tick(p.config.Delay.Milliseconds()))
	if err != nil {
		return err
	}
	r := schedule.Examine(source, schedule.ReportOptions{Connections: c.Connections, Headroom: c.Headroom, Days: c.Days})
	p.warn(r.Warnings...)
	return p.publish(r, r.Page(), c.HTML)
}

func (p *program) scheduleSimulate(ctx context.Context, paths []string) error {
	c := &p.config.Schedule
	if c.SVG != "" {
		if err := os.MkdirAll(c.SVG, 0o755); err != nil {
			return err
		}
	}
	if len(paths) == 0 && p.config.Data == "" && c.Journal == "" && c.Log == "" && c.Generate == 0 {
		c.Generate = simulate.OfPaper.Servers
	}
	least := servers.Tick(c.Pause.Milliseconds())
	source, err := p.servers(ctx, paths, least)
	if err != nil {
		return err
	}
	webs, err := source.Webs(c.Webs, p.config.Seed, least)
	if err != nil {
		return err
	}
	o := schedule.SimulationOptions{Policies: c.policies(), Connections: c.Pool, Days: c.Length, Delay: c.Pause.Seconds(), Sets: []string{c.Servers}, AtOnce: c.AtOnce}
	o.Complete(c.Sweep, webs)
	bar := p.progress("simulated days", o.Steps(len(webs)))
	o.Step = bar.Step
	result, err := schedule.Simulate(ctx, source.Name, webs, o)
	bar.End()
	if err != nil {
		return err
	}
	if c.Sweep && c.Generate == simulate.OfPaper.Servers {
		result.Judge(webs)
	}
	if c.SVG != "" {
		for name, chart := range result.Figures() {
			if err := writeWhole(filepath.Join(c.SVG, name+".svg"), chart.SVG); err != nil {
				return err
			}
		}
	}
	return p.publish(result, result.Page(), c.HTML)
}

func (p *program) schedulePlan(ctx context.Context, paths []string) error {
	c := &p.config.Schedule
	least := servers.Tick(p.config.Delay.Milliseconds())
	source, err := p.servers(ctx, paths, least)
	if err != nil {
		return err
	}
	target, _ := schedule.ParseTarget(c.Target) // checked before
	plan, err := schedule.Size(ctx, source, schedule.PlanOptions{Target: target, PageBytes: c.PageBytes, Connections: c.PerNode, Mbps: c.NodeMbps, Delay: least, Hours: c.Hours, Seed: p.config.Seed})
	if err != nil {
		return err
	}
	return p.publish(plan, plan.Page(), c.HTML)
}
