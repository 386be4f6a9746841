package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
	if len(c.Engines) == 0 {
		bad("bench.engines", "", engineNames())
	}
	for _, name := range c.Engines {
		if _, ok := bench.KindOf(name); !ok && name != "all" {
			bad("bench.engines", name, engineNames())
		}
	}
}

func engineNames() string { return "all, or of " + strings.Join(bench.Names(), ", ") }

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

// cacheBytes is what Pebble's caches may hold: a tenth of the records' bytes, 8 MiB at least.
func (c *BenchConfig) cacheBytes(records int) int { return max(records*(c.Fixed+64)/10, 8<<20) }
