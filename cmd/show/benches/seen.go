package benches

import (
	"fmt"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/satstore/seen/bench"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Seen shows a measurement.
func Seen(r *bench.Result) report.Page {
	graph := "a list of edges"
	if r.Made {
		graph = fmt.Sprintf("a graph made from seed %d", r.Seed)
	}
	page := report.Page{
		Title:   "recrawl: bench seen",
		Finding: seenFinding(r),
		Intro: fmt.Sprintf("Breadth-first over %s of %s hosts: %s lookups of %s hosts, %.2f %% "+
			"of them repeats (in the paper at most 87.05 %%). %.0f s, %.0f s of processor time.",
			graph, n(r.Hosts), n(r.Lookups), n(r.Reached), 100*r.Repeats, r.Seconds, r.CPU),
		Sections: []report.Section{{Title: "Memory at equal hit rate",
			Tables: []report.Table{graphTable(r), savings(r)}, Charts: memoryCharts(r)},
			{Title: "Right and wrong answers", Tables: []report.Table{answers(r)},
				Charts: answerCharts(r)}},
	}
	var more []report.Table
	if len(r.Speeds) > 0 {
		more = append(more, speeds(r))
	}
	if len(r.Designs) > 0 {
		more = append(more, designs(r), entries(r))
	}
	if len(more) > 0 {
		page.Sections = append(page.Sections,
			report.Section{Title: "Speed and designs", Tables: more})
	}
	return page
}

// seenFinding says in a sentence what the light filter saves behind an LRU, at its best.
func seenFinding(r *bench.Result) string {
	best, any := bench.Point{}, false
	for _, p := range r.Of(bench.LineLight) {
		if p.LRUBytes > 0 && (!any || p.SavedPaper > best.SavedPaper) {
			best, any = p, true
		}
	}
	if !any {
		return fmt.Sprintf("%s of %s lookups were repeats; sizes at which LRU has as many hits "+
			"were not measured.", share(r.Repeats), n(r.Lookups))
	}
	return fmt.Sprintf("At %s hits, LRU with SBFL behind it takes %.0f %% less memory than LRU "+
		"alone, at best (the paper: up to 63 %%).",
		share(best.Hits), 100*best.SavedPaper)
}

func n(v int) string         { return words.Grouped(int64(v)) }
func share(v float64) string { return fmt.Sprintf("%.2f %%", 100*v) }

func bareMegabytes(v float64) string {
	if v < 10e6 {
		return fmt.Sprintf("%.3f", v/1e6)
	}
	return fmt.Sprintf("%.1f", v/1e6)
}

func graphTable(r *bench.Result) report.Table {
	return report.Table{Header: []string{"hosts", "reached", "lookups", "repeats", "s", "CPU s",
		"peak MB"},
		Rows: [][]string{{n(r.Hosts), n(r.Reached), n(r.Lookups), share(r.Repeats),
			fmt.Sprintf("%.1f", r.Seconds), fmt.Sprintf("%.1f", r.CPU),
			bareMegabytes(float64(r.Peak))}}}
}

// savings is what figures 9 and 10 show, for all lines.
func savings(r *bench.Result) report.Table {
	t := report.Table{
		Title: "Hits and memory, and what LRU alone needs for as many hits [SBFL fig. 5, 8, 9, 10]",
		Header: []string{"what", "size", "hits", "MB", "LRU MB", "saved", "as in paper: MB",
			"LRU MB", "saved"},
		Note: "Hits leave false positives out. LRU alone is interpolated between measured sizes, " +
			"24 bytes an entry; - where it was not measured. As in the paper: 20 bytes; three " +
			"sizes of LRU are larger than the paper's. " +
			seenVerdict(r),
	}
	for _, line := range lines {
		for _, p := range r.Of(line) {
			row := []string{
				line,
				n(p.Size),
				share(p.Hits),
				bareMegabytes(float64(p.Bytes)),
				"-",
				"-",
				bareMegabytes(p.Paper),
				"-",
				"-",
			}
			if p.LRUBytes > 0 {
				row[4], row[5] = bareMegabytes(p.LRUBytes), fmt.Sprintf("%.0f %%", 100*p.Saved)
				row[7], row[8] = bareMegabytes(p.LRUBytesPaper), fmt.Sprintf("%.0f %%",
					100*p.SavedPaper)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

var lines = []string{bench.LineLRU, bench.LineCLOCK, bench.LineWays, bench.LineStable,
	bench.LineLight, bench.LineLight8, bench.LineTags, bench.LineWaysTags}

// seenVerdict says by how much each line saved at best, and where LRU alone takes less.
func seenVerdict(r *bench.Result) string {
	s := "Most saved, as in the paper:"
	for _, line := range []string{bench.LineLight, bench.LineLight8} {
		best, worse, any := bench.Point{}, 0, 0
		for _, p := range r.Of(line) {
			if p.LRUBytes == 0 {
				continue
			}
			if any++; p.SavedPaper > best.SavedPaper || any == 1 {
				best = p
			}
			if p.SavedPaper < 0 {
				worse++
			}
		}
		if any == 0 {
			continue
		}
		s += fmt.Sprintf(" %s %.0f %% at %s hits (the paper: %s); LRU alone needs less at %d of "+
			"%d sizes.",
			line, 100*best.SavedPaper, share(best.Hits),
			map[string]string{bench.LineLight: "63 % with k = 4",
				bench.LineLight8: "some at low hit rates"}[line], worse, any)
	}
	return s
}

func answers(r *bench.Result) report.Table {
	t := report.Table{
		Title: "False answers [SBFL fig. 6, 7, 8]",
		Header: []string{"what", "size", "false positives", "of new hosts", "formula",
			"false negatives", "of repeats asked", "formula"},
		Note: "Against an exact shadow of all hosts. Of new hosts: once the filter was at rest; " +
			"- where it never was. The last formula is followed at one size.",
	}
	for _, line := range lines {
		for _, p := range r.Of(line) {
			row := []string{line, n(p.Size), n(int(p.FalsePositives)), "-", "-",
				n(int(p.FalseNegatives)), share(p.NegativeRate), ""}
			if p.PositiveFormula > 0 {
				row[4] = fmt.Sprintf("%.4f %%", 100*p.PositiveFormula)
				if p.AtRest > 0 {
					row[3] = fmt.Sprintf("%.4f %%", 100*p.PositiveRate)
				}
			}
			if p.NegativeFormula > 0 {
				row[7] = share(p.NegativeFormula)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func speeds(r *bench.Result) report.Table {
	t := report.Table{
		Title: fmt.Sprintf("Time to lower counters [SBFL table 1], %s counters, %d lowered by "+
			"an insertion", n(r.Speeds[0].Counters), r.Speeds[0].PerCall),
		Header: []string{"method", "ns each", "times faster", "s for 2e9", "in the paper, s",
			"times faster"},
		Note: "The least of seven measurements. One sweep lowers 65,536 in a call, where what an " +
			"insertion costs beside them does not count.",
	}
	for _, s := range r.Speeds {
		row := []string{s.Method, fmt.Sprintf("%.3f", s.Nanos), fmt.Sprintf("%.1f", s.Ratio),
			fmt.Sprintf("%.2f", s.Whole), "-", "-"}
		if s.Paper > 0 {
			row[4], row[5] = fmt.Sprintf("%.4g", s.Paper), fmt.Sprintf("%.0f", 320.7/s.Paper)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func designs(r *bench.Result) report.Table {
	t := report.Table{
		Title: fmt.Sprintf("Designs, on the first %s lookups of the crawl",
			n(r.Designs[0].Lookups)),
		Header: []string{"design", "exact", "new", "lost", "of the hosts", "formula", "new again",
			"CPU us", "us", "MB", "bytes a host", "disk MB"},
		Note: "Lost: hosts never called new; the formula is of the filter once it is full. New " +
			"again: hosts called new more than once. A lookup in us; MB in memory.",
	}
	for _, d := range r.Designs {
		formula := "-"
		if d.Formula > 0 {
			formula = share(d.Formula)
		}
		t.Rows = append(t.Rows, []string{d.Name, map[bool]string{true: "yes", false: "no"}[d.Exact],
			n(d.New), n(d.Lost), share(float64(d.Lost) / float64(max(d.New-d.Again+d.Lost, 1))),
			formula, n(d.Again), fmt.Sprintf("%.3f", d.CPU),
			fmt.Sprintf(
				"%.3f",
				d.Wall,
			), bareMegabytes(float64(d.Memory)), fmt.Sprintf("%.1f", d.Each),
			bareMegabytes(float64(d.Disk))})
	}
	return t
}

func entries(r *bench.Result) report.Table {
	t := report.Table{Title: "Memory of an entry, as the heap has it",
		Header: []string{"cache", "bytes", "ns a lookup"},
		Note:   "The paper reckons with 20 bytes an entry of LRU."}
	for _, e := range r.Entries {
		t.Rows = append(t.Rows, []string{e.Cache, fmt.Sprintf("%.1f", e.Bytes), fmt.Sprintf("%.0f",
			e.Nanos)})
	}
	return t
}
