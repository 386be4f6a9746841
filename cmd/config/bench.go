package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/satstore/paper"
)

// Bench has the settings of bench sat.
type Bench struct {
	Records       int      `default:"200000" range:"[1,1000000000]" help:"page states in the store"`
	Unit          string   `default:"hour" oneof:"{units}" want:"{units}" help:"step of time: minute, hour or day"`
	Units         int      `range:"[0,100000]" want:"0 to 100000; 0 for the usual" help:"number of units to measure (default 90 minutes, 26 hours or 8 days, so that a day ends in between)"`
	MaxUnits      int      `key:"max-units" help:"longest interval in units, T; longer ones are cut (default 400 days)"`
	Fixed         int      `default:"100" help:"bytes of a record beside its URL: 50, 100, 200 or 400"`
	Buffer        string   `default:"32MiB" help:"all write buffers of runs and of the SAT forms together"`
	Page          string   `default:"4KiB" help:"one page of a write buffer"`
	Engines       []string `default:"all" help:"engines to measure; times of the others are divided by that of the first"`
	Repeat        int      `default:"3" range:"[1,1000]" help:"repetitions; the engines take turns"`
	Messages      float64  `range:"[0,10]" want:"requests a due record, 0 to 10" help:"ad-hoc requests before each unit, as a share of its due records"`
	Disk          string   `default:"256MiB" help:"longest file with which the disk alone is measured; 0: it is not measured"`
	Dir           string   `path:"directory" help:"a directory on the disk to measure (default: that for temporary files)"`
	HTML          string   `path:"any" help:"also write a report with figures to this file"`
	Figures       bool     `help:"also measure what figures 5 and 7 to 10 of [SAT] show"`
	FigureRecords int      `key:"figure-records" default:"50000" range:"[1,1000000000]" help:"page states in each run for those figures"`
}

func (c *Bench) check(r *Review) {
	unit, err := paper.ParseUnit(c.Unit)
	if longest := unit.Longest(); err == nil && (c.MaxUnits < 0 || c.MaxUnits > longest) {
		r.Refuse("bench.max-units", c.MaxUnits, fmt.Sprintf("0 to %d; 0 for all", longest))
	}
	if !slices.Contains(paper.FixedLengths, c.Fixed) {
		r.Refuse("bench.fixed", c.Fixed, fmt.Sprintf("one of %v bytes", paper.FixedLengths))
	}
	c.checkSizes(r)
}

func (c *Bench) checkSizes(r *Review) {
	const want = "a size as 4KiB, 32MiB or a number of bytes"
	for key, text := range map[string]string{"bench.buffer": c.Buffer, "bench.page": c.Page,
		"bench.disk": c.Disk} {
		if _, err := ParseSize(text); err != nil {
			r.Refuse(key, text, want)
		}
	}
	page, _ := ParseSize(c.Page)
	if page < 512 || page > 1<<20 {
		r.Refuse("bench.page", c.Page, "512 bytes to 1MiB")
	}
	if buffer, err := ParseSize(c.Buffer); err == nil && buffer < page {
		r.Refuse("bench.buffer", c.Buffer, "a page or more")
	}
}

// ParseSize reads a number of bytes, with or without a binary unit.
func ParseSize(text string) (int, error) {
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

// Seen has the settings of bench seen.
type Seen struct {
	Hosts    int    `default:"200000" range:"[1000,2147483648]" want:"1000 to 2^31" help:"hosts of the graph that is made"`
	Seed     uint64 `default:"1" help:"seed of the graph and of the random filter"`
	Designs  int    `default:"1000000" range:"[0,)" help:"lookups by which whole designs are compared; 0: they are not"`
	Counters int    `default:"16777216" range:"[65536,4294967296]" help:"counters of table 1; 2^30 in the paper"`
	Lowered  int    `default:"2000000" range:"[0,)" help:"counters that the slowest method of table 1 lowers; 0: no table"`
	Dir      string `help:"a directory on the disk to measure (default: that for temporary files)"`
	HTML     string `help:"also write a report with figures to this file"`
}
