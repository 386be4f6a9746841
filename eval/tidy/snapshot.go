package tidy

import (
	"errors"

	"github.com/recrawl/recrawl/eval"
)

// Sweep is a row of Sweeps.
type Sweep struct {
	Policy    string  `parquet:"policy,dict" doc:"policy"`
	Threshold float64 `parquet:"threshold" unit:"change rate" doc:"least rate of the servers that are visited; policies by servers only, else 0"`
	Weeks     int64   `parquet:"weeks" unit:"weekly snapshots" doc:"N: the last one is N-1 weeks after the base"`
	Base      int64   `parquet:"base" unit:"weeks" doc:"from the start of a server's window to the base"`
	Seed      int64   `parquet:"seed" doc:"seed"`
	Servers   int64   `parquet:"servers" doc:"servers of the corpus"`
	Pages     int64   `parquet:"pages" doc:"base pages that are still there"`
	Changed   int64   `parquet:"changed" doc:"pages of them that changed"`
	Vanished  int64   `parquet:"vanished" doc:"base pages that are gone"`

	Fetched        int64 `parquet:"fetched" unit:"visits" doc:"visits of the sweep"`
	ChangedFetched int64 `parquet:"changed_fetched" unit:"visits" doc:"those that found a change"`

	UpdateRate     *float64 `parquet:"update_rate" doc:"changed_fetched / fetched"`
	UpdateRateLow  *float64 `parquet:"update_rate_low" doc:"5th percentile over resamples of the servers"`
	UpdateRateHigh *float64 `parquet:"update_rate_high" doc:"95th percentile"`
	Coverage       *float64 `parquet:"coverage" doc:"changed_fetched / changed"`
	CoverageLow    *float64 `parquet:"coverage_low" doc:"5th percentile over resamples of the servers"`
	CoverageHigh   *float64 `parquet:"coverage_high" doc:"95th percentile"`
	AUC            *float64 `parquet:"auc" doc:"area under coverage against share fetched, from 0 to 1"`
	Gain           *float64 `parquet:"gain" doc:"0 for random order, 1 for all changed pages first"`
	GainLow        *float64 `parquet:"gain_low" doc:"5th percentile over resamples of the servers"`
	GainHigh       *float64 `parquet:"gain_high" doc:"95th percentile"`
	Inside         *float64 `parquet:"gain_in_servers" doc:"the gain inside servers"`
	InsideLow      *float64 `parquet:"gain_in_servers_low" doc:"5th percentile over resamples of the servers"`
	InsideHigh     *float64 `parquet:"gain_in_servers_high" doc:"95th percentile"`
}

// Sweeps has the results of policies in snapshots.
var Sweeps = NewKind[Sweep]("sweeps", "a sweep of a policy, of `eval --protocol snapshot`")

// Step is a row of Curve.
type Step struct {
	Policy    string  `parquet:"policy,dict" doc:"policy"`
	Threshold float64 `parquet:"threshold" unit:"change rate" doc:"least rate of the servers that are visited; policies by servers only, else 0"`
	Weeks     int64   `parquet:"weeks" unit:"weekly snapshots" doc:"N: the last one is N-1 weeks after the base"`
	Fetched   float64 `parquet:"fetched" unit:"share of the pages" doc:"pages fetched so far"`
	Coverage  float64 `parquet:"coverage" doc:"share of the changed pages found so far"`
}

// Curve has coverage by fetched share.
var Curve = NewKind[Step]("curve",
	"one of the 200 steps of a sweep, of `eval --protocol snapshot`")

// WriteSnapshot writes the tables of sweeps.
func WriteSnapshot(s *Tables, runs []eval.SnapshotRun) error {
	var (
		sweeps []Sweep
		steps  []Step
		pairs  []Pair
	)
	for i := range runs {
		run := &runs[i]
		for k := range run.Results {
			r := &run.Results[k]
			sweeps = append(sweeps, sweepOf(run, r))
			for _, at := range r.Curve {
				steps = append(steps, Step{r.Policy, r.Threshold, int64(run.Weeks), at[0], at[1]})
			}
		}
		of := Pair{Protocol: run.Protocol, Weeks: int64(run.Weeks)}
		pairs = append(pairs, of.compared(run.Comparison)...)
	}
	return errors.Join(write(s, Sweeps, sweeps), write(s, Curve, steps),
		write(s, Comparisons, pairs))
}

func sweepOf(run *eval.SnapshotRun, r *eval.SnapshotResult) Sweep {
	row := Sweep{Policy: r.Policy, Threshold: r.Threshold, Weeks: int64(run.Weeks),
		Base: int64(run.Base), Seed: int64(run.Seed), Servers: int64(run.Corpus.Servers),
		Pages: int64(run.Corpus.Pages), Changed: int64(run.Corpus.Changed),
		Vanished: int64(run.Corpus.Vanished), Fetched: int64(r.Fetched),
		ChangedFetched: int64(r.ChangedFetched), UpdateRate: known(r.UpdateRate),
		Coverage: known(r.Coverage), AUC: known(r.AUC), Gain: known(r.Gain),
		Inside: known(r.GainInServers)}
	row.UpdateRateLow, row.UpdateRateHigh = ends(r.Interval(eval.UpdateRate))
	row.CoverageLow, row.CoverageHigh = ends(r.Interval(eval.Coverage))
	row.GainLow, row.GainHigh = ends(r.Interval(eval.Gain))
	row.InsideLow, row.InsideHigh = ends(r.Interval(eval.GainInServers))
	return row
}
