package lab

import (
	"context"
	"errors"
	"strings"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/cmd/show/benches"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/satstore/bench"
	"github.com/recrawl/recrawl/satstore/workload"
)

func benchSat(ctx context.Context, p *core.Program, _ []string) error {
	c := &p.Config().Bench
	if c.Figures && c.HTML == "" && !p.JSON() {
		return core.UsageError(errors.New("figures were asked for, and nothing that shows them"),
			"--html FILE draws them, --json has their numbers; they take some minutes")
	}
	if err := p.Outputs(c.HTML); err != nil {
		return err
	}
	o := options(c)
	bars := barsOf(p)
	defer bars.end()
	o.Tick = bars.tick
	measured, err := bench.Run(ctx, o)
	if err != nil {
		return explained(err)
	}
	result := benches.SAT{Result: measured}
	if c.Figures {
		if result.Figures, err = bench.Sweep(ctx, o.For(c.FigureRecords)); err != nil {
			return explained(err)
		}
	}
	bars.end()
	return p.Publish(result, result.Page(), c.HTML)
}

// options turns settings, checked before, into those of the measurement.
func options(c *config.Bench) bench.Options {
	unit, _ := workload.ParseUnit(c.Unit)
	buffer, _ := config.ParseSize(c.Buffer)
	page, _ := config.ParseSize(c.Page)
	disk, _ := config.ParseSize(c.Disk)
	return bench.Options{
		Workload: workload.Options{Unit: unit, MaxUnits: c.MaxUnits, FixedBytes: c.Fixed},
		Settings: bench.Settings{BufferBytes: buffer, PageBytes: page}, DiskBytes: int64(disk),
		Dir:   c.Dir,
		Units: c.Units, Engines: c.Engines, Repeat: c.Repeat, Messages: c.Messages,
	}.For(c.Records)
}

// checkEngines refuses names of engines that are none.
func checkEngines(c *config.Config, r *config.Review) {
	engines := "all, or of " + strings.Join(bench.Names(), ", ")
	if len(c.Bench.Engines) == 0 {
		r.Refuse("bench.engines", "", engines)
	}
	for _, name := range c.Bench.Engines {
		if _, ok := bench.KindOf(name); !ok && name != "all" {
			r.Refuse("bench.engines", name, engines)
		}
	}
}

// explained says what can be done about an error of a measurement.
func explained(err error) error {
	hint := ""
	switch {
	case errors.As(err, new(*bench.RoomError)):
		hint = "take fewer --records, or another disk with --dir"
	case errors.Is(err, bench.ErrNoEngine):
		hint = "forms with a file for each unit need fewer --max-units; SAT/Basic and Pebble by " +
			"time have no index by id and take no --messages"
	case errors.Is(err, bench.ErrNothingDue):
		hint = "take more --records or more --units"
	default:
		return err
	}
	return core.WorkError(err, hint, core.ExitFailed)
}

// benchmark measures, and prints what came of that.
func benchmark[R any](
	p *core.Program,
	html string,
	run func(tick func(what string, done, total int)) (R, error),
	page func(R) report.Page,
) error {
	if err := p.Outputs(html); err != nil {
		return err
	}
	bars := barsOf(p)
	defer bars.end()
	result, err := run(bars.tick)
	if err != nil {
		return err
	}
	bars.end()
	return p.Publish(result, page(result), html)
}

// bars shows one bar after the other.
type bars struct {
	p    *core.Program
	what string
	bar  *report.Bar
}

func barsOf(p *core.Program) *bars { return &bars{p: p} }

func (b *bars) tick(what string, done, total int) {
	if what != b.what {
		b.end()
		b.what, b.bar = what, b.p.Progress(what, total)
	}
	b.bar.At(done)
}

func (b *bars) end() {
	if b.bar != nil {
		b.bar.End()
	}
	b.bar, b.what = nil, ""
}
