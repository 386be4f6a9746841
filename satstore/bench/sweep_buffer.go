package bench

import (
	"context"
	"fmt"
)

// buffers makes the figures 7 and 8: time by all buffers together, for days and hours.
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
				"as a level.",
		}
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
		line := Line{Name: fmt.Sprintf("%d buckets of one %v", sweepLongest[unit], unit)}
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
