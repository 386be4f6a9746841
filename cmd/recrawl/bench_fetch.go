package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/fetch/apart"
	"github.com/recrawl/recrawl/fetch/bench"
	"github.com/recrawl/recrawl/fetch/bench/present"
)

func (p *program) benchFetchCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "fetch",
		Args: noArguments,
	}, p.benchFetch)
}

func (p *program) benchFetch(ctx context.Context, _ []string) error {
	c := p.config.Fetch
	if err := writable(c.HTML); err != nil {
		return err
	}
	bars := barsOf(p)
	defer bars.end()
	result, err := bench.Run(ctx, bench.Options{Settings: c, Again: apart.Again(), Tick: bars.tick})
	if err != nil {
		return err
	}
	bars.end()
	return p.publish(result, present.Page(result), c.HTML)
}
