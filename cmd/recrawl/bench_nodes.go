package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/cluster"
	"github.com/recrawl/recrawl/fetch/apart"
)

func (p *program) benchNodesCommand() *cobra.Command {
	return p.command(&cobra.Command{Use: "nodes", Args: noArguments}, p.benchNodes)
}

func (p *program) benchNodes(ctx context.Context, _ []string) error {
	c := p.config.BenchNodes
	if err := writable(c.HTML); err != nil {
		return err
	}
	bars := barsOf(p)
	defer bars.end()
	result, err := cluster.Measure(ctx, cluster.Options{Settings: c, Again: apart.Again(), Tick: bars.tick})
	if err != nil {
		return err
	}
	bars.end()
	return p.publish(result, result.Page(), c.HTML)
}
