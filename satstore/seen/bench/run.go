package bench

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/recrawl/recrawl/satstore/machine"
)

// Options of a measurement.
type Options struct {
	Hosts    int    // of the graph that is made, 1000 to 2^31
	Edges    *Edges // in place of it; nil: none
	Seed     uint64
	Designs  int // lookups by which designs are compared; 0: not at all
	Counters int // of table 1
	Lowered  int // by the slowest method of table 1; 0: no table
	// Lines are those of the figures that are measured beside LRU, by their names in Choices; nil:
	// all.
	Lines  []string
	Follow bool   // false negatives by the formula, 8 bytes a host
	Dir    string // for sets and Pebble; "": that for temporary files
	// Tick tells how far it is; may be nil.
	Tick func(what string, done, total int)
}

// Result is what was measured.
type Result struct {
	Hosts   int      `json:"hosts"`
	Made    bool     `json:"made"` // the graph, from the seed
	Seed    uint64   `json:"seed"`
	Reached int      `json:"reached"`
	Lookups int      `json:"lookups"`
	Repeats float64  `json:"repeats"` // share of the lookups
	Points  []Point  `json:"points"`
	Speeds  []Speed  `json:"speeds"`
	Designs []Design `json:"designs"`
	Entries []Entry  `json:"entries"`
	Seconds float64  `json:"seconds"`
	CPU     float64  `json:"cpu_seconds"`
	Peak    int64    `json:"peak_memory_bytes"`
}

// Of returns the points of a line, by size.
func (r *Result) Of(line string) []Point {
	var points []Point
	for _, p := range r.Points {
		if p.Line == line {
			points = append(points, p)
		}
	}
	return points
}

// Run measures. What it writes is removed in any case.
func Run(ctx context.Context, o Options) (r *Result, err error) {
	if o.Tick == nil {
		o.Tick = func(string, int, int) {}
	}
	chosen, err := choose(o.Lines)
	if err != nil {
		return nil, err
	}
	var g graph
	if o.Edges != nil {
		g = o.Edges.graph
	} else if o.Hosts < 1000 || o.Hosts > 1<<31 {
		return nil, fmt.Errorf("a graph of %d hosts: 1000 to 2^31 can be made", o.Hosts)
	} else {
		g = newMadeGraph(o.Hosts, o.Seed)
	}
	dir, err := os.MkdirTemp(o.Dir, "recrawl-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	began := machine.Measure()
	r = &Result{Hosts: g.size(), Made: o.Edges == nil, Seed: o.Seed, Speeds: []Speed{},
		Designs: []Design{}, Entries: []Entry{}}
	if o.Lowered > 0 {
		o.Tick("table 1", 0, 1)
		r.Speeds = speeds(o.Counters, o.Lowered, o.Seed)
	}
	if o.Designs > 0 {
		lookups, err := firstLookups(ctx, g, o.Designs)
		if err != nil {
			return nil, err
		}
		if r.Designs, err = designs(ctx, lookups, dir, o.Tick); err != nil {
			return nil, err
		}
		if r.Entries, err = entries(); err != nil {
			return nil, err
		}
	}
	all := contestants(g.size(), o, chosen)
	if err := sweep(ctx, g, all, r, func(done int) {
		o.Tick("hosts", done, g.size())
	}); err != nil {
		return nil, err
	}
	ended := machine.Measure()
	r.Seconds, r.CPU, r.Peak = ended.At.Sub(began.At).Seconds(), (ended.CPU - began.CPU).Seconds(),
		ended.Peak
	return r, nil
}

var errEnough = errors.New("enough lookups")

func firstLookups(ctx context.Context, g graph, n int) ([]lookup, error) {
	var all []lookup
	err := crawl(ctx, g, func(block []lookup) error {
		if all = append(all, block[:min(len(block), n-len(all))]...); len(all) == n {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return all, err
}
