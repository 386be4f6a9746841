package tidy

import (
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/papers"
)

// Figure is a row of Figures.
type Figure struct {
	Weeks  int64  `parquet:"weeks" unit:"weekly snapshots" doc:"N: the last one is N-1 weeks after the base"`
	Group  string `parquet:"group,dict" doc:"servers of the row: a group, or empty for all"`
	Kind   string `parquet:"kind,dict" doc:"method: by sites [LINK fig. 5 to 8]; depth: breadth-first [fig. 9]; threshold: by servers [fig. 12 to 18]; rate: the number of pages of server-true at 0.1"`
	Policy string `parquet:"policy,dict" doc:"method or policy; empty: breadth-first"`

	Depth     *int64   `parquet:"depth" unit:"links" doc:"depth from the start page down to which all pages are fetched; null: the kind is not depth"`
	Threshold *float64 `parquet:"threshold" unit:"change rate" doc:"least rate of the servers that are visited; null: the kind is not threshold"`

	Fetched        int64    `parquet:"fetched" unit:"visits" doc:"pages fetched"`
	ChangedFetched int64    `parquet:"changed_fetched" unit:"visits" doc:"those that had changed"`
	Share          *float64 `parquet:"share" unit:"share of the pages" doc:"pages fetched"`
	ShareLow       *float64 `parquet:"share_low" doc:"5th percentile over resamples of the servers"`
	ShareHigh      *float64 `parquet:"share_high" doc:"95th percentile"`
	UpdateRate     *float64 `parquet:"update_rate" doc:"changed_fetched / fetched"`
	UpdateRateLow  *float64 `parquet:"update_rate_low" doc:"5th percentile over resamples of the servers"`
	UpdateRateHigh *float64 `parquet:"update_rate_high" doc:"95th percentile"`
	Coverage       *float64 `parquet:"coverage" doc:"changed_fetched / changed pages"`
	CoverageLow    *float64 `parquet:"coverage_low" doc:"5th percentile over resamples of the servers"`
	CoverageHigh   *float64 `parquet:"coverage_high" doc:"95th percentile"`

	BreadthFirst *float64 `parquet:"breadth_first" doc:"coverage of breadth-first with as many pages; null: the kind is not method"`
	ServerTrue   *float64 `parquet:"server_true" doc:"coverage of server-true with as many pages; null: the kind is not method"`
}

// Figures has the figures of [LINK].
var Figures = NewKind[Figure]("figures", "a point of a figure of `eval --figures`")

// WriteFigures writes the table of figures.
func WriteFigures(s *Tables, f *papers.Figures) error {
	var rows []Figure
	add := func(row Figure, r *papers.Result) {
		row.Fetched, row.ChangedFetched = int64(r.Fetched), int64(r.ChangedFetched)
		row.Share, row.UpdateRate, row.Coverage = known(r.Share), known(r.UpdateRate),
			known(r.Coverage)
		if x := r.Spread; x != nil {
			row.ShareLow, row.ShareHigh = ends(x.Share)
			row.UpdateRateLow, row.UpdateRateHigh = ends(x.UpdateRate)
			row.CoverageLow, row.CoverageHigh = ends(x.Coverage)
		}
		rows = append(rows, row)
	}
	methods := func(of Figure, all []papers.Method) {
		for i := range all {
			m := &all[i]
			of.Kind, of.Policy = "method", m.Policy
			of.BreadthFirst, of.ServerTrue = known(m.BreadthFirst), known(m.ServerTrue)
			add(of, &m.Result)
		}
	}
	for i := range f.Periods {
		p := &f.Periods[i]
		of := Figure{Weeks: int64(p.Weeks)}
		methods(of, p.Methods)
		for k := range p.Depths {
			depth := int64(p.Depths[k].Depth)
			add(Figure{Weeks: of.Weeks, Kind: "depth", Depth: &depth}, &p.Depths[k].Result)
		}
		for _, by := range p.Thresholds {
			for k := range by.Points {
				add(Figure{Weeks: of.Weeks, Kind: "threshold", Policy: by.Policy,
					Threshold: known(eval.Number(by.Points[k].Threshold))}, &by.Points[k].Result)
			}
		}
		for k := range p.Rates {
			add(Figure{Weeks: of.Weeks, Kind: "rate", Policy: p.Rates[k].Policy},
				&p.Rates[k].Result)
		}
	}
	for i := range f.Groups {
		methods(Figure{Weeks: int64(f.GroupWeeks), Group: f.Groups[i].Name}, f.Groups[i].Methods)
	}
	return write(s, Figures, rows)
}
