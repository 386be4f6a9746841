package lab

import (
	"context"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/cmd/core"
	show "github.com/recrawl/recrawl/cmd/show/papers"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/eval/tidy"
	servers "github.com/recrawl/recrawl/planner/schedule"
)

// simulateSchedule runs the command schedule simulate.
func simulateSchedule(ctx context.Context, p *core.Program, paths []string) error {
	c := &p.Config().Schedule
	if c.SVG != "" {
		if err := os.MkdirAll(c.SVG, 0o755); err != nil {
			return err
		}
	}
	tables, err := p.Tables(tidy.ForSimulate...)
	if err != nil {
		return err
	}
	defer tables.Discard()
	if len(paths) == 0 && p.Config().Data == "" && c.Journal == "" && c.Log == "" &&
		c.Generate == 0 {
		c.Generate = servers.OfPaper.Servers
	}
	least := servers.Tick(c.Pause.Milliseconds())
	source, err := p.Servers(ctx, paths, least)
	if err != nil {
		return err
	}
	webs, err := source.Webs(c.Webs, p.Config().Seed, least)
	if err != nil {
		return err
	}
	policies, _ := servers.PoliciesNamed(c.Policy) // the settings are checked
	o := papers.SimulationOptions{Policies: policies, Connections: c.Pool, Days: c.Length,
		Delay: c.Pause.Seconds(), Sets: []string{c.Servers}, AtOnce: c.AtOnce}
	o.Complete(c.Sweep, webs)
	bar := p.Progress("simulated days", o.Steps(len(webs)))
	o.Step = bar.Step
	result, err := papers.Simulate(ctx, source.Name, webs, o)
	bar.End()
	if err != nil {
		return err
	}
	if c.Sweep && c.Generate == servers.OfPaper.Servers {
		result.Judge(webs)
	}
	if err := p.Commit(tables, tidy.WriteSimulation(tables, result)); err != nil {
		return err
	}
	if c.SVG != "" {
		for name, chart := range show.SimulationFigures(result) {
			if err := core.WriteWhole(filepath.Join(c.SVG, name+".svg"), chart.SVG); err != nil {
				return err
			}
		}
	}
	return p.Publish(result, show.SimulationPage(result), c.HTML)
}
