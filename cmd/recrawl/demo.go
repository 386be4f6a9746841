package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/demo"
)

func (p *program) demoCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "demo",
		Short: "Show the whole system on a built-in web, in a minute",
		Long: `demo shows the whole system on a web that it serves itself, from this machine's loopback addresses,
one for each server. The web is synthetic, or consists of recorded sites (--sites).

 1. It crawls the web, visits the tops of its sites a month later [LINK 4], and keeps it fresh for
    24 virtual weeks with --policy: over real HTTP, with robots.txt, conditional requests,
    politeness in virtual time, and the store on disk.
 2. It replays the same web without HTTP under several policies, checks that HTTP and replay agree
    visit by visit, and prints what each policy found.
 3. It crawls the web anew and keeps it fresh with and without feeds and sitemaps, within the same
    budget, to measure what their claims are worth (--claims=false leaves this out).

It writes a report with figures. No other machine is asked for anything.

--keep leaves the store in DIRECTORY/data, and the store as it was after the crawl in
DIRECTORY/base: recrawl sites --data DIRECTORY/base SERVER shows its sites.

--archive keeps what was fetched over HTTP in step 1, without the visits to tops, as WARC files with
virtual times: recrawl replay shows the web as it was on each day.`,
		Example: `  recrawl demo
  recrawl demo --seed 7 --budget 0.05 --policy c-closure
  recrawl demo --sites DIRECTORY      # whole page contents over time, one file a server
  recrawl demo --sites DIRECTORY --archive warc`,
		Args: noArguments,
	}, p.demo)
}

func (p *program) demo(ctx context.Context, _ []string) error {
	c := &p.config
	if err := writable(c.Demo.HTML); err != nil {
		return err
	}
	if path := demo.Occupied(c.Demo.Keep, c.Archive); path != "" {
		return usageError{fmt.Errorf("%s is there already", path), "give --keep and --archive new directories, or remove that one"}
	}
	r, err := demo.Run(ctx, demo.Options{
		Seed: c.Seed, Pages: c.Demo.Pages, Sites: c.Demo.Sites, Keep: c.Demo.Keep, Archive: c.Archive,
		Change: c.changeBy(), Policy: c.Policy, Weeks: c.Demo.Weeks, Budget: c.Demo.Budget, New: c.New,
		Claims:   c.Demo.Claims,
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
