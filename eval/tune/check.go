package tune

import (
	"context"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/budget"
)

// Check compares predictions with measurements by a replay of the following weeks.
type Check struct {
	PerDay Checked        `json:"changes_per_day"`
	Points []CheckedPoint `json:"budgets"`
}

// CheckedPoint is one budget.
type CheckedPoint struct {
	Budget     float64 `json:"budget"`
	Coverage   Checked `json:"coverage"`
	UpdateRate Checked `json:"update_rate"`
	Freshness  Checked `json:"freshness"`

	SearchFreshness Checked `json:"search_freshness"`
}

// Measure returns one of Measures.
func (p *CheckedPoint) Measure(name string) Checked {
	return map[string]Checked{eval.Coverage: p.Coverage, eval.UpdateRate: p.UpdateRate,
		eval.Freshness: p.Freshness}[name]
}

// Checked is one value.
type Checked struct {
	Predicted Range       `json:"predicted"`
	Measured  eval.Number `json:"measured"`
	Error     eval.Number `json:"error"` // predicted / measured - 1
	Inside    bool        `json:"inside"`
}

func checked(predicted Range, measured eval.Number) Checked {
	c := Checked{
		Predicted: predicted,
		Measured:  measured,
		Error:     undefined,
		Inside:    predicted.Low <= measured && measured <= predicted.High,
	}
	if measured > 0 {
		c.Error = predicted.Value/measured - 1
	}
	return c
}

// Check replays the weeks after the base under the same budgets and limits.
func (f *Forecast) Check(
	ctx context.Context,
	servers []*history.Server,
	points []Point,
	limits budget.Limits,
	tick func(eval.Progress),
) (Check, error) {
	corpus, err := eval.NewDataset(ctx, servers, f.corpus())
	if err != nil {
		return Check{}, err
	}
	var all []eval.StreamOptions
	for _, p := range points {
		all = append(all, f.stream(p.Budget, limits))
	}
	runs, err := corpus.Streams(ctx, all, []string{f.Policy}, f.AtOnce, tick)
	if err != nil {
		return Check{}, err
	}
	c := Check{PerDay: checked(f.PerDay,
		f.perDay([][]eval.ServerChanges{corpus.Changes(f.Weeks)}).Value)}
	for i, p := range points {
		r := &runs[i].Results[0]
		c.Points = append(
			c.Points,
			CheckedPoint{
				p.Budget,
				checked(p.Coverage, r.Coverage),
				checked(p.UpdateRate, r.UpdateRate),
				checked(p.Freshness, r.Freshness),
				checked(p.SearchFreshness, r.SearchFreshness),
			},
		)
	}
	return c, nil
}
