package bench

import (
	"context"
	"fmt"

	"github.com/recrawl/recrawl/satstore/workload"
)

// sweep measures one engine after the other in small, and tells how far it is.
type sweep struct {
	o     Options
	done  int
	total int
}

// Steps are the settings swept over. Buffers are smaller than those of the paper, as the
// workload is: what counts is their pages against the number of buckets.
var (
	sweepBuffers = []int{64 << 10, 256 << 10, 1 << 20, 4 << 20}
	sweepPages   = []int{4 << 10, 64 << 10}
	sweepTrees   = []int{4 << 10, 16 << 10, 64 << 10}
	sweepCounts  = []int{5, 20, 80, 320, 1280}
	sweepForms   = []string{"sat", "sat-basic", "sat-naive"}
	bothUnits    = []workload.Unit{workload.Day, workload.Hour}
	// sweepLongest is T. With the paper's 9600 hours so few records would be a file each,
	// and making and removing these files all that is measured.
	sweepLongest = map[workload.Unit]int{workload.Day: workload.Day.Longest(), workload.Hour: 1200}
)

// sweepUnits are measured in each run; the one in the middle counts.
const sweepUnits = 3

// Sweep measures what the figures 5 and 7 to 10 of the paper show, with the records of o
// and, where a figure does not set them, its settings. Each point is one short run: take what
// stands out, not the last digit.
func Sweep(ctx context.Context, o Options) ([]Figure, error) {
	o.Repeat, o.DiskBytes, o.Messages = 1, 0, 0
	s := &sweep{o: o, total: len(lengthLines)*len(workload.FixedLengths) +
		len(bothUnits)*(len(sweepForms)*len(sweepBuffers)*len(sweepPages)+len(sweepTrees)+
			len(sweepCounts))}
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

// point is what one short run gives. Its time is that of the unit in the middle, without
// the sync of the file system: of so few records that would be most of the time, and
// others that write there most of the sync.
type point struct {
	micros   float64 // a record
	stored   float64 // MB
	rate     float64 // MB/s, read and written
	deadline float64 // us a record
}

// one runs a single engine.
func (s *sweep) one(
	ctx context.Context,
	engine string,
	unit workload.Unit,
	change func(o *Options),
) (point, error) {
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

// setting says with what a figure was measured.
func (s *sweep) setting(units ...workload.Unit) string {
	text := fmt.Sprintf("%d records", s.o.Workload.Records)
	for _, unit := range units {
		text += fmt.Sprintf(", T = %d %ss", sweepLongest[unit], unit)
		if sweepLongest[unit] != unit.Longest() {
			text += fmt.Sprintf(" (in the paper %d)", unit.Longest())
		}
	}
	return text + "."
}

// treeName is that of bbolt with a page size.
func treeName(page int) string { return "B-tree, " + SizeText(page) }
