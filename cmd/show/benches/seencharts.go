package benches

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/satstore/seen/bench"
)

// line draws the points of a line.
func line(r *bench.Result, name string, x, y func(bench.Point) float64) report.Series {
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

// ourSize is a logarithm, as memory doubles from point to point.
func ourSize(p bench.Point) float64 { return math.Log2(float64(p.Bytes) / 1024) }

// memoryCharts are figures 5 and 8 to 10.
func memoryCharts(r *bench.Result) []report.Chart {
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
	ours := chart("Memory at a hit rate, as it is here, with exact and newer designs",
		"hits of all lookups", "KiB, log2")
	ours.YFree = true
	for _, name := range []string{bench.LineLRU, bench.LineCLOCK, bench.LineWays, bench.LineLight,
		bench.LineLight8, bench.LineTags, bench.LineWaysTags} {
		ours.Series = append(ours.Series, line(r, name, hits, ourSize))
	}
	// the larger sizes of LRU would press all else flat
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

// measured leaves out lines that were not chosen.
func measured(all []report.Series) []report.Series {
	return slices.DeleteFunc(all, func(s report.Series) bool { return len(s.X) == 0 })
}

// seenDrawn leaves out charts of which nothing was measured.
func seenDrawn(all []report.Chart) []report.Chart {
	return slices.DeleteFunc(all, func(c report.Chart) bool { return len(c.Series) == 0 })
}

// answerCharts are figures 6 and 7.
func answerCharts(r *bench.Result) []report.Chart {
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
