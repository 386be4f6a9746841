package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/failure"
	"github.com/recrawl/recrawl/cmd/show/benches"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/cmd/show/report/progress"
	"github.com/recrawl/recrawl/satstore/bench"
)

func (p *program) benchCommand() *cobra.Command {
	below := func(use string, do func(context.Context, []string) error) *cobra.Command {
		return p.command(&cobra.Command{Use: use, Args: noArguments}, do)
	}
	return group(&cobra.Command{Use: "bench"}, "unknown benchmark %q",
		"recrawl bench sat, recrawl bench seen, recrawl bench fetch",
		below("sat", p.benchSat), below("seen", p.benchSeen), below("fetch", p.benchFetch))
}

func (p *program) benchSat(ctx context.Context, _ []string) error {
	c := &p.config.Bench
	if c.Figures && c.HTML == "" && !p.json {
		return failure.Usage(errors.New("figures were asked for, and nothing that shows them"),
			"--html FILE draws them, --json has their numbers; they take some minutes")
	}
	if err := p.outputs(c.HTML); err != nil {
		return err
	}
	o := c.Options()
	bars := barsOf(p)
	defer bars.end()
	o.Tick = bars.tick
	measured, err := bench.Run(ctx, o)
	if err != nil {
		return err
	}
	result := benches.SAT{Result: measured}
	if c.Figures {
		if result.Figures, err = bench.Sweep(ctx, o.For(c.FigureRecords)); err != nil {
			return err
		}
	}
	bars.end()
	return p.publish(result, result.Page(), c.HTML)
}

// benchmark measures, and prints what came of that.
func benchmark[R any](p *program, html string, run func(tick func(what string, done, total int)) (R,
	error), page func(R) report.Page) error {
	if err := p.outputs(html); err != nil {
		return err
	}
	bars := barsOf(p)
	defer bars.end()
	result, err := run(bars.tick)
	if err != nil {
		return err
	}
	bars.end()
	return p.publish(result, page(result), html)
}

// bars shows one bar after the other.
type bars struct {
	p    *program
	what string
	bar  *progress.Bar
}

func barsOf(p *program) *bars { return &bars{p: p} }

func (b *bars) tick(what string, done, total int) {
	if what != b.what {
		b.end()
		b.what, b.bar = what, b.p.progress(what, total)
	}
	b.bar.At(done)
}

func (b *bars) end() {
	if b.bar != nil {
		b.bar.End()
	}
	b.bar, b.what = nil, ""
}
