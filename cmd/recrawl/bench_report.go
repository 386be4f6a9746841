package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/satstore/bench"
)

// benchResult is what bench sat --json prints.
type benchResult struct {
	*bench.Result
	Figures []bench.Figure `json:"figures,omitempty"`
}

// page shows a measurement; figures come from runs of so many records.
func (r *benchResult) page(figureRecords int) report.Page {
	page := report.Page{
		Title: "recrawl: bench sat",
		Intro: fmt.Sprintf("%s records of %d bytes and a URL, %d units of one %s: %s visits, the same in every engine, %s of record bytes. Each unit begins with cold files and ends durable.",
			grouped(r.Records), r.FixedBytes, r.Units, r.Unit, grouped(r.Due), megabytes(r.PayloadBytes)),
		Sections: []report.Section{
			{Title: "Engines", Tables: []report.Table{r.tableEngines(), r.tableConditions()}},
			{Title: "Time by unit [SAT fig. 6]", Text: "With hours, coarse buckets are split at each end of a day.",
				Charts: []report.Chart{r.chartUnits("all engines", 0), r.chartUnits("those below ten times the floor", 10)}},
		},
	}
	if len(r.Figures) == 0 {
		return page
	}
	s := report.Section{Title: "Figures of [SAT]", Text: fmt.Sprintf("%s records, each point one short run: the unit in the middle of three, without the sync of the file system. In the paper: 17.5 million records on a disk of 2008, where every write cost a seek.", grouped(figureRecords))}
	for _, f := range r.Figures {
		s.Charts = append(s.Charts, chartOf(f))
	}
	page.Sections = append(page.Sections, s)
	return page
}

func (r *benchResult) tableEngines() report.Table {
	t := report.Table{
		Title:  fmt.Sprintf("Time for each of %s due records, us: %s records, %d %ss, %s", grouped(r.Due), grouped(r.Records), r.Units, r.Unit, times(r.Repeat)),
		Header: []string{"engine", "x floor", "us", "median", "slowest", "CPU us", "MB/s", "read", "written", "memory MB", "disk MB", "files"},
		Note:   "Read and written: bytes at the device for each byte of the records, in the units; what an engine puts off until later is not in them." + r.warm(),
	}
	for _, m := range r.Engines {
		ratio := fmt.Sprintf("%.2f", m.Ratio.Median)
		if r.Repeat > 1 {
			ratio += fmt.Sprintf(" [%.2f, %.2f]", m.Ratio.From, m.Ratio.To)
		}
		t.Rows = append(t.Rows, []string{m.Engine, ratio, hundredths(m.Micros), hundredths(m.Median), hundredths(m.Slowest), hundredths(m.CPU),
			fmt.Sprintf("%.0f", m.Payload), hundredths(m.Read), hundredths(m.Written),
			fmt.Sprintf("%.0f", float64(m.Memory)/1e6), fmt.Sprintf("%.0f", float64(m.Stored)/1e6), fmt.Sprint(m.Files)})
	}
	if len(r.Left) > 0 {
		t.Note += " Left out, as they cannot do this: " + strings.Join(r.Left, ", ") + "."
	}
	return t
}

// warm says which times are not those of a cold disk.
func (r *benchResult) warm() string {
	if !bench.Measured {
		return " Not measured on this system: CPU, bytes at the device and memory are 0, and files were not dropped from the page cache."
	}
	var warm []string
	for _, m := range r.Engines {
		if m.Read < 0.9 && r.Due > 0 {
			warm = append(warm, fmt.Sprintf("%s (%.0f %% read)", m.Engine, 100*m.Read))
		}
	}
	if warm == nil {
		return ""
	}
	return " Not cold, since a part of the records came from memory, from buffers or from a file system that lives there: " + strings.Join(warm, ", ") + ". More --records, or another --dir."
}

func (r *benchResult) tableConditions() report.Table {
	count := "as the workload's own plan has it"
	if r.Golden {
		count = "as an independent program has it"
	}
	t := report.Table{Title: "Conditions", Header: []string{"what", "value"}, Rows: [][]string{
		{"due records visited by each engine", grouped(r.Due) + ", " + count},
		{"load average, before and after", fmt.Sprintf("%.1f, %.1f", r.LoadAverage[0], r.LoadAverage[1])},
		{"write buffers of the SAT forms", fmt.Sprintf("%s in pages of %s", bench.SizeText(r.BufferBytes), bench.SizeText(r.PageBytes))},
	}}
	if r.Messages > 0 {
		t.Rows = append(t.Rows, []string{"requests for each due record", fmt.Sprint(r.Messages)})
	}
	if d := r.Disk; d.Bytes > 0 {
		how := "past the page cache"
		if !d.Direct {
			how = "through the page cache"
		}
		t.Rows = append(t.Rows,
			[]string{fmt.Sprintf("disk, %s in sequence, %s: write, read", megabytes(d.Bytes), how), fmt.Sprintf("%.0f MB/s, %.0f MB/s", d.Write/1e6, d.Read/1e6)},
			[]string{"disk, a reader and a writer at once", fmt.Sprintf("%.0f MB/s each: %.2f us a record", d.Mixed/1e6, 1e6*float64(r.PayloadBytes)/float64(max(r.Due, 1))/d.Mixed)})
	}
	return t
}

// chartUnits shows each unit's time, of the engines below a multiple of the first; 0: of all.
func (r *benchResult) chartUnits(what string, below float64) report.Chart {
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

func chartOf(f bench.Figure) report.Chart {
	c := report.Chart{Title: fmt.Sprintf("%s [SAT fig. %s]", f.Title, f.Number), XLabel: f.XLabel, YLabel: f.YLabel, XNames: f.X}
	for _, l := range f.Lines {
		s := report.Series{Name: l.Name, Y: l.Y, Dashed: l.Dashed}
		for i := range l.Y {
			s.X = append(s.X, float64(i))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func times(n int) string {
	return cmp.Or(map[int]string{1: "once", 2: "twice"}[n], fmt.Sprintf("%d times", n))
}

func hundredths(v float64) string { return fmt.Sprintf("%.2f", v) }

func megabytes(bytes int64) string {
	if bytes < 10_000_000 {
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}

// grouped writes a number with commas between its thousands.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
