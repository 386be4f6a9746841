package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/satstore/bench"
	"github.com/recrawl/recrawl/satstore/workload"
)

// BenchConfig are the settings of bench sat.
type BenchConfig struct {
	Records  int
	Unit     string
	Units    int // 0: usualUnits
	MaxUnits int `mapstructure:"max-units"` // 0: the unit's longest
	Fixed    int // bytes of a record beside its URL
	Buffer   string
	Page     string
	Engines  []string
	Repeat   int
	Messages float64 // requests a due record
	Disk     string  // bound of the files that measure the disk
	Dir      string
	HTML     string
	Figures  bool
	// FigureRecords are those of each run for a figure.
	FigureRecords int `mapstructure:"figure-records"`
}

// usualUnits reach over the end of a day, where coarse buckets are split.
var usualUnits = map[workload.Unit]int{workload.Minute: 90, workload.Hour: 26, workload.Day: 8}

func (c *BenchConfig) check(bad refuse) {
	unit, err := workload.ParseUnit(c.Unit)
	if err != nil {
		bad("bench.unit", c.Unit, strings.Join(workload.UnitNames, ", "))
		return // what the others may be hangs on it
	}
	longest := unit.Longest()
	for _, n := range []struct {
		key           string
		value         int
		least, most   int
		zeroMeansElse string
	}{
		{"bench.records", c.Records, 1, 1_000_000_000, ""},
		{"bench.units", c.Units, 0, 100_000, "; 0 for the usual"},
		{"bench.max-units", c.MaxUnits, 0, longest, "; 0 for all"},
		{"bench.repeat", c.Repeat, 1, 1000, ""},
		{"bench.figure-records", c.FigureRecords, 1, 1_000_000_000, ""},
	} {
		if n.value < n.least || n.value > n.most {
			bad(n.key, n.value, fmt.Sprintf("%d to %d%s", n.least, n.most, n.zeroMeansElse))
		}
	}
	if !slices.Contains(workload.FixedLengths, c.Fixed) {
		bad("bench.fixed", c.Fixed, fmt.Sprintf("one of %v bytes", workload.FixedLengths))
	}
	if !(c.Messages >= 0 && c.Messages <= 10) {
		bad("bench.messages", c.Messages, "requests a due record, 0 to 10")
	}
	c.checkSizes(bad)
	for _, name := range c.Engines {
		if _, ok := bench.KindOf(name); !ok && name != "all" {
			bad("bench.engines", name, "all, or of "+strings.Join(bench.Names(), ", "))
		}
	}
}

func (c *BenchConfig) checkSizes(bad refuse) {
	const want = "a size as 4KiB, 32MiB or a number of bytes"
	for key, text := range map[string]string{"bench.buffer": c.Buffer, "bench.page": c.Page, "bench.disk": c.Disk} {
		if _, err := parseSize(text); err != nil {
			bad(key, text, want)
		}
	}
	page, _ := parseSize(c.Page)
	if page < 512 || page > 1<<20 {
		bad("bench.page", c.Page, "512 bytes to 1MiB")
	}
	if buffer, err := parseSize(c.Buffer); err == nil && buffer < page {
		bad("bench.buffer", c.Buffer, "a page or more")
	}
}

// parseSize reads a number of bytes, with a unit of two's powers or none.
func parseSize(text string) (int, error) {
	number, shift := strings.TrimSpace(text), 0
	for unit, bits := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if rest, ok := strings.CutSuffix(number, unit); ok {
			number, shift = strings.TrimSpace(rest), bits
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is no size", text)
	}
	return int(n << shift), nil
}

func (p *program) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure parts of recrawl on this machine",
		Long: `bench measures what the rest of recrawl is built on, on the machine it runs on.

  recrawl bench sat    stores of page states: SAT's forms against B-trees and LSM trees`,
		Example: `  recrawl bench sat --help
  recrawl bench sat`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown benchmark %q", args[0]), "there is: recrawl bench sat"}
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(p.benchSatCommand())
	return cmd
}

func (p *program) benchSatCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sat",
		Short:   "Compare stores of page states: SAT's forms, B-trees, LSM trees",
		Long:    benchSatHelp(),
		Example: benchSatExample,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.benchSat(cmd.Context())
		},
	}
	addSettings(cmd)
	return cmd
}

func (p *program) benchSat(ctx context.Context) error {
	c := &p.config.Bench
	if c.Figures && c.HTML == "" && !p.json {
		return usageError{errors.New("figures were asked for, and nothing that shows them"), "--html FILE draws them, --json has their numbers; they take some minutes"}
	}
	if err := writable(c.HTML); err != nil {
		return err
	}
	o := c.options()
	bars := barsOf(p)
	defer bars.end()
	o.Tick = bars.tick
	measured, err := bench.Run(ctx, o)
	if err != nil {
		return explainBench(err)
	}
	result := benchResult{Result: measured}
	if c.Figures {
		o.Workload.Records = c.FigureRecords
		o.Settings.CacheBytes = c.cacheBytes(c.FigureRecords)
		if result.Figures, err = bench.Sweep(ctx, o); err != nil {
			return explainBench(err)
		}
	}
	bars.end()
	return p.publish(result, result.page(c.FigureRecords), c.HTML)
}

// options turns settings, checked before, into those of the measurement.
func (c *BenchConfig) options() bench.Options {
	unit, _ := workload.ParseUnit(c.Unit)
	buffer, _ := parseSize(c.Buffer)
	page, _ := parseSize(c.Page)
	disk, _ := parseSize(c.Disk)
	o := bench.Options{Workload: workload.Options{Records: c.Records, Unit: unit, MaxUnits: c.MaxUnits, FixedBytes: c.Fixed},
		Units: c.Units, Engines: c.Engines, Repeat: c.Repeat, Messages: c.Messages, Dir: c.Dir, DiskBytes: int64(disk)}
	if o.Units == 0 {
		o.Units = usualUnits[unit]
	}
	if slices.Contains(o.Engines, "all") {
		o.Engines = bench.Names()
	}
	// Caches of a tenth of the data, as the paper's machine had.
	o.Settings = bench.Settings{BufferBytes: buffer, PageBytes: page, CacheBytes: c.cacheBytes(c.Records)}
	return o
}

// explainBench adds what can be done about an error.
func explainBench(err error) error {
	if room := (*bench.RoomError)(nil); errors.As(err, &room) {
		return usageError{err, "take fewer --records, or another disk with --dir"}
	}
	if errors.Is(err, bench.ErrNoEngine) {
		return usageError{err, "forms with a file for each unit need fewer --max-units; engines without an index by id take no --messages"}
	}
	return err
}

// bars shows one bar after the other.
type bars struct {
	p    *program
	what string
	bar  *progress
}

func barsOf(p *program) *bars { return &bars{p: p} }

func (b *bars) tick(what string, done, total int) {
	if what != b.what {
		b.end()
		b.what, b.bar = what, b.p.progress(what, total)
	}
	b.bar.at(done)
}

func (b *bars) end() {
	if b.bar != nil {
		b.bar.end()
	}
	b.bar, b.what = nil, ""
}

// cacheBytes is what Pebble's caches may hold: a tenth of the records' bytes, 8 MiB at least.
func (c *BenchConfig) cacheBytes(records int) int { return max(records*(c.Fixed+64)/10, 8<<20) }
