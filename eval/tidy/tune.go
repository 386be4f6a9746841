package tidy

import (
	"errors"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/tune"
)

// Predicted is a row of Predictions.
type Predicted struct {
	Source  string  `parquet:"source,dict" doc:"origin of the prediction: histories, store or journal"`
	Policy  string  `parquet:"policy,dict" doc:"policy"`
	Base    int64   `parquet:"base" unit:"weeks" doc:"from the start of a server's window; later weeks were not read"`
	Weeks   int64   `parquet:"weeks" unit:"weeks" doc:"length of the runs"`
	Futures int64   `parquet:"futures" doc:"futures that values are means over"`
	Seed    int64   `parquet:"seed" doc:"seed"`
	Pages   int64   `parquet:"pages" doc:"pages at the base"`
	Budget  float64 `parquet:"budget" unit:"share of the base pages a day" doc:"fetches that the policy may make"`
	PerDay  float64 `parquet:"fetches_per_day" unit:"fetches a day" doc:"the budget as a number"`
	Knee    bool    `parquet:"knee" doc:"whether a larger budget brings less for each further fetch"`

	Measure string   `parquet:"measure,dict" doc:"coverage, update_rate, freshness or search_freshness"`
	Value   *float64 `parquet:"value" doc:"mean over the futures"`
	Low     *float64 `parquet:"low" doc:"5th percentile over the futures and resamples of the servers"`
	High    *float64 `parquet:"high" doc:"95th percentile"`

	Measured *float64 `parquet:"measured" doc:"value measured on the weeks after the base; null without --check"`
}

// Predictions shows the predicted effect of budgets.
var Predictions = NewKind[Predicted]("predictions",
	"a measure at a budget, predicted by `tune`")

// Reach is a row of Delays.
type Reach struct {
	Budget  float64  `parquet:"budget" unit:"share of the base pages a day" doc:"budget at which coverage is predicted"`
	Seconds float64  `parquet:"delay_s" unit:"s" doc:"least time between two visits to a server"`
	Visits  *float64 `parquet:"visits_per_day" unit:"visits a day" doc:"visits that a server can have; null: no limit"`
	Crowded int64    `parquet:"crowded_servers" doc:"servers with more pages than that: not all can be seen in a day"`
	Short   int64    `parquet:"short_servers" doc:"servers with more changes than that in the long run"`
	Beyond  float64  `parquet:"beyond_reach" doc:"share of the changes that no order of visits finds in the long run"`
	Late    float64  `parquet:"late" doc:"share of the changes that cannot be found on the day they happen"`

	Coverage *float64 `parquet:"coverage" doc:"share of the changes found, mean over the futures"`
	Low      *float64 `parquet:"coverage_low" doc:"5th percentile over the futures and resamples of the servers"`
	High     *float64 `parquet:"coverage_high" doc:"95th percentile"`
}

// Delays shows the limits by politeness.
var Delays = NewKind[Reach]("delays", "a delay between two visits to a server, of `tune`")

// WriteTune writes the tables of a prediction.
func WriteTune(s *Tables, p *tune.Prediction) error {
	var rows []Predicted
	for i := range p.Curve {
		at := &p.Curve[i]
		row := Predicted{Source: p.Source, Policy: p.Policy, Base: int64(p.Base),
			Weeks: int64(p.Weeks), Futures: int64(p.Futures), Seed: int64(p.Seed),
			Pages: int64(p.Pages), Budget: at.Budget, PerDay: float64(at.PerDay),
			Knee: p.Knee != nil && p.Knee.Budget == at.Budget}
		var measured tune.CheckedPoint
		if p.Check != nil {
			for _, c := range p.Check.Points {
				if c.Budget == at.Budget {
					measured = c
				}
			}
		}
		for _, m := range []struct {
			name string
			tune.Range
			checked tune.Checked
		}{
			{eval.Coverage, at.Coverage, measured.Coverage},
			{eval.UpdateRate, at.UpdateRate, measured.UpdateRate},
			{eval.Freshness, at.Freshness, measured.Freshness},
			{"search_freshness", at.SearchFreshness, measured.SearchFreshness},
		} {
			row.Measure, row.Value = m.name, known(m.Value)
			row.Low, row.High, row.Measured = known(m.Low), known(m.High), nil
			if measured.Budget > 0 {
				row.Measured = known(m.checked.Measured)
			}
			rows = append(rows, row)
		}
	}
	var delays []Reach
	for _, d := range p.Politeness.Delays {
		delays = append(delays, Reach{p.Politeness.Budget, d.Seconds, known(d.Visits),
			int64(d.Crowded), int64(d.Short), d.Beyond, d.Late, known(d.Coverage.Value),
			known(d.Coverage.Low), known(d.Coverage.High)})
	}
	return errors.Join(write(s, Predictions, rows), write(s, Delays, delays))
}
