package main

import (
	"context"

	"github.com/recrawl/recrawl/eval/cluster"
	"github.com/recrawl/recrawl/fetch/apart"
)

func (p *program) benchNodes(ctx context.Context, _ []string) error {
	c := p.config.BenchNodes
	return benchmark(p, c.HTML, func(tick func(string, int, int)) (*cluster.Result, error) {
		return cluster.Measure(ctx, cluster.Options{Settings: c, Again: apart.Again(), Tick: tick})
	}, (*cluster.Result).Page)
}
