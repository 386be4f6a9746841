package bench

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/satstore/workload"
)

// Figure is the equivalent of a figure of the paper: a value of some engines over some
// settings.
type Figure struct {
	Number string `json:"figure"` // of [SAT]
	Title  string `json:"title"`
	// Note says with how many records and which T, and what is not as in the paper.
	Note   string   `json:"note"`
	XLabel string   `json:"x_label"`
	YLabel string   `json:"y_label"`
	X      []string `json:"x"`
	Lines  []Line   `json:"lines"`
	// Deadline is the time, in microseconds, that a unit leaves for each of its records;
	// 0 where the figure has no such line.
	Deadline float64 `json:"deadline_us,omitempty"`
}

// Line is one engine, by X.
type Line struct {
	Name   string    `json:"name"`
	Y      []float64 `json:"y"`
	Dashed bool      `json:"dashed,omitempty"` // of another kind than those of the figure
}

// ContentBytes is the mean length of a page's content, 22.0 KiB [SAT 4.2]: to write it to an
// archive takes longer than a store should.
const ContentBytes = 22 << 10

// ContentMicros is how long that takes at the disk's sequential rate: 306 us in the paper.
// 0 if the disk was not measured.
func (d Disk) ContentMicros() float64 {
	if d.Write <= 0 {
		return 0
	}
	return 1e6 * ContentBytes / d.Write
}

// Deadline is the microseconds that a unit leaves for each of its records in the mean: a
// store that takes longer falls behind.
func (r *Result) Deadline() float64 {
	unit, err := workload.ParseUnit(r.Unit)
	if err != nil || r.Due == 0 {
		return 0
	}
	return 86400e6 / float64(unit.PerDay()) * float64(r.Units) / float64(r.Due)
}

// median of a line's values.
func (l Line) median() float64 { return median(l.Y) }

// Near are the lines that stay below a factor times the lowest one, both in the median, so
// that a chart of them shows what one of all lines would press against its foot.
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
