package tidy

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// Visit is a row of Visits.
type Visit struct {
	Policy string  `parquet:"policy,dict" doc:"policy"`
	Budget float64 `parquet:"budget,dict" unit:"share of the base pages a day" doc:"fetches that the policy may make"`
	Weeks  int32   `parquet:"weeks,dict" unit:"weeks" doc:"length of the runs"`
	Run    int32   `parquet:"run,dict" doc:"number of the run, from 1"`
	Round  int32   `parquet:"round,delta" doc:"round of the run, from 1"`

	Time   time.Time `parquet:"time,timestamp(millisecond),delta" doc:"moment that the visit saw; the window of each server begins on 2001-01-01"`
	Server string    `parquet:"server,dict" doc:"server, with its port where that is not the usual one"`
	Page   string    `parquet:"page,dict" doc:"URL of the page"`
	First  bool      `parquet:"first" doc:"whether there was no copy of the page: discovery, not a refetch"`

	Probability *float32 `parquet:"probability,split" doc:"probability of a change since the copy, as planned; null: the policy estimates none"`
	Value       *float32 `parquet:"value,split" doc:"rank that the policy gave, larger is earlier; null: not ranked"`
	Gone        float32  `parquet:"gone,dict" doc:"probability that the page is gone, where it was visited for that; else 0"`
	Outcome     string   `parquet:"outcome,dict" doc:"how the visit ended: fetched, not-modified, gone, redirected, excluded, failed or unknown"`
	Verdict     string   `parquet:"verdict,dict" doc:"what it showed: first, changed, unchanged, left, doubted, baseline or unknown"`
}

// Visits are the visits of streams.
var Visits = NewKind[Visit]("visits", "a visit of a run of `eval --protocol stream`")

// Watch returns a function for eval.StreamOptions.Visits, which writes the visits of each run.
func Watch(to *Table[Visit]) func(eval.Progress, *sitegraph.Graph) (
	seen func(*crawl.Event), end func()) {
	return func(of eval.Progress, graph *sitegraph.Graph) (func(*crawl.Event), func()) {
		batch := to.Batch()
		row := Visit{Policy: of.Policy, Budget: of.Budget, Weeks: int32(of.Weeks),
			Run: int32(of.Run + 1)}
		return func(e *crawl.Event) {
			v := &e.Visit
			row.Round, row.Time = int32(e.Round.Number), e.Observation.Time
			row.Page = graph.URL(v.Page)
			row.Server = graph.ServerName(graph.Server(v.Page))
			row.First, row.Gone = v.First, float32(v.Gone)
			row.Probability, row.Value = known32(v.Probability), known32(v.Value)
			row.Outcome, row.Verdict = e.Observation.Outcome.String(), e.Verdict.String()
			batch.Add(row)
		}, batch.End
	}
}

// known32 returns nil for NaN, an unknown value.
func known32(x float64) *float32 {
	if math.IsNaN(x) {
		return nil
	}
	f := float32(x)
	return &f
}
