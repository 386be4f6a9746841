package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/setting"
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
		p.scheduled("report", &cobra.Command{
			Short: "Which intervals cannot be kept, why, and what would help",
			Long: `report puts each server into a class:

  feasible                its interval can be kept
  pool-bound              it could be, but the connections do not suffice for all
  steadily infeasible     the mean download takes longer than the interval: e/I > 1
  temporarily infeasible  the longest download does
  politeness-bound        the delay between two visits, with the visit itself, is longer

and says what would cure it, in visits a day and in value: pages whose copy is good. At least
ceil(sum of min(e/I, 1)) connections are needed; about three times as many for no missed period.
Corrections change the intervals so that all fits; the first of the table loses least.

  --data, --journal  of run; the journal also knows which servers share an address
  histories          intervals are the times between changes, downloads take --download
  --log              a CSV of downloads; --generate: servers as published

Large sites are those of which one pass over all pages takes more than --pass-days at this --delay.`,
			Example: `  recrawl checkpoint --data crawl --to copy && recrawl schedule report --data copy
  recrawl schedule report --journal crawl/journal --pool 64 --html report.html
  recrawl schedule report --log downloads.csv --delay 10s --json | jq .infeasible
  recrawl schedule report histories/ --by change`,
		}, p.scheduleReport),
		p.scheduled("simulate", &cobra.Command{
			Short: "Simulate months of a schedule",
			Long: `simulate lets servers wait for a connection, download for as long as the next line of their log says,
pause, and wait again. A period of a server in which no download begins is missed. It uses the
scheduler that run uses.

Without a source it generates the servers of [HIER 3.1]: 82,034 with a mean interval of 5.5 days.
--sweep tries all five policies with many numbers of connections, draws figures 6 to 8 of the paper
and says which of its statements hold. A day of all servers takes about two seconds on one core.

  edf   the earliest latest start first     fcfs  the first to wait first
  freq  the shortest interval first         rm    the largest utilisation first
  sjf   the shortest download first`,
			Example: `  recrawl schedule simulate --days 10 --connections 84 --policy edf
  recrawl schedule simulate --sweep --webs 3 --html sweep.html --svg figures
  recrawl schedule simulate --log downloads.csv --policy edf,sjf --connections 4,8,16`,
		}, p.scheduleSimulate),
		p.scheduled("plan", &cobra.Command{
			Short: "Connections, bandwidth and nodes for a target",
			Long: `plan says what a target takes: connections, bandwidth and nodes, each with its spread (5th to 95th
percentile over 200 resamples of the servers). Four numbers of connections, from below: with fewer
than the bound intervals are certainly missed; the least with which the simulation missed nothing;
three times the bound, as published; and a number proved to suffice whenever periods begin.

  --target intervals=1     all intervals as they are wanted; 2: twice as long
  --target freshness=0.8   copies are good 80 % of the time, where the wanted interval of a page is
                           the time between its changes (--by change)

Servers whose intervals no number of connections keeps are left out: schedule report names them.`,
			Example: `  recrawl schedule plan --journal crawl/journal --target intervals=2
  recrawl schedule plan --data copy --by change --target freshness=0.8 --node-mbps 50
  recrawl schedule plan --generate 82034 --delay 1s --json | jq .nodes`,
		}, p.schedulePlan))
}

// scheduled makes a command below schedule. Tags of settings name it otherwise: plan is also a
// command of its own.
func (p *program) scheduled(
	name string,
	cmd *cobra.Command,
	work func(context.Context, []string) error,
) *cobra.Command {
	cmd.Use = name + " (HISTORY... | --data DIRECTORY | --journal DIRECTORY | --log FILE | --generate SERVERS)"
	cmd.Args = cobra.ArbitraryArgs
	cmd.Annotations = map[string]string{setting.NameAs: "schedule-" + name}
	return p.command(cmd, func(ctx context.Context, args []string) error {
		if err := writable(p.config.Schedule.HTML); err != nil {
			return err
		}
		return work(ctx, args)
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
		return schedule.ReadLog(f, c.Log, least)
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
	policies, _ := servers.PoliciesNamed(c.Policy) // checked before
	o := schedule.SimulationOptions{Policies: policies, Connections: c.Pool, Days: c.Length,
		Delay: c.Pause.Seconds(), Sets: []string{c.Servers}, AtOnce: c.AtOnce}
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
	plan, err := schedule.Size(ctx, source, schedule.PlanOptions{
		Target: target, PageBytes: c.PageBytes, Connections: c.PerNode, Mbps: c.NodeMbps,
		Delay: least, Hours: c.Hours, Seed: p.config.Seed,
	})
	if err != nil {
		return err
	}
	return p.publish(plan, plan.Page(), c.HTML)
}
