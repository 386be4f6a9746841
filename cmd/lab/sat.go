package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/core"
	show "github.com/recrawl/recrawl/cmd/show/papers"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/bench"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/satstore/paper"
	"github.com/recrawl/recrawl/sitegraph/words"
)

func benchSat(ctx context.Context, p *core.Program, _ []string) error {
	c := &p.Config().Bench
	if c.Figures && c.HTML == "" && !p.JSON() {
		return core.UsageError(errors.New("--figures needs --html FILE or --json"),
			"--html FILE draws the figures, --json prints their numbers; they take some minutes")
	}
	o := options(c)
	return benchmark(p, c.HTML, func(tick func(string, int, int)) (*satResult, error) {
		o.Tick = tick
		measured, err := bench.Run(ctx, o)
		if err != nil {
			return nil, err
		}
		result := &satResult{Result: measured}
		if c.Figures {
			if result.Figures, err = bench.Sweep(ctx, o.For(c.FigureRecords)); err != nil {
				return nil, err
			}
		}
		result.Claims = measured.Claims(result.Figures)
		return result, nil
	}, (*satResult).page)
}

// options converts checked settings to the options of the measurement.
func options(c *config.Bench) bench.Options {
	unit, _ := paper.ParseUnit(c.Unit)
	buffer, _ := config.ParseSize(c.Buffer)
	page, _ := config.ParseSize(c.Page)
	disk, _ := config.ParseSize(c.Disk)
	o := bench.Options{
		Workload:  paper.WorkloadOptions{Unit: unit, MaxUnits: c.MaxUnits, FixedBytes: c.Fixed},
		Settings:  bench.Settings{BufferBytes: buffer, PageBytes: page},
		DiskBytes: int64(disk),
		Dir:       c.Dir,
		Units:     c.Units,
		Engines:   c.Engines,
		Repeat:    c.Repeat,
		Messages:  c.Messages,
	}
	return o.For(c.Records)
}

// checkEngines refuses unknown names of engines.
func checkEngines(c *config.Config, r *config.Review) {
	engines := "all, or of " + strings.Join(bench.Names(), ", ")
	if len(c.Bench.Engines) == 0 {
		r.Refuse("bench.engines", "", engines)
	}
	for _, name := range c.Bench.Engines {
		if _, ok := bench.KindOf(name); !ok && name != "all" {
			r.Refuse("bench.engines", name, engines)
		}
	}
}

// benchmark runs a measurement and publishes its report.
func benchmark[R any](
	p *core.Program,
	html string,
	run func(tick func(what string, done, total int)) (R, error),
	page func(R) report.Page,
) error {
	if err := p.Outputs(html); err != nil {
		return err
	}
	bars := barsOf(p)
	defer bars.end()
	result, err := run(bars.tick)
	if err != nil {
		return err
	}
	bars.end()
	return p.Publish(result, page(result), html)
}

// bars shows a progress bar for each step of a measurement.
type bars struct {
	p    *core.Program
	what string
	bar  *report.Bar
}

func barsOf(p *core.Program) *bars { return &bars{p: p} }

func (b *bars) tick(what string, done, total int) {
	if what != b.what {
		b.end()
		b.what, b.bar = what, b.p.Progress(what, total)
	}
	b.bar.At(done)
}

func (b *bars) end() {
	if b.bar != nil {
		b.bar.End()
	}
	b.bar, b.what = nil, ""
}

// satResult is the output of bench sat --json.
type satResult struct {
	*bench.Result
	Figures []bench.Figure `json:"figures,omitempty"`
	Claims  []papers.Claim `json:"claims"`
}

// page returns the report of a measurement.
func (r *satResult) page() report.Page {
	page := report.Page{
		Title:   "recrawl: bench sat",
		Finding: r.finding(),
		Intro: fmt.Sprintf("%s records of %d bytes and a URL, %d units of one %s, T = %d: %s "+
			"visits, the same in every engine, %s of record bytes. Each unit begins with cold "+
			"files and ends durable.",
			grouped(r.Records), r.FixedBytes, r.Units, r.Unit, r.MaxUnits, grouped(r.Due),
			words.Megabytes(r.PayloadBytes)),
		Sections: []report.Section{
			{Title: "Engines", Tables: []report.Table{r.tableTimes(), r.tableBytes(),
				r.tableConditions()}},
			r.sectionUnits(),
		},
	}
	if len(r.Claims) > 0 {
		page.Sections = append(page.Sections, report.Section{Title: "Claims of [SAT]",
			Tables: []report.Table{show.ClaimsTable("What holds here", show.OverRepetitions,
				r.Claims)}}, show.Comparisons(r.Claims))
	}
	if len(r.Figures) > 0 {
		page.Sections = append(page.Sections, r.sectionFigures())
	}
	return page
}

// finding returns a sentence that names the quickest engine except the floor.
func (r *satResult) finding() string {
	var best *bench.Measure
	for i := range r.Engines {
		if m := &r.Engines[i]; m.Engine != r.Engines[0].Engine &&
			(best == nil || m.Ratio.Median < best.Ratio.Median) {
			best = m
		}
	}
	if best == nil {
		return ""
	}
	return fmt.Sprintf("%s is the quickest: %.2f times the floor (%s), %s us for each due record.",
		best.Engine, best.Ratio.Median, r.Engines[0].Engine, hundredths(best.Micros))
}

func (r *satResult) tableTimes() report.Table {
	t := report.Table{
		Title: fmt.Sprintf("Time for each of %s due records, us: %s records, %d %ss, %s",
			grouped(r.Due), grouped(r.Records), r.Units, r.Unit, times(r.Repeat)),
		Header: []string{"engine", "x floor", "us", "median", "slowest", "slowest/median", "CPU us",
			"MB/s", "later us", "later CPU us"},
		Note: "Later: what was put off, between the units and until the engine was idle." +
			r.small(),
	}
	for _, m := range r.Engines {
		ratio := fmt.Sprintf("%.2f", m.Ratio.Median)
		if r.Repeat > 1 {
			ratio += fmt.Sprintf(" [%.2f, %.2f]", m.Ratio.From, m.Ratio.To)
		}
		t.Rows = append(t.Rows, []string{m.Engine, ratio, hundredths(m.Micros),
			hundredths(m.Median), hundredths(m.Slowest), fmt.Sprintf("%.1f",
				m.Slowest/max(m.Median, 1e-9)),
			hundredths(m.CPU), fmt.Sprintf("%.0f", m.Payload), hundredths(m.LaterMicros),
			hundredths(m.LaterCPU)})
	}
	if len(r.Left) > 0 {
		t.Note += " Left out, because they cannot do this: " + strings.Join(r.Left, ", ") + "."
	}
	return t
}

// small returns a note if the write buffers could hold more than a quarter of the written bytes.
func (r *satResult) small() string {
	if share := float64(r.BufferBytes) / float64(max(r.PayloadBytes, 1)); share > 0.25 {
		return fmt.Sprintf(" A small run: write buffers of %s could hold %.0f %% of the %s that "+
			"the units write. For figures that last give --records 4000000.",
			bench.SizeText(r.BufferBytes), 100*min(share, 1), words.Megabytes(r.PayloadBytes))
	}
	return ""
}

func (r *satResult) tableBytes() report.Table {
	t := report.Table{
		Title: "Bytes at the device for each byte of the due records; memory and disk",
		Header: []string{"engine", "read", "written", "in units", "put off", "peak MB", "at end MB",
			"bytes a record", "disk MB", "files", "requests"},
		Note: "Written: from the first unit on until the engine was idle, in units and put off. " +
			"Memory: the peak in the units, with pages of mapped files; " +
			"at the end without them, in all and a record. Requests: how often the timed parts " +
			"asked the system for bytes, or to write some, for each due record: seeks at most." + r.warm(),
	}
	for _, m := range r.Engines {
		t.Rows = append(t.Rows, []string{m.Engine, hundredths(m.Read), hundredths(m.Written),
			hundredths(m.WrittenInUnits), hundredths(max(m.Written-m.WrittenInUnits, 0)),
			fmt.Sprintf("%.0f", float64(m.Memory)/1e6), fmt.Sprintf("%.0f",
				float64(m.MemoryEnd)/1e6), fmt.Sprintf("%.1f", m.MemoryRecord),
			fmt.Sprintf("%.0f", float64(m.Stored)/1e6), fmt.Sprint(m.Files),
			fmt.Sprintf("%.3g", m.Reads+m.Writes)})
	}
	return t
}

// warm returns a note about engines whose times are not those of a cold disk.
func (r *satResult) warm() string {
	if !bench.Measured {
		return " Not measured on this system: CPU, bytes at the device and memory are 0, and " +
			"files were not dropped from the page cache."
	}
	var warm []string
	for _, m := range r.Engines {
		if m.Read < 0.9 {
			warm = append(warm, fmt.Sprintf("%s (%.0f %% read)", m.Engine, 100*m.Read))
		}
	}
	if warm == nil {
		return ""
	}
	return " Not cold, because a part of the records came from memory, from buffers or from a " +
		"file system in memory: " + strings.Join(warm, ", ") +
		". Give more --records, or another --dir."
}

func (r *satResult) tableConditions() report.Table {
	count := "as the workload's own plan has it"
	if r.Golden {
		count = "as an independent program has it"
	}
	t := report.Table{Title: "Conditions", Header: []string{"what", "value"}, Rows: [][]string{
		{"due records visited by each engine", grouped(r.Due) + ", " + count},
		{"load average, before and after", fmt.Sprintf("%.1f, %.1f",
			r.LoadAverage[0], r.LoadAverage[1])},
		{"of the files in the page cache when a unit began, at most", r.cached()},
		{"write buffers of runs and the SAT forms", fmt.Sprintf("%s; pages of the SAT forms %s",
			bench.SizeText(r.BufferBytes), bench.SizeText(r.PageBytes))},
	}}
	if r.Messages > 0 {
		t.Rows = append(t.Rows, []string{"requests for each due record", fmt.Sprint(r.Messages)})
	}
	if d := r.Disk; d.Bytes > 0 {
		how := "past the page cache"
		if !d.Direct {
			how = "through the page cache"
		}
		t.Rows = append(
			t.Rows,
			[]string{
				fmt.Sprintf("disk, %s in sequence, %s: write, read", words.Megabytes(d.Bytes), how),
				fmt.Sprintf("%.0f MB/s, %.0f MB/s", d.Write/1e6, d.Read/1e6),
			},
			[]string{"disk, a reader and a writer at once", fmt.Sprintf("%.0f MB/s each: %.2f us "+
				"a record", d.Mixed/1e6,
				1e6*float64(r.PayloadBytes)/float64(max(r.Due, 1))/d.Mixed)})
	}
	return t
}

// cached returns the share of the files in the page cache as text: of each engine with 1 % or more,
// or else the largest share.
func (r *satResult) cached() string {
	most, unknown, warm := 0.0, false, []string(nil)
	for _, m := range r.Engines {
		most, unknown = max(most, m.Cached), unknown || m.Cached < 0
		if m.Cached >= 0.01 {
			warm = append(warm, fmt.Sprintf("%s %.0f %%", m.Engine, 100*m.Cached))
		}
	}
	switch {
	case unknown:
		return "not known on this system"
	case warm == nil:
		return fmt.Sprintf("%.1f %%", 100*most)
	}
	if len(warm) < len(r.Engines) {
		warm = append(warm, "others less than 1 %")
	}
	return strings.Join(warm, ", ")
}

func times(n int) string {
	return cmp.Or(map[int]string{1: "once", 2: "twice"}[n], fmt.Sprintf("%d times", n))
}

func hundredths(v float64) string { return fmt.Sprintf("%.2f", v) }

func grouped(n int) string { return words.Grouped(int64(n)) }
