package bench

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/eval/papers"
)

// Claims judges the statements of [SAT 4] about the measured engines and figures. Intervals are
// over the repetitions; those of figures are over their settings, with one short run each.
func (r *Result) Claims(figures []Figure) (claims []papers.Claim) {
	add := func(source, claim string, found ...papers.Comparison) {
		if found = slices.DeleteFunc(found, func(c papers.Comparison) bool {
			return math.IsNaN(float64(c.Value))
		}); len(found) > 0 {
			claims = append(claims, papers.Judged(source, claim, found...))
		}
	}
	about := papers.About
	add("[SAT fig. 6]", "SAT is about 10 times as fast as a B-tree that is only read",
		r.over("bbolt-ro", "sat", about(10)))
	add("[SAT fig. 6]", "a B-tree takes 10 to 100 times as long as SAT",
		r.over("bbolt-id", "sat", papers.Between(10, 100)))
	add("[SAT fig. 6]", "SAT/Naive takes about 10 times as long as SAT",
		r.over("sat-naive", "sat", about(10)))
	add("[SAT fig. 6]", "SAT/Basic is 10 us a record faster than SAT",
		r.compare("us of sat - sat-basic", "sat", "sat-basic", about(10),
			func(a, b float64) float64 { return a - b }))
	if r.Disk.Write > 0 {
		add("[SAT fig. 10]", "SAT reads and writes a quarter of what the disk does in sequence",
			r.each("of the disk's rate, sat", "sat", papers.Between(0.125, 0.5),
				func(t *Trial) float64 {
					return 2 * float64(r.PayloadBytes) / t.sums().Seconds / r.Disk.Write
				}))
	}
	if Measured {
		perRecord := func(t *Trial) float64 {
			return float64(t.sums().Reads+t.sums().Writes) / float64(max(t.sums().Due, 1))
		}
		add("[SAT 2]", "a B-tree seeks for about each record, SAT hardly ever",
			r.each("requests a due record, bbolt-ro", "bbolt-ro", papers.AtLeast(0.5), perRecord),
			r.each("requests a due record, sat", "sat", papers.AtMost(0.1), perRecord))
	}
	f := func(number, line string) []float64 { return lineOf(figures, number, line) }
	add("[SAT fig. 5]", "the size of SAT hardly depends on the number of buckets",
		ratios("MB of days over hours", papers.Between(0.9, 1.1), f("5", "SAT, days"),
			f("5", "SAT, hours")))
	add("[SAT fig. 5]", "a B-tree of 4 KiB pages has a large overhead",
		ratios("MB over the records alone", papers.AtLeast(1.3), f("5", treeName(4<<10)),
			f("5", "records alone")))
	for _, number := range []string{"7", "8"} {
		add("[SAT fig. "+number+"]",
			"SAT/Naive with pages of 64 KiB is much faster than with 4 KiB, "+
				"and clearly behind SAT",
			ratios("us of 4 KiB over 64 KiB", papers.AtLeast(2),
				f(number, "sat-naive, 4 KiB pages"), f(number, "sat-naive, 64 KiB pages")),
			ratios("us of 64 KiB over SAT", papers.AtLeast(1.2),
				f(number, "sat-naive, 64 KiB pages"), f(number, "sat, 4 KiB pages")))
	}
	for _, unit := range bothUnits {
		line, t := f("9", countsLine(unit)), sweepLongest[unit]
		if line == nil {
			continue
		}
		// Counts of pages up to T/20, and the first of about T.
		few := slices.IndexFunc(sweepCounts, func(n int) bool { return n > t/20 })
		enough := slices.IndexFunc(sweepCounts, func(n int) bool { return n > t*3/4 })
		last := line[len(line)-1:]
		add("[SAT fig. 9]",
			"below a twentieth as many pages as buckets SAT is slower, and with as "+
				"many it is as fast as it gets: "+unit.String()+"s",
			ratios("us at a twentieth and less over most pages", papers.AtLeast(1.2),
				line[:few], slices.Repeat(last, few)),
			ratios("us at as many over most pages", papers.Between(0.8, 1.25),
				line[enough:enough+1], last))
	}
	sat, tree := f(requestsFigure, "sat"), f(requestsFigure, bboltKind.Name)
	if sat != nil && tree != nil {
		add("[SAT 4.3]",
			"a request for every record doubles the time of SAT, which stays ahead of a B-tree",
			ratios("us of SAT over that without", papers.Between(1.5, 2.5), sat[1:], sat[:1]),
			ratios("us of a B-tree over SAT", papers.Above(1), tree[1:], sat[1:]))
	}
	return claims
}

func (r *Result) runs(engine string) []Trial {
	for i := range r.Engines {
		if r.Engines[i].Engine == engine {
			return r.Engines[i].Runs
		}
	}
	return nil
}

// each measures a number of an engine in each repetition; NaN without the engine.
func (r *Result) each(name, engine string, w papers.Wanted,
	of func(t *Trial) float64) papers.Comparison {
	var values []float64
	runs := r.runs(engine)
	for i := range runs {
		values = append(values, of(&runs[i]))
	}
	return papers.Measured(name, w, values...)
}

// compare relates the times of two engines in each repetition.
func (r *Result) compare(name, engine, to string, w papers.Wanted,
	relate func(a, b float64) float64) papers.Comparison {
	var values []float64
	a, b := r.runs(engine), r.runs(to)
	for i := range min(len(a), len(b)) {
		values = append(values,
			relate(a[i].perRecord(a[i].sums().Seconds), b[i].perRecord(b[i].sums().Seconds)))
	}
	return papers.Measured(name, w, values...)
}

func (r *Result) over(engine, to string, w papers.Wanted) papers.Comparison {
	return r.compare("us of "+engine+" over "+to, engine, to, w,
		func(a, b float64) float64 { return a / b })
}

// lineOf returns the values of a line, or nil if it was not measured.
func lineOf(figures []Figure, number, name string) []float64 {
	for _, f := range figures {
		for _, l := range f.Lines {
			if f.Number == number && l.Name == name {
				return l.Y
			}
		}
	}
	return nil
}

// ratios compares two lines point by point; NaN if a point is missing.
func ratios(name string, w papers.Wanted, a, b []float64) papers.Comparison {
	var values []float64
	for i := range min(len(a), len(b)) {
		values = append(values, a[i]/b[i])
	}
	return papers.Across(name, w, values...)
}

// claims judges the statements of [SBFL 5]. Intervals are over the sizes of filters.
func (r *SeenResult) claims() (claims []papers.Claim) {
	light, stable := r.Of(LineLight), r.Of(LineStable)
	var saved, saved8, positives, negatives []float64
	for i := range light {
		if light[i].LRUBytes > 0 {
			saved = append(saved, light[i].SavedPaper)
		}
		positives = append(positives,
			float64(stable[i].FalsePositives)-float64(light[i].FalsePositives))
		negatives = append(negatives,
			float64(stable[i].FalseNegatives)-float64(light[i].FalseNegatives))
	}
	for _, p := range r.Of(LineLight8) {
		if p.LRUBytes > 0 {
			saved8 = append(saved8, p.SavedPaper)
		}
	}
	add := func(source, claim, name string, w papers.Wanted, values ...float64) {
		if len(values) > 0 {
			claims = append(claims, papers.Judged(source, claim,
				papers.Across(name, w, values...)))
		}
	}
	if len(saved) > 0 {
		add("[SBFL fig. 10]",
			"LRU and SBFL take up to 63 % less memory than LRU with equal hits, k = 4",
			"saved at most", papers.AtLeast(0.6), slices.Max(saved))
	}
	if n := len(saved8); n > 0 {
		add("[SBFL fig. 9]", "with k = 8 LRU alone takes less at high hit rates",
			"saved at the largest filter", papers.AtMost(0), saved8[n-1])
	}
	add("[SBFL fig. 6]", "SBFL has fewer false positives than SBF", "SBF - SBFL, each size",
		papers.Above(0), positives...)
	add("[SBFL fig. 7]", "SBFL has fewer false negatives than SBF", "SBF - SBFL, each size",
		papers.Above(0), negatives...)
	for _, s := range r.Speeds[min(1, len(r.Speeds)):] {
		if s.Paper > 0 {
			add("[SBFL table 1]", s.Method+
				": faster than SBF with Mersenne Twister as in the paper", "times",
				papers.About(math.Round(r.Speeds[0].Paper/s.Paper)), s.Ratio)
		}
	}
	return claims
}
