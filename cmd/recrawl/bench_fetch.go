package main

import (
	"context"

	"github.com/recrawl/recrawl/cmd/show/benches"
	"github.com/recrawl/recrawl/fetch/apart"
	"github.com/recrawl/recrawl/fetch/bench"
)

func (p *program) benchFetch(ctx context.Context, _ []string) error {
	c := p.config.Fetch
	return benchmark(p, c.HTML, func(tick func(string, int, int)) (*bench.Result, error) {
		return bench.Run(ctx, bench.Options{Settings: c, Again: apart.Again(), Tick: tick})
	}, benches.Fetch)
}
