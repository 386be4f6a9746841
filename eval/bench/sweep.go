package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/satstore/paper"
)

// sweep measures engines on small workloads in turn, and reports its progress.
type sweep struct {
	o     Options
	done  int
	total int
}

// Steps are the settings swept over. Buffers are smaller than those of the paper, as the
// workload is: what counts is their pages against the number of buckets.
var (
	sweepBuffers  = []int{64 << 10, 256 << 10, 1 << 20, 4 << 20}
	sweepPages    = []int{4 << 10, 64 << 10}
	sweepTrees    = []int{4 << 10, 16 << 10, 64 << 10}
	sweepCounts   = []int{5, 20, 80, 320, 1280}
	sweepForms    = []string{"sat", "sat-basic", "sat-naive"}
	sweepRequests = []string{"sat", "runs", "bbolt-id"}
	bothUnits     = []paper.Unit{paper.Day, paper.Hour}
	// sweepLongest is T. With the paper's 9600 hours each of few records would be a file, and only
	// creating and removing files would be measured.
	sweepLongest = map[paper.Unit]int{paper.Day: paper.Day.Longest(), paper.Hour: 1200}
)

// sweepUnits is the number of units in each run; the middle one counts.
const sweepUnits = 3

// Sweep measures figures 5 and 7 to 10 of the paper, with the records of o and, unless a figure
// sets them, its settings. Each point is one short run: rely on clear differences only.
func Sweep(ctx context.Context, o Options) ([]Figure, error) {
	o.Repeat, o.DiskBytes, o.Messages = 1, 0, 0
	s := &sweep{o: o, total: len(lengthLines)*len(paper.FixedLengths) +
		len(bothUnits)*(len(sweepForms)*len(sweepBuffers)*len(sweepPages)+len(sweepTrees)+
			len(sweepCounts)) + 2*len(sweepRequests)}
	var all []Figure
	for _, draw := range []func(context.Context) ([]Figure, error){s.lengths, s.buffers, s.counts,
		s.requests} {
		figures, err := draw(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	return all, nil
}

// point is the result of one short run. Its time is that of the middle unit, without the sync of
// the file system: that would dominate with few records, and other writers would dominate it.
type point struct {
	micros   float64 // a record
	stored   float64 // MB
	rate     float64 // MB/s, read and written
	deadline float64 // deadline: us a record
}

// one runs a single engine.
func (s *sweep) one(ctx context.Context, engine string, unit paper.Unit,
	change func(o *Options)) (point, error) {
	if s.o.Tick != nil {
		s.o.Tick("figures", s.done, s.total)
	}
	s.done++
	o := s.o
	o.Tick, o.Engines, o.Workload.Unit, o.Workload.MaxUnits, o.Units = nil, []string{
		engine,
	}, unit, sweepLongest[unit], sweepUnits
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
	p := point{micros: median(all), stored: float64(r.Engines[0].Stored) / 1e6,
		deadline: r.Deadline()}
	p.rate = 2 * float64(r.PayloadBytes) / float64(r.Due) / max(p.micros, 1e-9)
	return p, nil
}

// setting describes the settings of a figure.
func (s *sweep) setting(units ...paper.Unit) string {
	text := fmt.Sprintf("%d records", s.o.Workload.Records)
	for _, unit := range units {
		text += fmt.Sprintf(", T = %d %ss", sweepLongest[unit], unit)
		if sweepLongest[unit] != unit.Longest() {
			text += fmt.Sprintf(" (in the paper %d)", unit.Longest())
		}
	}
	return text + "."
}

// treeName returns the name of bbolt with a page size.
func treeName(page int) string { return "B-tree, " + SizeText(page) }

// Figure is the equivalent of a figure in the paper: a value of some engines over some settings.
type Figure struct {
	Number string `json:"figure"` // of [SAT]
	Title  string `json:"title"`
	// Note names the number of records, T, and deviations from the paper.
	Note   string   `json:"note"`
	XLabel string   `json:"x_label"`
	YLabel string   `json:"y_label"`
	X      []string `json:"x"`
	Lines  []Line   `json:"lines"`
	// Deadline is the time, in microseconds, that a unit has for each of its records; 0 if the
	// figure has no such line.
	Deadline float64 `json:"deadline_us,omitempty"`
}

// Line is one engine, by X.
type Line struct {
	Name   string    `json:"name"`
	Y      []float64 `json:"y"`
	Dashed bool      `json:"dashed,omitempty"` // unlike the lines of the paper's figure
}

// ContentBytes is the mean length of a page's content, 22.0 KiB [SAT 4.2]. Writing it to an archive
// takes longer than a store should.
const ContentBytes = 22 << 10

// ContentMicros returns how long that takes at the disk's sequential rate (306 us in the paper), or
// 0 if the disk was not measured.
func (d Disk) ContentMicros() float64 {
	if d.Write <= 0 {
		return 0
	}
	return 1e6 * ContentBytes / d.Write
}

// Deadline returns the mean time in microseconds that a unit has for each of its records: a slower
// store falls behind.
func (r *Result) Deadline() float64 {
	unit, err := paper.ParseUnit(r.Unit)
	if err != nil || r.Due == 0 {
		return 0
	}
	return 86400e6 / float64(unit.PerDay()) * float64(r.Units) / float64(r.Due)
}

// median returns the median of a line's values.
func (l Line) median() float64 { return median(l.Y) }

// Near returns the lines below a factor times the lowest one, both by median. Their chart shows
// details at the foot of a chart of all lines.
func (f Figure) Near(factor float64) []Line {
	if len(f.Lines) == 0 {
		return nil
	}
	lowest := slices.MinFunc(f.Lines, func(a, b Line) int {
		return cmp.Compare(a.median(), b.median())
	}).
		median()
	return slices.DeleteFunc(slices.Clone(f.Lines), func(l Line) bool {
		return l.median() > factor*lowest
	})
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

// buffers makes figures 7 and 8: time by all buffers together, for days and hours.
func (s *sweep) buffers(ctx context.Context) ([]Figure, error) {
	var all []Figure
	for i, unit := range bothUnits {
		f := Figure{
			Number: fmt.Sprint(7 + i),
			Title:  fmt.Sprintf("Time by buffers, %d buckets of one %v", sweepLongest[unit], unit),
			XLabel: "buffers",
			YLabel: "us per record",
			Note: s.setting(unit) +
				" B-tree: bbolt, by page size. It has no buffer of its own: one run each, drawn " +
				"as a level."}
		for _, bytes := range sweepBuffers {
			f.X = append(f.X, SizeText(bytes))
		}
		for _, engine := range sweepForms {
			for _, page := range sweepPages {
				line := Line{
					Name:   fmt.Sprintf("%s, %s pages", engine, SizeText(page)),
					Dashed: page > sweepPages[0],
				}
				for _, bytes := range sweepBuffers {
					m, err := s.one(
						ctx,
						engine,
						unit,
						func(o *Options) {
							o.Settings.BufferBytes, o.Settings.PageBytes = bytes,
								page
						},
					)
					if err != nil {
						return nil, err
					}
					line.Y = append(line.Y, m.micros)
					f.Deadline = m.deadline
				}
				f.Lines = append(f.Lines, line)
			}
		}
		for _, page := range sweepTrees {
			m, err := s.one(ctx, bboltKind.Name, unit, func(o *Options) {
				o.Settings.TreePageBytes = page
			})
			if err != nil {
				return nil, err
			}
			line := Line{Name: treeName(page)}
			for range sweepBuffers {
				line.Y = append(line.Y, m.micros)
			}
			f.Lines = append(f.Lines, line)
		}
		all = append(all, f)
	}
	return all, nil
}

// counts makes figure 9: time by the number of pages.
func (s *sweep) counts(ctx context.Context) ([]Figure, error) {
	f := Figure{
		Number: "9",
		Title:  "Time by number of pages, SAT",
		XLabel: "pages of 4 KiB",
		YLabel: "us per record",
		Note:   s.setting(bothUnits...),
	}
	for _, n := range sweepCounts {
		f.X = append(f.X, fmt.Sprint(n))
	}
	for _, unit := range bothUnits {
		line := Line{Name: countsLine(unit)}
		for _, n := range sweepCounts {
			m, err := s.one(
				ctx,
				"sat",
				unit,
				func(o *Options) { o.Settings.BufferBytes, o.Settings.PageBytes = n*4096, 4096 },
			)
			if err != nil {
				return nil, err
			}
			line.Y = append(line.Y, m.micros)
		}
		f.Lines = append(f.Lines, line)
	}
	return []Figure{f}, nil
}

func countsLine(unit paper.Unit) string {
	return fmt.Sprintf("%d buckets of one %v", sweepLongest[unit], unit)
}

// requestsFigure replaces the number of a figure that the paper describes and does not draw.
const requestsFigure = "requests"

// requests makes the worst case of [SAT 4.3]: a request for every due record.
func (s *sweep) requests(ctx context.Context) ([]Figure, error) {
	f := Figure{Number: requestsFigure, Title: "Time by requests, hours",
		XLabel: "requests a due record", YLabel: "us per record",
		Note: s.setting(paper.Hour) + " The times include requests.", X: []string{"0", "1"}}
	for _, engine := range sweepRequests {
		line := Line{Name: engine}
		for messages := range 2 {
			m, err := s.one(ctx, engine, paper.Hour,
				func(o *Options) { o.Messages = float64(messages) })
			if err != nil {
				return nil, err
			}
			line.Y = append(line.Y, m.micros)
		}
		f.Lines = append(f.Lines, line)
	}
	return []Figure{f}, nil
}

// lengthLine is an engine over the length of a record.
type lengthLine struct {
	name, engine string
	unit         paper.Unit
	page         int  // of bbolt
	size, rate   bool // in figure 5, in figure 10
	dashed       bool // not in the paper's figure
}

// lengthLines are hourly, like figure 10; the size of SAT is also shown for days. The unit does not
// affect a B-tree's size.
var lengthLines = func() []lengthLine {
	all := []lengthLine{
		{"SAT, days", "sat", paper.Day, 0, true, false, false},
		{"SAT, hours", "sat", paper.Hour, 0, true, true, false},
	}
	for _, page := range sweepTrees {
		all = append(all, lengthLine{treeName(page), bboltKind.Name, paper.Hour, page, true,
			true, false})
	}
	return append(all, lengthLine{"runs", runsKind.Name, paper.Hour, 0, true, true, true},
		lengthLine{"Pebble by id", pebbleIDKind.Name, paper.Hour, 0, false, true, true})
}()

// lengths makes the figures by the length of a record: 5, size, and 10, throughput.
func (s *sweep) lengths(ctx context.Context) ([]Figure, error) {
	size := Figure{
		Number: "5",
		Title:  "Size on disk by record length",
		XLabel: "fixed part of a record, bytes",
		YLabel: "MB",
		Note: s.setting(
			bothUnits...) + fmt.Sprintf(
			" After %d units. SAT: with its sequence index and its log, which begins anew at 256 "+
				"MiB and so holds all that was loaded. B-tree: bbolt, by page size. Pebble, "+
				"whose log is made longer in advance than so few records, is left out.",
			sweepUnits,
		),
	}
	rate := Figure{Number: "10", Title: "Throughput by record length, hours",
		XLabel: "fixed part of a record, bytes", YLabel: "MB/s, read and written",
		Note: s.setting(paper.Hour) + " B-tree: bbolt, by page size."}
	for _, l := range lengthLines {
		sizes, rates := Line{Name: l.name, Dashed: l.dashed}, Line{Name: l.name, Dashed: l.dashed}
		for _, fixed := range paper.FixedLengths {
			m, err := s.one(
				ctx,
				l.engine,
				l.unit,
				func(o *Options) {
					o.Workload.FixedBytes, o.Settings.TreePageBytes = fixed,
						l.page
				},
			)
			if err != nil {
				return nil, err
			}
			sizes.Y = append(sizes.Y, m.stored)
			rates.Y = append(rates.Y, m.rate)
		}
		if l.size {
			size.Lines = append(size.Lines, sizes)
		}
		if l.rate {
			rate.Lines = append(rate.Lines, rates)
		}
	}
	raw := Line{Name: "records alone", Dashed: true}
	for _, fixed := range paper.FixedLengths {
		size.X = append(size.X, fmt.Sprint(fixed))
		raw.Y = append(raw.Y, (float64(fixed)+paper.MeanURLBytes)*float64(s.o.Workload.Records)/1e6)
	}
	rate.X = size.X
	size.Lines = append(size.Lines, raw)
	return []Figure{size, rate}, nil
}
