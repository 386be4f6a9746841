package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/demo"
)

func (p *program) demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The whole system on a built-in web, in a minute",
		Long: `demo serves a synthetic web, or recorded sites, from this machine's loopback addresses,
one a server, and lets recrawl crawl it, look at the tops of its sites first a month later
[LINK 4], and keep it fresh for 24 virtual weeks with --policy: real HTTP, robots.txt,
conditional requests, politeness in virtual time, the store on disk.
Then it replays the same web without HTTP under every policy, checks that HTTP and replay
agree visit by visit, prints what each policy found, and writes a report with figures.
At last it crawls the web anew over HTTP and keeps it fresh with feeds and sitemaps and
without, within the same budget, to measure what their claims are worth (--claims=false: not).

--keep leaves the store in DIRECTORY/data, and as it was after the crawl in DIRECTORY/base:
recrawl sites --data DIRECTORY/base SERVER shows its sites.

Nothing but this machine is asked for anything.`,
		Example: `  recrawl demo
  recrawl demo --seed 7 --budget 0.05 --policy c-closure
  recrawl demo --sites DIRECTORY      # whole page contents over time, one file a server`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.demo(cmd.Context())
		},
	}
	addSettings(cmd)
	return cmd
}

func (p *program) demo(ctx context.Context) error {
	c := &p.config
	if err := writable(c.Demo.HTML); err != nil {
		return err
	}
	if path := demo.Occupied(c.Demo.Keep); path != "" {
		return usageError{fmt.Errorf("--keep %s: %s is there already", c.Demo.Keep, path), "give a new directory, or remove that one"}
	}
	r, err := demo.Run(ctx, demo.Options{
		Seed: c.Seed, Pages: c.Demo.Pages, Sites: c.Demo.Sites, Keep: c.Demo.Keep,
		Change: c.changeBy(), Policy: c.Policy, Weeks: c.Demo.Weeks, Budget: c.Demo.Budget, New: c.New,
		Claims: c.Demo.Claims, SourceShare: sourceShare,
		Progress: func(what string, steps int) demo.Bar { return p.progress(what, steps) },
	})
	if err != nil {
		return err
	}
	if err := p.publish(r, r.Page(), c.Demo.HTML); err != nil {
		return err
	}
	if r.Agreement.Difference != "" {
		return fmt.Errorf("HTTP and replay disagree: %s", r.Agreement.Difference)
	}
	return nil
}
