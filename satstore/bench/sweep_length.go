package bench

import (
	"context"
	"fmt"

	"github.com/recrawl/recrawl/satstore/workload"
)

// lengthLine is an engine over the length of a record.
type lengthLine struct {
	name, engine string
	unit         workload.Unit
	page         int  // of bbolt
	size, rate   bool // whether it is in figure 5, in figure 10
	dashed       bool // it is not in the paper's
}

// lengthLines are hourly, as figure 10 is; the size of SAT is shown for days too. The time
// unit is nothing to a B-tree's size.
var lengthLines = func() []lengthLine {
	all := []lengthLine{
		{"SAT, days", "sat", workload.Day, 0, true, false, false},
		{"SAT, hours", "sat", workload.Hour, 0, true, true, false},
	}
	for _, page := range sweepTrees {
		all = append(all, lengthLine{treeName(page), bboltKind.Name, workload.Hour, page, true,
			true, false})
	}
	return append(all, lengthLine{"runs", runsKind.Name, workload.Hour, 0, true, true, true},
		lengthLine{"Pebble by id", pebbleIDKind.Name, workload.Hour, 0, false, true, true})
}()

// lengths makes the figures over the length of a record: 5, size, and 10, throughput.
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
	rate := Figure{
		Number: "10",
		Title:  "Throughput by record length, hours",
		XLabel: "fixed part of a record, bytes",
		YLabel: "MB/s, read and written",
		Note:   s.setting(workload.Hour) + " B-tree: bbolt, by page size.",
	}
	for _, l := range lengthLines {
		sizes, rates := Line{Name: l.name, Dashed: l.dashed}, Line{Name: l.name, Dashed: l.dashed}
		for _, fixed := range workload.FixedLengths {
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
	for _, fixed := range workload.FixedLengths {
		size.X = append(size.X, fmt.Sprint(fixed))
		raw.Y = append(raw.Y,
			(float64(fixed)+workload.MeanURLBytes)*float64(s.o.Workload.Records)/1e6)
	}
	rate.X = size.X
	size.Lines = append(size.Lines, raw)
	return []Figure{size, rate}, nil
}
