package papers

import (
	"fmt"
	"math"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// shortDays is the end of the second chart, which shows the steep part of the first.
const shortDays = 30

// name returns the name of one of the three distributions.
func name(r *papers.Intervals) string {
	if r.LastModified {
		return r.Unit + "s, dated"
	}
	return r.Unit + "s"
}

// perDay returns the number of units in a day.
func perDay(r *papers.Intervals) float64 {
	if r.Unit == "hour" {
		return 24
	}
	return 1
}

// at returns the plain and weighted shares of intervals up to a number of units.
func at(r *papers.Intervals, units float64) (share, weighted float64) {
	if len(r.Points) == 0 {
		return math.NaN(), math.NaN()
	}
	for _, p := range r.Points {
		if float64(p.Interval) > units {
			break
		}
		share, weighted = float64(p.Share), float64(p.Weighted)
	}
	return share, weighted
}

func tableIntervals(s *papers.Survey) report.Table {
	t := report.Table{
		Title:  "Pages by estimated access interval, cumulative, % [SAT fig. 2]",
		Header: []string{"up to"},
	}
	r := &s.Intervals[0]
	t.Note = fmt.Sprintf(
		"%s, visited daily for %s. %d of them never changed and have the longest interval.",
		words.Plural(r.Pages, "page"),
		words.Plural(r.Days, "day"),
		r.NeverChanged,
	)
	if r.VisitedOnce > 0 {
		t.Note += fmt.Sprintf(" Not counted: %s gone before the second visit.",
			words.Plural(r.VisitedOnce, "page"))
	}
	for i := range s.Intervals {
		t.Header = append(t.Header, name(&s.Intervals[i]), "weighted")
	}
	for _, mark := range []struct {
		name string
		days float64
	}{{"1 hour", 1. / 24}, {"6 hours", .25}, {"12 hours", .5}, {"1 day", 1}, {"2 days", 2},
		{"4 days", 4}, {"1 week", 7}, {"2 weeks", 14},
		{"30 days", 30}, {"90 days", 90}, {"180 days", 180}, {"400 days", 400}} {
		cells := []string{mark.name}
		for i := range s.Intervals {
			r := &s.Intervals[i]
			units := mark.days * perDay(r)
			if units < 1-1e-9 { // visits show nothing shorter than the unit
				cells = append(cells, "", "")
				continue
			}
			share, weighted := at(r, units+1e-9)
			cells = append(cells, tenths(100*share), tenths(100*weighted))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// figureIntervals returns a chart of cumulative shares up to a number of days; 0: without limit.
// Lines without weights are dashed.
func figureIntervals(s *papers.Survey, days float64) report.Chart {
	c := report.Chart{
		Title:    "Cumulative share of access intervals [SAT fig. 2]",
		XLabel:   "access interval, days",
		YLabel:   "cumulative share",
		YPercent: true,
	}
	if days > 0 {
		c.Title = fmt.Sprintf("Access intervals up to %.0f days [SAT fig. 2]", days)
	}
	for i := range s.Intervals {
		r := &s.Intervals[i]
		plain := report.Series{Name: name(r), Dashed: true}
		weighted := report.Series{Name: name(r) + ", weighted"}
		to := days
		if days == 0 {
			to = float64(r.Limit) / perDay(r)
		}
		step := func(x, share, due float64) {
			plain.X, plain.Y = append(plain.X, x), append(plain.Y, share)
			weighted.X, weighted.Y = append(weighted.X, x), append(weighted.Y, due)
		}
		var share, due float64
		for _, p := range r.Points {
			x := float64(p.Interval) / perDay(r)
			if x > to {
				break
			}
			step(x, share, due)
			share, due = float64(p.Share), float64(p.Weighted)
			step(x, share, due)
		}
		if len(r.Points) > 0 {
			step(to, share, due)
		}
		c.Series = append(c.Series, weighted, plain)
	}
	return c
}
