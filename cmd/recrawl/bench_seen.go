package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/satstore/seen/bench"
	"github.com/recrawl/recrawl/satstore/seen/bench/present"
)

// SeenConfig are the settings of bench seen.
type SeenConfig struct {
	Hosts    int      `default:"200000" range:"[1000,2147483648]" want:"1000 to 2^31" help:"hosts of the graph that is made"`
	Edges    string   `help:"crawl this list of edges instead: two names a line, the first links to the second"`
	Start    string   `help:"with --edges: the host to begin at (default: the first)"`
	Seed     uint64   `default:"1" help:"seed of the graph and of the random filter"`
	Designs  int      `default:"1000000" range:"[0,)" help:"lookups by which whole designs are compared; 0: they are not"`
	Counters int      `default:"16777216" range:"[65536,4294967296]" help:"counters of table 1; 2^30 in the paper"`
	Lowered  int      `default:"2000000" range:"[0,)" help:"counters that the slowest method of table 1 lowers; 0: no table"`
	Lines    []string `default:"all" help:"of the figures: measure LRU and only these of clock, lines, sbfl, sbf, sbfl8, tags, lines-tags"`
	Follow   bool     `default:"true" help:"compare false negatives with their formula, 8 bytes a host"`
	Dir      string   `help:"a directory on the disk to measure (default: that for temporary files)"`
	HTML     string   `help:"also write a report with figures to this file"`
}

func (p *program) benchSeenCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "seen",
		Args: noArguments,
	}, p.benchSeen)
}

func (p *program) benchSeen(ctx context.Context, _ []string) error {
	c := &p.config.Seen
	if err := writable(c.HTML); err != nil {
		return err
	}
	if err := bench.CheckLines(c.Lines); err != nil {
		return usageError{err, "the lines of the figures by their short names, as --lines sbfl,clock"}
	}
	o := bench.Options{Hosts: c.Hosts, Seed: c.Seed, Designs: c.Designs, Counters: c.Counters, Lowered: c.Lowered, Lines: c.Lines, Follow: c.Follow, Dir: c.Dir}
	if c.Edges != "" {
		f, err := os.Open(c.Edges)
		if err != nil {
			return fmt.Errorf("read edges: %w", err)
		}
		defer f.Close()
		if o.Edges, err = bench.ReadEdges(f, c.Start); err != nil {
			return usageError{fmt.Errorf("read edges %s: %w", c.Edges, err), "two names a line, blanks or tabs between: the first links to the second"}
		}
	}
	bars := barsOf(p)
	defer bars.end()
	o.Tick = bars.tick
	result, err := bench.Run(ctx, o)
	if err != nil {
		return err
	}
	bars.end()
	return p.publish(result, present.Page(result), c.HTML)
}
