package bench

import (
	"context"
	"fmt"

	"github.com/recrawl/recrawl/satstore/workload"
)

// Figure is the equivalent of a figure of the paper: a value of some engines over some
// settings.
type Figure struct {
	Number string   `json:"figure"` // of [SAT]
	Title  string   `json:"title"`
	XLabel string   `json:"x_label"`
	YLabel string   `json:"y_label"`
	X      []string `json:"x"`
	Lines  []Line   `json:"lines"`
}

// Line is one engine, by X.
type Line struct {
	Name   string    `json:"name"`
	Y      []float64 `json:"y"`
	Dashed bool      `json:"dashed,omitempty"` // of another kind than those of the figure
}

// sweep measures one engine after the other in small, and tells how far it is.
type sweep struct {
	o     Options
	done  int
	total int
}

// Steps are the settings swept over. Buffers are smaller than those of the paper, as the
// workload is: what counts is their pages against the number of buckets.
var (
	sweepBuffers = []int{32 << 10, 128 << 10, 512 << 10, 2 << 20}
	sweepPages   = []int{4 << 10, 64 << 10}
	sweepCounts  = []int{5, 20, 80, 320, 1280}
	sweepForms   = []string{"sat", "sat-basic", "sat-naive"}
	sweepUnits   = map[workload.Unit]int{workload.Day: 3, workload.Hour: 3}
	bothUnits    = []workload.Unit{workload.Day, workload.Hour}
	// sweepLongest is T. With the paper's 9600 hours so few records would be a file each,
	// and making and removing these files all that is measured.
	sweepLongest = map[workload.Unit]int{workload.Day: workload.Day.Longest(), workload.Hour: 1200}
)

// Sweep measures what the figures 5 and 7 to 10 of the paper show, with the records of o
// and, where nothing else is said, its settings. Each point is one short run: take what
// stands out, not the last digit.
func Sweep(ctx context.Context, o Options) ([]Figure, error) {
	o.Repeat, o.DiskBytes, o.Messages = 1, 0, 0
	s := &sweep{o: o, total: 4*len(workload.FixedLengths) + 2*len(sweepForms)*len(sweepBuffers)*len(sweepPages) + 2*len(sweepCounts)}
	var all []Figure
	for _, draw := range []func(context.Context) ([]Figure, error){s.lengths, s.buffers, s.counts} {
		figures, err := draw(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

// one runs a single engine.
func (s *sweep) one(ctx context.Context, engine string, unit workload.Unit, change func(o *Options)) (point, error) {
	if s.o.Tick != nil {
		s.o.Tick("figures", s.done, s.total)
	}
	s.done++
	o := s.o
	o.Tick, o.Engines, o.Workload.Unit, o.Workload.MaxUnits, o.Units = nil, []string{engine}, unit, sweepLongest[unit], sweepUnits[unit]
	if change != nil {
		change(&o)
	}
	r, err := Run(ctx, o)
	if err != nil {
		return point{}, fmt.Errorf("figures: %w", err)
	}
	var all []float64
	for _, u := range r.Engines[0].Runs[0].Units {
		if u.Due > 0 {
			all = append(all, 1e6*(u.Visit+u.Commit)/float64(u.Due))
		}
	}
	p := point{micros: median(all), stored: float64(r.Engines[0].Stored) / 1e6}
	p.rate = 2 * float64(r.PayloadBytes) / float64(max(r.Due, 1)) / max(p.micros, 1e-9)
	return p, nil
}

// point is what one short run gives. Its time is that of the unit in the middle, without
// the sync of the file system: of so few records that would be most of the time, and
// others that write there most of the sync.
type point struct {
	micros float64 // a record
	stored float64 // MB
	rate   float64 // MB/s, read and written
}

// lengths makes the figures over the length of a record: 5, size, and 10, throughput.
func (s *sweep) lengths(ctx context.Context) ([]Figure, error) {
	size := Figure{Number: "5", Title: "Size on disk by record length", XLabel: "fixed part of a record, bytes", YLabel: "MB"}
	rate := Figure{Number: "10", Title: "Throughput by record length", XLabel: "fixed part of a record, bytes", YLabel: "MB/s, read and written"}
	for _, c := range []struct {
		name, engine string
		unit         workload.Unit
		dashed       bool
	}{{"SAT, days", "sat", workload.Day, false}, {"SAT, hours", "sat", workload.Hour, false},
		{"Pebble by id, days", pebbleIDKind.Name, workload.Day, true}, {"bbolt by id, days", bboltKind.Name, workload.Day, true}} {
		sizes, rates := Line{Name: c.name, Dashed: c.dashed}, Line{Name: c.name, Dashed: c.dashed}
		for _, fixed := range workload.FixedLengths {
			m, err := s.one(ctx, c.engine, c.unit, func(o *Options) { o.Workload.FixedBytes = fixed })
			if err != nil {
				return nil, err
			}
			sizes.Y = append(sizes.Y, m.stored)
			rates.Y = append(rates.Y, m.rate)
		}
		size.Lines = append(size.Lines, sizes)
		rate.Lines = append(rate.Lines, rates)
	}
	raw := Line{Name: "records alone", Dashed: true}
	for _, fixed := range workload.FixedLengths {
		size.X = append(size.X, fmt.Sprint(fixed))
		raw.Y = append(raw.Y, (float64(fixed)+63.6)*float64(s.o.Workload.Records)/1e6)
	}
	rate.X = size.X
	size.Lines = append(size.Lines, raw)
	return []Figure{size, rate}, nil
}

// buffers makes the figures 7 and 8: time by all buffers together, for days and hours.
func (s *sweep) buffers(ctx context.Context) ([]Figure, error) {
	var all []Figure
	for i, unit := range bothUnits {
		f := Figure{Number: fmt.Sprint(7 + i), Title: fmt.Sprintf("Time by size of all buffers, %d buckets of one %v", sweepLongest[unit], unit), XLabel: "buffers", YLabel: "us per record"}
		for _, bytes := range sweepBuffers {
			f.X = append(f.X, SizeText(bytes))
		}
		for _, engine := range sweepForms {
			for _, page := range sweepPages {
				line := Line{Name: fmt.Sprintf("%s, %s pages", engine, SizeText(page)), Dashed: page > sweepPages[0]}
				for _, bytes := range sweepBuffers {
					m, err := s.one(ctx, engine, unit, func(o *Options) { o.Settings.BufferBytes, o.Settings.PageBytes = max(bytes, page), page })
					if err != nil {
						return nil, err
					}
					line.Y = append(line.Y, m.micros)
				}
				f.Lines = append(f.Lines, line)
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// counts makes figure 9: time by the number of pages.
func (s *sweep) counts(ctx context.Context) ([]Figure, error) {
	f := Figure{Number: "9", Title: "Time by number of pages, SAT", XLabel: "pages of 4 KiB", YLabel: "us per record"}
	for _, n := range sweepCounts {
		f.X = append(f.X, fmt.Sprint(n))
	}
	for _, unit := range bothUnits {
		line := Line{Name: fmt.Sprintf("%d buckets of one %v", sweepLongest[unit], unit)}
		for _, n := range sweepCounts {
			m, err := s.one(ctx, "sat", unit, func(o *Options) { o.Settings.BufferBytes, o.Settings.PageBytes = n*4096, 4096 })
			if err != nil {
				return nil, err
			}
			line.Y = append(line.Y, m.micros)
		}
		f.Lines = append(f.Lines, line)
	}
	return []Figure{f}, nil
}

// SizeText writes a number of bytes as 4 KiB or 32 MiB.
func SizeText(bytes int) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d B", bytes)
}
