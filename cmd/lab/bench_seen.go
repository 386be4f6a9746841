package lab

import (
	"context"
	"fmt"
	"os"

	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/cmd/show/benches"
	"github.com/recrawl/recrawl/satstore/seen/bench"
)

func benchSeen(ctx context.Context, p *core.Program, _ []string) error {
	c := &p.Config().Seen
	if err := bench.CheckLines(c.Lines); err != nil {
		return core.UsageError(err,
			"the lines of the figures by their short names, as --lines sbfl,clock")
	}
	o := bench.Options{Hosts: c.Hosts, Seed: c.Seed, Designs: c.Designs, Counters: c.Counters,
		Lowered: c.Lowered, Lines: c.Lines, Follow: c.Follow, Dir: c.Dir}
	if c.Edges != "" {
		f, err := os.Open(c.Edges)
		if err != nil {
			return fmt.Errorf("read edges: %w", err)
		}
		defer f.Close()
		if o.Edges, err = bench.ReadEdges(f, c.Start); err != nil {
			return core.UsageError(fmt.Errorf("read edges %s: %w", c.Edges, err),
				"two names a line, blanks or tabs between: the first links to the second")
		}
	}
	return benchmark(p, c.HTML, func(tick func(string, int, int)) (*bench.Result, error) {
		o.Tick = tick
		return bench.Run(ctx, o)
	}, benches.Seen)
}
