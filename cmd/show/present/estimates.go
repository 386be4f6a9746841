package present

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// estimate is an estimate as people read it.
type estimate struct {
	Method     string  `json:"method"`
	RatePerDay float64 `json:"rate_per_day"`
	// Low and High are the 95 % interval of the rate. Without an interval both are the rate.
	Low          float64 `json:"low"`
	High         float64 `json:"high"`
	IntervalDays float64 `json:"interval_days"`
	Probability  float64 `json:"probability"` // of a change since the last visit
	Revisits     int     `json:"revisits"`
	Warning      string  `json:"warning"`
}

// estimatesOf returns the estimates of all estimators for a page.
func estimatesOf(c *planner.Pages, r *sitegraph.Record, age time.Duration) []estimate {
	h := r.History
	intervals := max(int(h.Visits)-1, 0)
	changes, days := int(h.Changes), estimator.Days(h.Elapsed())
	grouped := estimator.FromHistory(h)
	prior := priorOf(c, r.Page)
	seen := estimator.GridFromHistory(h)
	lately := estimator.GridOfWeeks(h, estimator.KeepPerDay)
	var buf [32]estimator.Observed
	weeks := estimator.Weeks(h, &buf)
	var clock estimator.Periodic
	for _, week := range weeks {
		clock.Observe(week)
	}
	corpus := seen.Posterior(&prior.Corpus)
	page, recent := seen.Posterior(prior.ofPage()), lately.Posterior(prior.ofPage())
	named := func(method string, e estimator.Estimate) estimator.Estimate {
		e.Method = method
		return e
	}
	all := []estimator.Estimate{
		estimator.NaiveEstimate(changes, intervals, days).At(age),
		estimator.BiasReducedEstimate(changes, intervals, days).At(age),
		estimator.LastModifiedEstimate(h, false).At(age),
		estimator.Interval(h, r.Interval, estimator.DefaultLimits).At(age),
		grouped.Estimate(intervals).At(age),
		grouped.SmoothedEstimate(intervals).At(age),
		c.Prior().Estimate(h, age),
		named("grid-corpus", corpus.Estimate(intervals, age)),
		named("grid-site", page.Estimate(intervals, age)),
		named("grid-weeks", recent.Estimate(len(weeks), age)),
		clock.Estimate(prior.ofPage(), age),
	}
	results := make([]estimate, len(all))
	for i, e := range all {
		results[i] = estimate{
			Method:       e.Method,
			RatePerDay:   e.RatePerDay,
			Low:          e.Low,
			High:         e.High,
			IntervalDays: estimator.Days(e.Interval),
			Probability:  e.Probability,
			Revisits:     e.Observations,
			Warning:      e.Warning,
		}
	}
	return results
}

const estimatesNote = "bias-reduced is the rate shown for a page; it counts one change a visit at most.\n" +
	"grid-corpus and grid-site use the visits of this page, " +
	"and a prior from the other pages of the corpus or site.\n" +
	"grid-weeks and periodic use the last 32 weeks, with one visit a week or none. " +
	"In grid-weeks a visit 69 days ago has half the weight of a new one."

func estimateTable(estimates []estimate) report.Table {
	t := report.Table{
		Title: "Estimates",
		Header: []string{
			"method", "changes a day", "95 % interval", "one each", "p(changed)", "rests on",
			"note",
		},
	}
	for _, x := range estimates {
		t.Rows = append(t.Rows, []string{
			x.Method,
			words.Significant(x.RatePerDay, 4),
			x.rateRange(),
			x.timeBetween(),
			fmt.Sprintf("%.3f", x.Probability),
			words.Plural(x.Revisits, "revisit"),
			x.Warning,
		})
	}
	return t
}

func (x *estimate) rateRange() string {
	switch {
	case x.Low == x.High:
		return "-"
	case x.High >= estimator.FastestRate:
		return words.Significant(x.Low, 4) + "..any"
	}
	return words.Significant(x.Low, 4) + ".." + words.Significant(x.High, 4)
}

func (x *estimate) timeBetween() string {
	if x.RatePerDay == 0 {
		return "-"
	}
	return words.Span(estimator.FromDays(x.IntervalDays))
}
