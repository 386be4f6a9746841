package tune

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
)

// Load has the changes of a server.
type Load struct {
	Server  string
	Pages   int
	PerDay  float64 // changes a day: mean over the futures, or from visits (Watched)
	daily   [][]int // by future
	changes float64 // in all futures
}

func loads(futures [][]eval.ServerChanges) []Load {
	all := make([]Load, len(futures[0]))
	days := 0
	for _, future := range futures {
		for s, c := range future {
			l := &all[s]
			l.Server, l.Pages = c.Server, c.Pages
			l.daily = append(l.daily, c.Daily)
			for _, n := range c.Daily {
				l.changes += float64(n)
			}
			days = max(days, len(c.Daily))
		}
	}
	for s := range all {
		all[s].PerDay = all[s].changes / float64(max(days*len(futures), 1))
	}
	return all
}

// VisitsADay returns the possible visits to a server in a day with a delay between them; infinite
// without a delay.
func VisitsADay(delay time.Duration) float64 {
	if delay <= 0 {
		return math.Inf(1)
	}
	return float64(24*time.Hour) / float64(delay)
}

// Limits limits each server to the visits that a delay allows in a day; none without a delay.
func Limits(delay time.Duration) budget.Limits {
	if delay <= 0 {
		return budget.Limits{}
	}
	return budget.Limits{Servers: []budget.ServerLimit{
		{
			Pattern: "*",
			Limit: budget.Limit{
				Amount: math.Floor(VisitsADay(delay)),
				Unit:   budget.InFetches,
				Per:    planner.Day,
			},
		},
	}}
}

// Reach describes the limits by a delay between two visits to a server, for any budget. A visit
// finds at most one change, so changes beyond the possible visits are out of reach.
type Reach struct {
	Delay   time.Duration
	Visits  float64 // to a server in a day
	Crowded int     // servers with more pages than Visits: not all can be seen in a day
	Short   int     // servers with more changes than Visits in the long run
	Beyond  float64 // share of all changes that no order of visits finds in the long run
	Late    float64 // share of all changes that cannot be found on their day
}

// ReachOf counts over all futures.
func ReachOf(all []Load, delay time.Duration) Reach {
	r := Reach{Delay: delay, Visits: VisitsADay(delay)}
	total, beyond, late := 0.0, 0.0, 0.0
	for _, l := range all {
		if float64(l.Pages) > r.Visits {
			r.Crowded++
		}
		if l.PerDay > r.Visits {
			r.Short++
		}
		total += l.changes
		for _, days := range l.daily {
			sum := 0.0
			for _, n := range days {
				sum += float64(n)
				late += max(float64(n)-r.Visits, 0)
			}
			beyond += max(sum-r.Visits*float64(len(days)), 0)
		}
	}
	if total > 0 {
		r.Beyond, r.Late = beyond/total, late/total
	}
	return r
}

// Feasible returns the longest delay at which every server can be visited as often as it changes in
// the long run, and the limiting server. The delay is 24 hours divided by the most changes a day.
// It is infinite (the longest duration) without changes.
func Feasible(all []Load) (delay time.Duration, server string) {
	if len(all) == 0 {
		return math.MaxInt64, ""
	}
	busiest := slices.MaxFunc(all, func(a, b Load) int { return cmp.Compare(a.PerDay, b.PerDay) })
	if busiest.PerDay*float64(math.MaxInt64) <= float64(24*time.Hour) || busiest.PerDay == 0 {
		return math.MaxInt64, ""
	}
	return time.Duration(min(float64(24*time.Hour)/busiest.PerDay, math.MaxInt64/2)), busiest.Server
}

// Prompt returns the longest delay at which every page of every server can be seen each day, so
// that a shorter one gains nothing, and the limiting server.
func Prompt(all []Load) (delay time.Duration, server string) {
	if len(all) == 0 {
		return math.MaxInt64, ""
	}
	largest := slices.MaxFunc(all, func(a, b Load) int { return cmp.Compare(a.Pages, b.Pages) })
	return 24 * time.Hour / time.Duration(max(largest.Pages, 1)), largest.Server
}

// Busiest returns the servers with the most changes a day, without those that have none.
func Busiest(all []Load, most int) []Load {
	busy := slices.DeleteFunc(slices.Clone(all), func(l Load) bool { return l.PerDay == 0 })
	slices.SortStableFunc(
		busy,
		func(a, b Load) int {
			return cmp.Or(cmp.Compare(b.PerDay, a.PerDay),
				cmp.Compare(a.Server, b.Server))
		},
	)
	return busy[:min(most, len(busy))]
}
