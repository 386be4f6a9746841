package lab

import (
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/bench"
)

// near limits the lines of a detailed chart to this multiple of the lowest line. Beyond it a reader
// could not distinguish the lower lines.
const near = 10

// sectionUnits returns figure 6 of [SAT]: the time of each unit.
func (r *satResult) sectionUnits() report.Section {
	s := report.Section{Title: "Time by unit [SAT fig. 6]", Text: fmt.Sprintf(
		"T = %d %ss, %s records. With hours, coarse buckets are split at each end of a day. ",
		r.MaxUnits, r.Unit, grouped(r.Records)) +
		"The B-tree is bbolt, which has no buffer of its own to vary; bbolt-ro is the B-tree/RO " +
		"of the paper, each unit from a cold cache. " + deadlineText(r.Deadline(), r.Unit)}
	all := r.chartUnits("all engines", 0)
	if content := r.Disk.ContentMicros(); content > 0 {
		s.Text += fmt.Sprintf(" To write the content of a page, 22.0 KiB, to an archive takes %s "+
			"us at the disk's sequential rate (in the paper 306).", micros(content))
		level(&all, "to write the content", content)
	}
	s.Charts = []report.Chart{all, r.chartUnits(fmt.Sprintf("those below %d times the floor", near),
		near)}
	return s
}

// deadlineText returns a sentence with the deadline, which most charts have no room for.
func deadlineText(deadline float64, unit string) string {
	return fmt.Sprintf("Deadline, with one %s for the records due in it: %s us a record.",
		unit, micros(deadline))
}

// micros returns a number of microseconds as text.
func micros(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return grouped(int(v + 0.5))
}

// level adds a horizontal line, unless it lies above three times the highest point, which would
// flatten the other lines.
func level(c *report.Chart, name string, y float64) {
	if len(c.Series) == 0 || y <= 0 {
		return
	}
	s, top := report.Series{Name: name, Dashed: true}, 0.0
	for _, other := range c.Series {
		top = max(top, slices.Max(append([]float64{0}, other.Y...)))
		if len(other.X) > len(s.X) {
			s.X = other.X
		}
	}
	if y > 3*top {
		return
	}
	for range s.X {
		s.Y = append(s.Y, y)
	}
	c.Series = append(c.Series, s)
}

// chartUnits returns each unit's time, of the engines below a multiple of the first; 0: of all.
func (r *satResult) chartUnits(what string, below float64) report.Chart {
	c := report.Chart{Title: "Time by unit: " + what, XLabel: r.Unit, YLabel: "us per record"}
	for _, m := range r.Engines {
		if below > 0 && m.Ratio.Median >= below {
			continue
		}
		s := report.Series{Name: m.Engine, Dashed: m.Engine == r.Engines[0].Engine}
		for i, u := range m.Runs[0].Units {
			var all []float64
			for _, run := range m.Runs {
				if u := run.Units[i]; u.Due > 0 {
					all = append(all, 1e6*u.Seconds/float64(u.Due))
				}
			}
			if len(all) > 0 {
				slices.Sort(all)
				s.X, s.Y = append(s.X, float64(u.T)), append(s.Y, all[len(all)/2])
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// sectionFigures returns the figures of a sweep over the settings.
func (r *satResult) sectionFigures() report.Section {
	s := report.Section{Title: "Figures of [SAT]", Text: "Each point is one short run: the unit " +
		"in the middle of three, without the sync of the file system. In the paper: 17.5 million " +
		"records on a disk of 2008, where every write cost a seek."}
	for _, f := range r.Figures {
		s.Text += fmt.Sprintf("\n\nFigure %s: %s", f.Number, f.Note)
		if f.Deadline > 0 {
			s.Text += " " + deadlineText(f.Deadline, "unit")
		}
		s.Charts = append(s.Charts, chartsOf(f)...)
	}
	return s
}

// chartsOf returns the chart of a figure. If the figure has a deadline that hides lower lines, a
// second chart shows these alone.
func chartsOf(f bench.Figure) []report.Chart {
	all := chartOf(f, f.Title)
	level(&all, "deadline", f.Deadline)
	low := f
	if low.Lines = f.Near(near); f.Deadline == 0 || len(low.Lines) == len(f.Lines) ||
		len(low.Lines) < 2 {
		return []report.Chart{all}
	}
	return []report.Chart{all, chartOf(low, f.Title+", lower lines")}
}

func chartOf(f bench.Figure, title string) report.Chart {
	c := report.Chart{Title: fmt.Sprintf("%s [SAT fig. %s]", title, f.Number), XLabel: f.XLabel,
		YLabel: f.YLabel, XNames: f.X}
	for _, l := range f.Lines {
		s := report.Series{Name: l.Name, Y: l.Y, Dashed: l.Dashed}
		for i := range l.Y {
			s.X = append(s.X, float64(i))
		}
		c.Series = append(c.Series, s)
	}
	return c
}
