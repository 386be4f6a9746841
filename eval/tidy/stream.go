package tidy

import (
	"errors"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/policy"
)

// Result is a row of Results.
type Result struct {
	Policy    string  `parquet:"policy,dict" doc:"policy"`
	Budget    float64 `parquet:"budget" unit:"share of the base pages a day" doc:"fetches that the policy may make"`
	Weeks     int64   `parquet:"weeks" unit:"weeks" doc:"length of the runs"`
	Base      int64   `parquet:"base" unit:"weeks" doc:"from the start of a server's window to the start of the runs"`
	Round     float64 `parquet:"round_hours" unit:"hours" doc:"length of a round"`
	Runs      int64   `parquet:"runs" doc:"number of runs; values are their means"`
	Seed      int64   `parquet:"seed" doc:"seed of the first run; the next run has the next seed"`
	Published bool    `parquet:"published" doc:"whether the policy is one of the literature"`
	Reference bool    `parquet:"reference" doc:"whether it is a reference line, which knows the future"`
	Servers   int64   `parquet:"servers" doc:"servers of the corpus"`
	BasePages int64   `parquet:"base_pages" doc:"pages at the base"`
	Pages     int64   `parquet:"pages" doc:"these, and pages born later"`
	Events    int64   `parquet:"events" doc:"changes on the pages"`

	Fetched   int64 `parquet:"fetched" unit:"visits" doc:"all visits"`
	Refetched int64 `parquet:"refetched" unit:"visits" doc:"visits to pages with a copy"`
	First     int64 `parquet:"first" unit:"visits" doc:"visits to pages without a copy"`
	Changed   int64 `parquet:"changed" unit:"visits" doc:"refetches that found a change"`
	Unused    int64 `parquet:"unused" unit:"visits" doc:"fetches of the budget that were left unused"`

	UpdateRate     *float64 `parquet:"update_rate" doc:"changed / refetched"`
	UpdateRateLow  *float64 `parquet:"update_rate_low" doc:"5th percentile over resamples of the servers"`
	UpdateRateHigh *float64 `parquet:"update_rate_high" doc:"95th percentile"`
	Coverage       *float64 `parquet:"coverage" doc:"changed / events"`
	CoverageLow    *float64 `parquet:"coverage_low" doc:"5th percentile over resamples of the servers"`
	CoverageHigh   *float64 `parquet:"coverage_high" doc:"95th percentile"`
	Freshness      *float64 `parquet:"freshness" doc:"time average of the share of good copies among living pages"`
	FreshnessLow   *float64 `parquet:"freshness_low" doc:"5th percentile over resamples of the servers"`
	FreshnessHigh  *float64 `parquet:"freshness_high" doc:"95th percentile"`
	Discovered     *float64 `parquet:"discovered" doc:"share of the discoverable new pages that became known"`
	DiscoveredLow  *float64 `parquet:"discovered_low" doc:"5th percentile over resamples of the servers"`
	DiscoveredHigh *float64 `parquet:"discovered_high" doc:"95th percentile"`

	SearchFreshness *float64 `parquet:"search_freshness" doc:"share of search results that are up to date; 0 without weights and lag"`
	Age             *float64 `parquet:"mean_age_days" unit:"days" doc:"time average of how long copies have been stale, good ones 0"`
	Delay           *float64 `parquet:"detection_delay_hours" unit:"hours" doc:"mean time from a change that was found to the visit"`
	MedianDelay     *float64 `parquet:"median_detection_delay_hours" unit:"hours" doc:"its median"`
	DiscoveryDelay  *float64 `parquet:"discovery_delay_days" unit:"days" doc:"mean time from the birth of a page until it became known"`
	Deletions       *float64 `parquet:"deletions_found" doc:"share of the deletions that a visit found"`
	DeletionDelay   *float64 `parquet:"deletion_delay_days" unit:"days" doc:"mean time from a deletion that was found to the visit"`
	DeletionVisits  int64    `parquet:"deletion_visits" unit:"visits" doc:"visits made because a page was probably gone"`
}

// Results has the results of policies in streams.
var Results = NewKind[Result]("results",
	"a policy at a budget, with the means of its runs, of `eval --protocol stream`")

// Run is a row of Runs.
type Run struct {
	Policy     string   `parquet:"policy,dict" doc:"policy"`
	Budget     float64  `parquet:"budget" unit:"share of the base pages a day" doc:"fetches that the policy may make"`
	Weeks      int64    `parquet:"weeks" unit:"weeks" doc:"length of the runs"`
	Run        int64    `parquet:"run" doc:"number of the run, from 1"`
	Seed       int64    `parquet:"seed" doc:"seed"`
	UpdateRate *float64 `parquet:"update_rate" doc:"changed / refetched"`
	Coverage   *float64 `parquet:"coverage" doc:"changed / events"`
	Freshness  *float64 `parquet:"freshness" doc:"time average of the share of good copies among living pages"`
	Discovered *float64 `parquet:"discovered" doc:"share of the discoverable new pages that became known"`
}

// Runs has the single runs of streams.
var Runs = NewKind[Run]("runs", "one run of a policy at a budget, of `eval --protocol stream`")

// Week is a row of Weekly.
type Week struct {
	Policy     string   `parquet:"policy,dict" doc:"policy"`
	Budget     float64  `parquet:"budget" unit:"share of the base pages a day" doc:"fetches that the policy may make"`
	Weeks      int64    `parquet:"weeks" unit:"weeks" doc:"length of the runs"`
	Week       int64    `parquet:"week" doc:"week of the run, from 1"`
	Refetched  int64    `parquet:"refetched" unit:"visits" doc:"visits of this week to pages with a copy, in the sum of all runs"`
	Changed    int64    `parquet:"changed" unit:"visits" doc:"those of them that found a change"`
	UpdateRate *float64 `parquet:"update_rate" doc:"changed / refetched of this week, in the mean over the runs"`
	Coverage   *float64 `parquet:"coverage" doc:"share of the changes found, from the base to the end of the week, in the mean over the runs"`
	Freshness  *float64 `parquet:"freshness" doc:"share of good copies among living pages in this week, in the mean over the runs"`
}

// Weekly has streams week by week.
var Weekly = NewKind[Week]("weekly", "one week of a policy at a budget, of `eval --protocol stream`")

// Bin is a row of Calibration.
type Bin struct {
	Policy      string   `parquet:"policy,dict" doc:"policy"`
	Budget      float64  `parquet:"budget" unit:"share of the base pages a day" doc:"fetches that the policy may make"`
	Weeks       int64    `parquet:"weeks" unit:"weeks" doc:"length of the runs"`
	Visited     bool     `parquet:"visited" doc:"true: of the refetches; false: of pages drawn at random at each week's end"`
	Low         float64  `parquet:"low" doc:"least probability of the bin"`
	High        float64  `parquet:"high" doc:"probability below which it ends"`
	Count       int64    `parquet:"count" doc:"probabilities in the bin"`
	Probability *float64 `parquet:"probability" doc:"their mean"`
	Changed     *float64 `parquet:"changed" doc:"share of them that had changed"`
}

// Calibration compares probabilities with outcomes.
var Calibration = NewKind[Bin]("calibration",
	"a bin of the probabilities that a policy gave, of `eval --protocol stream`")

// WriteStream writes the tables of streams except Visits, which Watch writes during the run.
func WriteStream(s *Tables, runs []eval.StreamRun) error {
	var (
		results []Result
		single  []Run
		weeks   []Week
		bins    []Bin
		pairs   []Pair
	)
	for i := range runs {
		run := &runs[i]
		for k := range run.Results {
			r := &run.Results[k]
			results = append(results, resultOf(run, r))
			single = append(single, runsOf(run, r)...)
			for _, w := range r.Weekly {
				weeks = append(weeks, Week{r.Policy, run.Budget, int64(run.Weeks), int64(w.Week),
					int64(w.Refetched), int64(w.Changed), known(w.UpdateRate), known(w.Coverage),
					known(w.Freshness)})
			}
			bins = append(bins, binsOf(run, r, r.Calibration, true)...)
			bins = append(bins, binsOf(run, r, r.CalibrationUnvisited, false)...)
		}
		of := Pair{Protocol: run.Protocol, Budget: known(run.Budget), Weeks: int64(run.Weeks)}
		pairs = append(pairs, of.compared(run.Comparison)...)
	}
	return errors.Join(write(s, Results, results), write(s, Runs, single), write(s, Weekly, weeks),
		write(s, Calibration, bins), write(s, Comparisons, pairs))
}

func resultOf(run *eval.StreamRun, r *eval.StreamResult) Result {
	row := Result{Policy: r.Policy, Budget: run.Budget, Weeks: int64(run.Weeks),
		Base: int64(run.Base), Round: run.StepHours, Runs: int64(max(run.Runs, 1)),
		Seed: int64(run.Seed), Published: policy.Published(r.Policy),
		Reference: policy.Reference(r.Policy), Servers: int64(run.Corpus.Servers),
		BasePages: int64(run.Corpus.BasePages), Pages: int64(run.Corpus.Pages),
		Events: int64(run.Corpus.Events), Fetched: int64(r.Fetched), Refetched: int64(r.Refetched),
		First: int64(r.NewFetched), Changed: int64(r.Changed), Unused: int64(r.Unused),
		UpdateRate: known(r.UpdateRate), Coverage: known(r.Coverage), Freshness: known(r.Freshness),
		Discovered: known(r.Discovered), SearchFreshness: known(r.SearchFreshness),
		Age: known(r.MeanAgeDays), Delay: known(r.DetectionDelayHours),
		MedianDelay:    known(r.MedianDelayHours),
		DiscoveryDelay: known(r.DiscoveryDelayDays), Deletions: known(r.DeletionsFound),
		DeletionDelay: known(r.DeletionDelayDays), DeletionVisits: int64(r.DeletionVisits)}
	row.UpdateRateLow, row.UpdateRateHigh = ends(r.Interval(eval.UpdateRate))
	row.CoverageLow, row.CoverageHigh = ends(r.Interval(eval.Coverage))
	row.FreshnessLow, row.FreshnessHigh = ends(r.Interval(eval.Freshness))
	row.DiscoveredLow, row.DiscoveredHigh = ends(r.Interval(eval.Discovered))
	return row
}

// runsOf returns the runs of a result; a single run is the result itself.
func runsOf(run *eval.StreamRun, r *eval.StreamResult) (rows []Run) {
	all := r.Runs
	if len(all) == 0 {
		all = []eval.RunMeasures{{Seed: run.Seed, Coverage: r.Coverage, UpdateRate: r.UpdateRate,
			Freshness: r.Freshness, Discovered: r.Discovered}}
	}
	for i, m := range all {
		rows = append(rows, Run{r.Policy, run.Budget, int64(run.Weeks), int64(i + 1), int64(m.Seed),
			known(m.UpdateRate), known(m.Coverage), known(m.Freshness), known(m.Discovered)})
	}
	return rows
}

func binsOf(run *eval.StreamRun, r *eval.StreamResult, c *eval.Calibration, visited bool) (
	rows []Bin) {
	if c == nil {
		return nil
	}
	for _, b := range c.Bins {
		rows = append(rows, Bin{r.Policy, run.Budget, int64(run.Weeks), visited, float64(b.Low),
			float64(b.High), int64(b.Count), known(b.Probability), known(b.Changed)})
	}
	return rows
}
