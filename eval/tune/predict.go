package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// Options configure a prediction.
type Options struct {
	Policy    string
	Base      int     // known weeks; the prediction is for those after them
	Weeks     int     // predicted weeks
	History   int     // weekly states before the base that the policy may use
	New       float64 // share of a day's budget for first visits
	Sample    int     // pages that server-sample visits first on each server; 0: one
	Gone      float64 // worth of finding that a page is gone, in found changes
	Objective preferences.Objective
	// Listed has weights of pages, by how often search results show them; nil: 1 for all.
	Listed  *preferences.Listed
	Lag     time.Duration // from a visit until a search shows its result
	Change  sitegraph.ChangeBy
	Futures int // drawn futures; more give a better spread and take longer
	Seed    uint64
	// AtOnce limits the concurrent runs; 0: one for each core.
	AtOnce int
}

// Range is a predicted value: the mean over the futures, and the 5th and 95th percentile over the
// futures and 200 resamples of the servers in each. It is undefined for one future of one server.
type Range struct {
	Value eval.Number `json:"value"`
	Low   eval.Number `json:"low"`
	High  eval.Number `json:"high"`
}

// Point is the prediction for one budget.
type Point struct {
	Budget     float64     `json:"budget"`  // share of the base pages a day
	PerDay     eval.Number `json:"per_day"` // fetches a day
	Coverage   Range       `json:"coverage"`
	UpdateRate Range       `json:"update_rate"`
	Freshness  Range       `json:"freshness"`
	// SearchFreshness is the true share of a search's first results, if the listed weights are how
	// often they are shown. Its spread is over the futures alone.
	SearchFreshness Range `json:"search_freshness"`
}

// Measure returns one of Measures.
func (p *Point) Measure(name string) Range {
	return map[string]Range{eval.Coverage: p.Coverage, eval.UpdateRate: p.UpdateRate,
		eval.Freshness: p.Freshness}[name]
}

// Measures are the predicted measures, by their names in JSON.
var Measures = []string{eval.Coverage, eval.UpdateRate, eval.Freshness}

var undefined = eval.Number(math.NaN())

// Source draws possible futures of servers.
type Source interface {
	Future(seed uint64, number, weeks int) []*history.Server
	// Limit limits options to those that the source supports.
	Limit(o Options) Options
	// Doubts lists doubts about its futures.
	Doubts() []string
}

// Forecast is a set of futures to try budgets on.
type Forecast struct {
	Options
	futures []*eval.Dataset
	Changes []Load // changes on each server, by name
	PerDay  Range  // changes a day, all servers
	Daily   Range  // the part that a visit a day to each page finds
	Pages   int    // at the base
}

// Watched is a source that knows how often visits saw changes of each server, and of all pages
// together. Reports show these, as futures count at most one change of a page a day.
type Watched interface {
	Seen() (byServer map[string]estimator.ChangeRate, all estimator.ChangeRate)
}

// New draws futures. Each takes the memory of one corpus.
func New(ctx context.Context, source Source, o Options, tick func()) (*Forecast, error) {
	f := &Forecast{Options: o}
	var changes [][]eval.ServerChanges
	for n := range o.Futures {
		c, err := eval.NewDataset(ctx, source.Future(o.Seed, n, o.Weeks), o.corpus())
		if err != nil {
			return nil, fmt.Errorf("future %d: %w", n, err)
		}
		f.futures = append(f.futures, c)
		changes = append(changes, c.Changes(o.Weeks))
		tick()
	}
	f.Pages = len(f.futures[0].Pages)
	f.Changes = loads(changes)
	f.Daily = f.perDay(changes)
	f.PerDay = f.Daily
	if watched, ok := source.(Watched); ok {
		byServer, all := watched.Seen()
		for s := range f.Changes {
			f.Changes[s].PerDay = 0
			if rate := byServer[f.Changes[s].Server]; rate.Known() {
				f.Changes[s].PerDay = rate.PerDay()
			}
		}
		f.PerDay = Range{undefined, undefined, undefined}
		if all.Known() {
			low, high := all.Range()
			f.PerDay = Range{eval.Number(all.PerDay()), eval.Number(low), eval.Number(high)}
		}
	}
	return f, nil
}

func (o *Options) corpus() eval.Options {
	return eval.Options{
		Base:    time.Duration(o.Base) * 7 * 24 * time.Hour,
		History: o.History,
		Change:  o.Change,
	}
}

func (o *Options) stream(budget float64, limits budget.Limits) eval.StreamOptions {
	return eval.StreamOptions{
		Weeks:     o.Weeks,
		Budget:    budget,
		New:       o.New,
		Sample:    o.Sample,
		Gone:      o.Gone,
		Objective: o.Objective,
		Listed:    o.Listed,
		Lag:       o.Lag,
		Search:    true,
		Seed:      o.Seed,
		Spread:    true,
		Limits:    limits,
	}
}

// Curve predicts the effect of budgets under the limits.
func (f *Forecast) Curve(
	ctx context.Context,
	budgets []float64,
	limits budget.Limits,
	tick func(eval.Progress),
) ([]Point, error) {
	points := make([]Point, len(budgets))
	values := make([]map[string][]float64, len(budgets))
	drawn := make([]map[string][]float64, len(budgets))
	searched := make([][]float64, len(budgets))
	for i, b := range budgets {
		points[i] = Point{Budget: b, PerDay: eval.Number(b * float64(f.Pages))}
		values[i], drawn[i] = map[string][]float64{}, map[string][]float64{}
	}
	var all []eval.StreamOptions
	for _, b := range budgets {
		all = append(all, f.stream(b, limits))
	}
	for _, corpus := range f.futures {
		runs, err := corpus.Streams(ctx, all, []string{f.Policy}, f.AtOnce, tick)
		if err != nil {
			return nil, err
		}
		for i, run := range runs {
			r := &run.Results[0]
			for _, m := range Measures {
				values[i][m] = append(values[i][m], float64(r.Measure(m)))
				drawn[i][m] = append(drawn[i][m], r.Drawn(m)...)
			}
			searched[i] = append(searched[i], float64(r.SearchFreshness))
		}
	}
	for i := range points {
		points[i].Coverage = rangeOf(values[i][eval.Coverage], drawn[i][eval.Coverage])
		points[i].UpdateRate = rangeOf(values[i][eval.UpdateRate], drawn[i][eval.UpdateRate])
		points[i].Freshness = rangeOf(values[i][eval.Freshness], drawn[i][eval.Freshness])
		points[i].SearchFreshness = rangeOf(searched[i], nil)
	}
	return points, nil
}

// rangeOf ignores undefined values. The interval is that of the draws or, if one server cannot be
// resampled, that of the values; one value has none.
func rangeOf(values, drawn []float64) Range {
	sum, n := 0.0, 0
	for _, v := range values {
		if !math.IsNaN(v) {
			sum += v
			n++
		}
	}
	if len(drawn) == 0 {
		drawn = values
	}
	if len(drawn) < 2 {
		return Range{eval.Number(sum / float64(n)), undefined, undefined}
	}
	spread := eval.Interval(slices.Clone(drawn))
	return Range{Value: eval.Number(sum / float64(n)), Low: spread[0], High: spread[1]}
}

func (f *Forecast) perDay(changes [][]eval.ServerChanges) Range {
	var values, drawn []float64
	for _, future := range changes {
		total := make([]int, len(future))
		sum, days := 0, 1
		for s, server := range future {
			for _, n := range server.Daily {
				total[s] += n
			}
			sum += total[s]
			days = max(days, len(server.Daily))
		}
		values = append(values, float64(sum)/float64(days))
		for times := range eval.Resamples(len(future), f.Seed) {
			n := 0
			for s, k := range times {
				n += k * total[s]
			}
			drawn = append(drawn, float64(n)/float64(days))
		}
	}
	return rangeOf(values, drawn)
}
