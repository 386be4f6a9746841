package present

import (
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/satstore/seen/intake"
	"github.com/recrawl/recrawl/sitegraph/listed"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// addressesTables returns the result for people. With verbose it adds tables on the work of the
// import.
func addressesTables(r *intake.Result, verbose bool) []report.Table {
	p := r.Pipeline
	tables := []report.Table{{Note: addressesSummary(r)}, {
		Title:  "What decided, " + r.Mode,
		Header: []string{"by", "addresses", "share"},
		Rows: [][]string{
			addressesRow(r, "the cache had it", p.CacheHits),
			addressesRow(r, "the filter had it"+map[bool]string{true: ", and the set",
				false: ", not confirmed"}[r.Mode == "exact"], p.FilterHits-p.Rescued),
			addressesRow(r, "the filter had it, and was wrong: new", p.Rescued),
			addressesRow(r, "the set had it", p.Missed),
			addressesRow(r, "new", p.New-p.Rescued),
		},
		Note: fmt.Sprintf("The set took %.1f s for addresses that neither cache nor filter "+
			"had, and %.1f s to confirm the filter's. %s important addresses bypassed it.",
			p.WaitSeconds, p.DoubtSeconds, words.Grouped(int64(p.Exempt))),
	}, {
		Title:  "Memory and time",
		Header: []string{"what", "value"},
		Rows: [][]string{
			{"memory of cache, filter, queues and set", addressesMegabytes(r.PartsBytes)},
			{"memory of the whole program at its peak", addressesMegabytes(r.PeakBytes)},
			{"addresses known to the set", words.Grouped(int64(r.Set.Keys))},
			{"memory for a known address, bytes", fmt.Sprintf("%.2f", r.BytesEach)},
			{"set on disk", fmt.Sprintf("%s in %d runs",
				addressesMegabytes(int64(r.Set.Disk)), r.Set.RunCount)},
			{"processor time for an address, us", fmt.Sprintf("%.2f",
				1e6*r.CPUSeconds/max(float64(r.Addresses), 1))},
		},
	}}
	for i := range tables {
		tables[i].PageOnly = !verbose
	}
	return append(tables, leftOut(r)...)
}

// leftOut returns a table of the lines without an address, by kind; nil if no line was meant to
// have one.
func leftOut(r *intake.Result) []report.Table {
	if !slices.ContainsFunc(r.Bad, func(b intake.Bad) bool { return !b.Meant() }) {
		return nil
	}
	t := report.Table{Title: "Left out: " + words.Plural(int(r.BadLines), "line"),
		Header: []string{"why", "lines", "the first: line", "text"}}
	for _, b := range r.Bad {
		for i, e := range b.Examples {
			row := []string{b.Kind, words.Grouped(b.Lines), fmt.Sprint(e.Line),
				fmt.Sprintf("%.60q", e.Text)}
			if i > 0 {
				row[0], row[1] = "", ""
			}
			t.Rows = append(t.Rows, row)
		}
		if b.Kind == listed.Divided.String() {
			t.Note = "--format list takes commas, semicolons and bars for parts of addresses; a " +
				"first line with the names of columns, url among them, says where addresses stand."
		}
	}
	return []report.Table{t}
}

// addressesFinding sums up the result in a sentence. noun is the name of a new address.
func addressesFinding(r *intake.Result, noun string) string {
	s := words.Plural(int(r.New), "new "+noun)
	if r.Repeats > 0 {
		s += fmt.Sprintf(", %s known or repeated", words.Grouped(r.Repeats))
	}
	if r.Elsewhere > 0 {
		s += fmt.Sprintf(", %s of other parts", words.Grouped(r.Elsewhere))
	}
	between := ": "
	if r.BadLines > 0 {
		s += fmt.Sprintf("; %s left out", words.Plural(int(r.BadLines), "line"))
	}
	if len(leftOut(r)) > 0 { // the table has the kinds
		return s + "."
	}
	for _, b := range r.Bad {
		s += between + fmt.Sprintf("%s %s", words.Grouped(b.Lines), b.Kind)
		between = ", "
	}
	return s + "."
}

func addressesSummary(r *intake.Result) string {
	s := fmt.Sprintf("%s new of %s addresses in %s lines, %.1f s, %s a second",
		words.Grouped(r.New),
		words.Grouped(r.Addresses), words.Grouped(r.Lines), r.Seconds,
		words.Grouped(int64(r.PerSecond)))
	if r.CaughtUp > 0 {
		s += fmt.Sprintf("; %s pages of the store were not in the set yet",
			words.Grouped(int64(r.CaughtUp)))
	}
	if r.Elsewhere > 0 {
		s += fmt.Sprintf("; %s addresses are of other parts", words.Grouped(r.Elsewhere))
	}
	return s
}

func addressesRow(r *intake.Result, what string, n uint64) []string {
	return []string{what, words.Grouped(int64(n)), fmt.Sprintf("%.2f %%",
		100*float64(n)/max(float64(r.Addresses), 1))}
}

func addressesMegabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// AddressesPage returns the result with its curves. noun is the name of a new address, for example
// page. With verbose the terminal also gets tables on the work of the import.
func AddressesPage(r *intake.Result, noun string, verbose bool) report.Page {
	memory, rate := report.Series{Name: "memory of the program"},
		report.Series{Name: "addresses a second"}
	each := report.Series{Name: "bytes"}
	for i, p := range r.Curve {
		x := float64(p.Lines) / 1e6
		memory.X, memory.Y = append(memory.X, x), append(memory.Y, float64(p.Resident)/1e6)
		if known := r.Known + p.New; known > 0 {
			each.X, each.Y = append(each.X, x), append(each.Y, float64(p.Resident)/float64(known))
		}
		if i > 0 {
			before := r.Curve[i-1]
			rate.X = append(rate.X, x)
			rate.Y = append(rate.Y, float64(p.Lines-before.Lines)/max(p.Seconds-before.Seconds,
				1e-9))
		}
	}
	if n := len(each.X); n > 0 { // from where the line is no longer one of the program alone
		each.X, each.Y = each.X[n/4:], each.Y[n/4:]
	}
	const lines = "million lines"
	return report.Page{
		Title:   "recrawl: import",
		Finding: addressesFinding(r, noun),
		Intro:   "A list of addresses taken in, each once.",
		Sections: []report.Section{{Title: "Result", Tables: addressesTables(r, verbose),
			Charts: []report.Chart{
				{Title: "Memory", XLabel: lines, YLabel: "MB", Series: []report.Series{memory}},
				{Title: "Memory by known address", XLabel: lines, YLabel: "bytes",
					Series: []report.Series{each}},
				{Title: "Rate", XLabel: lines, YLabel: "lines a second",
					Series: []report.Series{rate}},
			}}},
	}
}
