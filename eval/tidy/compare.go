package tidy

import (
	"cmp"
	"maps"
	"slices"

	"github.com/recrawl/recrawl/eval"
)

// Pair is a row of Comparisons.
type Pair struct {
	Protocol string   `parquet:"protocol,dict" doc:"stream or snapshot"`
	Budget   *float64 `parquet:"budget" unit:"share of the base pages a day" doc:"budget of both; null: a snapshot has none"`
	Weeks    int64    `parquet:"weeks" unit:"weeks" doc:"length of the stream, or weekly snapshots"`
	Policy   string   `parquet:"policy,dict" doc:"the policy that is compared"`
	Other    string   `parquet:"other,dict" doc:"the policy that it is compared with"`
	Least    float64  `parquet:"other_threshold" unit:"change rate" doc:"least rate of the servers that the other one visits; policies by servers only, else 0"`
	Without  string   `parquet:"without,dict" doc:"the part that the other one, a variant, lacks; empty: no variant"`
	Best     bool     `parquet:"best_published" doc:"whether the other one is the best published policy by this measure"`

	Measure    string   `parquet:"measure,dict" doc:"coverage, update_rate, freshness, discovered, gain or gain_in_servers"`
	Value      *float64 `parquet:"value" doc:"of the policy"`
	OtherValue *float64 `parquet:"other_value" doc:"of the other one"`

	Difference     *float64 `parquet:"difference" doc:"value - other_value"`
	DifferenceLow  *float64 `parquet:"difference_low" doc:"5th percentile over resamples of the servers, the same for both policies"`
	DifferenceHigh *float64 `parquet:"difference_high" doc:"95th percentile"`
	Ratio          *float64 `parquet:"ratio" doc:"value / other_value; null where that is not above 0"`
	RatioLow       *float64 `parquet:"ratio_low" doc:"5th percentile over resamples of the servers"`
	RatioHigh      *float64 `parquet:"ratio_high" doc:"95th percentile"`
}

// Comparisons compare one policy with each of the others.
var Comparisons = NewKind[Pair]("comparisons",
	"one measure, for the policy of `eval --compare` and for another policy")

// compared returns the rows of a comparison for the run of the receiver, or none if c is nil.
func (of Pair) compared(c *eval.Comparison) (rows []Pair) {
	if c == nil {
		return nil
	}
	of.Policy = c.Policy
	add := func(row Pair, measures map[string]eval.Paired) {
		for _, m := range slices.SortedFunc(maps.Keys(measures), cmp.Compare) {
			row, best := row.paired(measures[m]), c.Best[m]
			row.Measure = m
			row.Best = best.Policy == row.Other && best.Threshold == row.Least
			rows = append(rows, row)
		}
	}
	for _, o := range c.With {
		of.Other, of.Least = o.Policy, o.Threshold
		add(of, o.Measures)
	}
	for _, a := range c.Without {
		of.Other, of.Least, of.Without = a.Policy, 0, a.Part
		add(of, a.Measures)
	}
	return rows
}

// paired returns the row with the values of a measure.
func (of Pair) paired(p eval.Paired) Pair {
	of.Value, of.OtherValue = known(p.Value), known(p.Other)
	of.Difference, of.Ratio = known(p.Difference), known(p.Ratio)
	of.DifferenceLow, of.DifferenceHigh = ends(p.DifferenceSpread)
	of.RatioLow, of.RatioHigh = ends(p.RatioSpread)
	return of
}

// Start is a row of Warm.
type Start struct {
	Policy string  `parquet:"policy,dict" doc:"policy"`
	Budget float64 `parquet:"budget" unit:"share of the base pages a day" doc:"fetches that the policy may make"`
	Weeks  int64   `parquet:"weeks" unit:"weeks" doc:"length of the runs"`
	Before int64   `parquet:"before" unit:"weeks" doc:"before the base, from which the warm stream has captures"`
	Every  int64   `parquet:"every" unit:"weeks" doc:"between two captures of a page"`
	Cold   string  `parquet:"against,dict" doc:"start of the other stream: copies, one of each page, or addresses alone"`

	Coverage *float64 `parquet:"coverage" doc:"share of the changes that the warm stream found"`
	Other    *float64 `parquet:"other_coverage" doc:"share that the other one found"`
	Ratio    *float64 `parquet:"ratio" doc:"coverage / other_coverage; null where that is not above 0"`
	Low      *float64 `parquet:"ratio_low" doc:"5th percentile over resamples of the servers"`
	High     *float64 `parquet:"ratio_high" doc:"95th percentile"`
}

// Warm has the streams that begin with captures.
var Warm = NewKind[Start]("warm",
	"a policy at a budget, with and without captures as its past, of `eval --warm`")

// WriteWarm writes the table of warm starts.
func WriteWarm(s *Tables, run *eval.WarmRun) error {
	var rows []Start
	for _, start := range run.Starts {
		row := Start{Policy: start.Policy, Budget: start.Budget, Weeks: int64(run.Weeks),
			Before: int64(run.Before), Every: int64(start.Every)}
		rows = append(rows, row.against("copies", start.Paired),
			row.against("addresses", start.Alone))
	}
	return write(s, Warm, rows)
}

// against returns the row that compares with a stream which began with copies, or with URLs alone.
func (of Start) against(cold string, p eval.Paired) Start {
	of.Cold, of.Coverage, of.Other, of.Ratio = cold, known(p.Value), known(p.Other), known(p.Ratio)
	of.Low, of.High = ends(p.RatioSpread)
	return of
}
