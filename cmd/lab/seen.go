package lab

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/cmd/core"
	show "github.com/recrawl/recrawl/cmd/show/papers"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/bench"
	"github.com/recrawl/recrawl/sitegraph/words"
)

func benchSeen(ctx context.Context, p *core.Program, _ []string) error {
	c := &p.Config().Seen
	return benchmark(p, c.HTML, func(tick func(string, int, int)) (*bench.SeenResult, error) {
		return bench.RunSeen(ctx, bench.SeenOptions{Hosts: c.Hosts, Seed: c.Seed,
			Designs: c.Designs, Counters: c.Counters, Lowered: c.Lowered, Dir: c.Dir, Tick: tick})
	}, seenPage)
}

// seenPage returns the report of a measurement.
func seenPage(r *bench.SeenResult) report.Page {
	page := report.Page{
		Title:   "recrawl: bench seen",
		Finding: seenFinding(r),
		Intro: fmt.Sprintf("Breadth-first over a graph made from seed %d of %s hosts: %s lookups of %s hosts, %.2f %% "+
			"of them repeats (in the paper at most 87.05 %%). %.0f s, %.0f s of processor time.",
			r.Seed, n(r.Hosts), n(r.Lookups), n(r.Reached), 100*r.Repeats, r.Seconds, r.CPU),
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
		more = append(more, designs(r))
	}
	if len(r.Claims) > 0 {
		page.Sections = append(page.Sections, report.Section{Title: "Claims of [SBFL]",
			Tables: []report.Table{show.ClaimsTable("What holds here", "the range over the "+
				"sizes", r.Claims)}}, show.Comparisons(r.Claims))
	}
	if len(more) > 0 {
		page.Sections = append(page.Sections,
			report.Section{Title: "Speed and designs", Tables: more})
	}
	return page
}

// seenFinding returns a sentence with the most memory that the light filter saves behind an LRU.
func seenFinding(r *bench.SeenResult) string {
	best, any := bench.Point{}, false
	for _, p := range r.Of(bench.LineLight) {
		if p.LRUBytes > 0 && (!any || p.SavedPaper > best.SavedPaper) {
			best, any = p, true
		}
	}
	if !any {
		return fmt.Sprintf("%s of %s lookups were repeats. No size was measured at which LRU has "+
			"as many hits.", share(r.Repeats), n(r.Lookups))
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

func graphTable(r *bench.SeenResult) report.Table {
	return report.Table{Header: []string{"hosts", "reached", "lookups", "repeats", "s", "CPU s",
		"peak MB"},
		Rows: [][]string{{n(r.Hosts), n(r.Reached), n(r.Lookups), share(r.Repeats),
			fmt.Sprintf("%.1f", r.Seconds), fmt.Sprintf("%.1f", r.CPU),
			bareMegabytes(float64(r.Peak))}}}
}

// savings returns the numbers of figures 9 and 10 for all lines.
func savings(r *bench.SeenResult) report.Table {
	t := report.Table{
		Title: "Hits and memory, and memory of LRU alone for the same hits [SBFL fig. 5, 8, 9, 10]",
		Header: []string{"what", "size", "hits", "MB", "LRU MB", "saved", "as in paper: MB",
			"LRU MB", "saved"},
		Note: "Hits leave false positives out. LRU alone is interpolated between measured sizes, " +
			"at 24 bytes an entry; -: not measured. The columns \"as in paper\" use 20 bytes. " +
			"Three sizes of LRU are larger than the paper's. " +
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

// seenVerdict returns the most that each line saves, and the sizes at which LRU alone takes less.
func seenVerdict(r *bench.SeenResult) string {
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

func answers(r *bench.SeenResult) report.Table {
	t := report.Table{
		Title: "False answers [SBFL fig. 6, 7, 8]",
		Header: []string{"what", "size", "false positives", "of new hosts", "formula",
			"false negatives", "of repeats asked", "formula"},
		Note: "Compared with an exact set of all hosts. Of new hosts: after the filter was at " +
			"rest; -: it never was. The last formula is checked at one size.",
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

func speeds(r *bench.SeenResult) report.Table {
	t := report.Table{
		Title: fmt.Sprintf("Time to lower counters [SBFL table 1], %s counters, %d lowered by "+
			"an insertion", n(r.Speeds[0].Counters), r.Speeds[0].PerCall),
		Header: []string{"method", "ns each", "times faster", "s for 2e9", "in the paper, s",
			"times faster"},
		Note: "The least of seven measurements. One sweep lowers 65,536 counters in a call, so " +
			"the other costs of an insertion do not count.",
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

func designs(r *bench.SeenResult) report.Table {
	t := report.Table{
		Title: fmt.Sprintf("Designs, on the first %s lookups of the crawl",
			n(r.Designs[0].Lookups)),
		Header: []string{"design", "exact", "new", "lost", "of the hosts", "formula", "new again",
			"CPU us", "us", "MB", "bytes a host", "disk MB"},
		Note: "Lost: hosts never reported as new; the formula is for a full filter. New again: " +
			"hosts reported as new more than once. CPU us and us: a lookup. MB: memory.",
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

// line returns the points of a line.
func line(r *bench.SeenResult, name string, x, y func(bench.Point) float64) report.Series {
	s := report.Series{Name: name}
	for _, p := range r.Of(name) {
		s.X, s.Y = append(s.X, x(p)), append(s.Y, y(p))
	}
	return s
}

func chart(title, x, y string, series ...report.Series) report.Chart {
	return report.Chart{Title: title, XLabel: x, YLabel: y, XFree: true, Series: series}
}

func exponent(p bench.Point) float64 { return math.Log2(float64(p.Size)) }
func hits(p bench.Point) float64     { return p.Hits }
func paperMB(p bench.Point) float64  { return p.Paper / 1e6 }

// ourSize returns the logarithm of the KiB, because memory doubles from point to point.
func ourSize(p bench.Point) float64 { return math.Log2(float64(p.Bytes) / 1024) }

// memoryCharts returns figures 5 and 8 to 10, and one of the memory measured here.
func memoryCharts(r *bench.SeenResult) []report.Chart {
	five := chart("Hit rate of caches [SBFL fig. 5]", "entries, log2", "hits of all lookups",
		line(r, bench.LineLRU, exponent, hits), line(r, bench.LineCLOCK, exponent, hits),
		line(r, bench.LineWays, exponent, hits))
	eight := chart("Hit rate of LRU and filter [SBFL fig. 8]", "counters, log2",
		"hits of all lookups",
		line(r, bench.LineLight, exponent, hits), line(r, bench.LineStable, exponent, hits),
		line(r, bench.LineLight8, exponent, hits))
	nine := chart("Memory at a hit rate, k = 8, 0.001 %, 20 bytes an entry of LRU [SBFL fig. 9]",
		"hits of all lookups", "MB",
		line(r, bench.LineLRU, hits, paperMB), line(r, bench.LineLight8, hits, paperMB))
	ten := chart("Memory at a hit rate, k = 4, 1 %, 20 bytes an entry of LRU [SBFL fig. 10]",
		"hits of all lookups", "MB",
		line(r, bench.LineLRU, hits, paperMB), line(r, bench.LineLight, hits, paperMB))
	ours := chart("Memory at a hit rate, as measured here, with exact and newer designs",
		"hits of all lookups", "KiB, log2")
	ours.YFree = true
	for _, name := range []string{bench.LineLRU, bench.LineCLOCK, bench.LineWays, bench.LineLight,
		bench.LineLight8, bench.LineTags, bench.LineWaysTags} {
		ours.Series = append(ours.Series, line(r, name, hits, ourSize))
	}
	// the larger sizes of LRU would flatten the other lines
	for _, c := range []*report.Chart{&nine, &ten} {
		lru := &c.Series[0]
		n := min(len(lru.X), bench.PaperSizes)
		lru.X, lru.Y = lru.X[:n], lru.Y[:n]
	}
	charts := []report.Chart{five, eight}
	for _, c := range []report.Chart{nine, ten, ours} {
		if len(measured(slices.Clone(c.Series))) > 1 { // LRU alone is in figure 5
			charts = append(charts, c)
		}
	}
	for i := range charts {
		charts[i].Series = measured(charts[i].Series)
		if i < 2 {
			charts[i].YPercent, charts[i].YFree = true, true
			charts[i].YLabel += ", axis is cut"
		} else {
			charts[i].XPercent = true
		}
	}
	return seenDrawn(charts)
}

// measured removes lines without points, which the user did not choose.
func measured(all []report.Series) []report.Series {
	return slices.DeleteFunc(all, func(s report.Series) bool { return len(s.X) == 0 })
}

// seenDrawn removes charts without lines.
func seenDrawn(all []report.Chart) []report.Chart {
	return slices.DeleteFunc(all, func(c report.Chart) bool { return len(c.Series) == 0 })
}

// answerCharts returns figures 6 and 7.
func answerCharts(r *bench.SeenResult) []report.Chart {
	positives := func(p bench.Point) float64 { return float64(p.FalsePositives) }
	negatives := func(p bench.Point) float64 { return float64(p.FalseNegatives) }
	charts := []report.Chart{
		chart("False positives, k = 4, 1 % [SBFL fig. 6]",
			"counters, log2", "new hosts taken for known",
			line(r, bench.LineStable, exponent, positives),
			line(r, bench.LineLight, exponent, positives)),
		chart("False negatives, k = 4, 1 % [SBFL fig. 7]",
			"counters, log2", "repeats that must be asked for",
			line(r, bench.LineStable, exponent, negatives),
			line(r, bench.LineLight, exponent, negatives)),
	}
	for i := range charts {
		charts[i].Series = measured(charts[i].Series)
	}
	return seenDrawn(charts)
}
