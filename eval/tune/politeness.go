package tune

import (
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/budget"
)

// LongestDelay allows a server one visit a day, the least of a daily limit.
const LongestDelay = 24 * time.Hour

// Politeness describes the effect of delays.
type Politeness struct {
	Budget float64 `json:"budget"` // for the predicted coverage
	Delays []Delay `json:"delays"`
	// FeasibleSeconds is the longest delay at which each server can be visited as often as it
	// changes, PromptSeconds that at which each page can be seen each day; null: any.
	FeasibleSeconds eval.Number  `json:"feasible_seconds"`
	FeasibleServer  string       `json:"feasible_server"`
	PromptSeconds   eval.Number  `json:"prompt_seconds"`
	PromptServer    string       `json:"prompt_server"`
	Busiest         []BusyServer `json:"busiest"`
}

// Delay has the Reach with one delay between two visits to a server, and the coverage predicted
// with it.
type Delay struct {
	Seconds  float64     `json:"delay_seconds"`
	Visits   eval.Number `json:"visits_per_day"` // to one server; null: no limit
	Crowded  int         `json:"crowded_servers"`
	Short    int         `json:"short_servers"`
	Beyond   float64     `json:"beyond_reach"`
	Late     float64     `json:"late"`
	Coverage Range       `json:"coverage"`
}

// BusyServer is one of the servers with the most changes a day.
type BusyServer struct {
	Server  string      `json:"server"`
	Pages   int         `json:"pages"`
	PerDay  float64     `json:"changes_per_day"`
	Seconds eval.Number `json:"feasible_seconds"` // its own longest feasible delay
}

// shownBusiest is the number of busiest servers in a result.
const shownBusiest = 10

// Politeness examines a delay, half and twice of it, and where it begins to matter. If a server can
// be visited as often a day as it has pages, a shorter delay gains nothing. known is the prediction
// for the share with the delay, or nil. curve is Curve, perhaps with a report of its progress.
func (f *Forecast) Politeness(
	share float64,
	delay time.Duration,
	known *Point,
	curve func(budgets []float64, limits budget.Limits) ([]Point, error),
) (Politeness, error) {
	p := Politeness{Budget: share, Busiest: []BusyServer{}}
	feasible, by := Feasible(f.Changes)
	prompt, largest := Prompt(f.Changes)
	p.FeasibleSeconds, p.FeasibleServer = seconds(feasible), by
	p.PromptSeconds, p.PromptServer = seconds(prompt), largest
	var free []Point // without limits, or with limits that bind no server
	if known != nil && ReachOf(f.Changes, delay).Crowded == 0 {
		free = []Point{*known}
	}
	for _, d := range delaysToTry(delay, feasible, by != "") {
		reach := ReachOf(f.Changes, d)
		points := free
		switch {
		case known != nil && d == delay:
			points = []Point{*known}
		case reach.Crowded > 0 || free == nil:
			var err error
			if points, err = curve([]float64{share}, Limits(d)); err != nil {
				return p, err
			}
			if reach.Crowded == 0 {
				free = points
			}
		}
		p.Delays = append(p.Delays, Delay{
			Seconds:  d.Seconds(),
			Visits:   eval.Number(reach.Visits), // infinity becomes null
			Crowded:  reach.Crowded,
			Short:    reach.Short,
			Beyond:   reach.Beyond,
			Late:     reach.Late,
			Coverage: points[0].Coverage,
		})
	}
	for _, l := range Busiest(f.Changes, shownBusiest) {
		own, _ := Feasible([]Load{l})
		p.Busiest = append(p.Busiest, BusyServer{l.Server, l.Pages, l.PerDay, seconds(own)})
	}
	return p, nil
}

// mostDelays limits the delays that are examined.
const mostDelays = 5

// delaysToTry returns the delay, its neighbours and, if there is such a bound, those near the
// longest feasible one, ascending.
func delaysToTry(delay, feasible time.Duration, bound bool) []time.Duration {
	delays := []time.Duration{delay / 2, delay, 2 * delay}
	if bound {
		delays = append(delays, feasible, 2*feasible)
	}
	slices.Sort(delays)
	return slices.DeleteFunc(slices.Compact(delays), func(d time.Duration) bool {
		return d > LongestDelay
	})
}

// seconds returns a delay in seconds, undefined for the longest, which means any.
func seconds(d time.Duration) eval.Number {
	if d == math.MaxInt64 {
		return undefined
	}
	return eval.Number(d.Seconds())
}
