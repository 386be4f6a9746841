package tune

import (
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/budget"
)

// LongestDelay leaves a server one visit a day, the least that a limit by day can say.
const LongestDelay = 24 * time.Hour

// Politeness is what delays leave within reach.
type Politeness struct {
	Budget float64 `json:"budget"` // at which coverage was predicted
	Delays []Delay `json:"delays"`
	// FeasibleSeconds is the longest delay at which each server can be visited as often as it
	// changes, PromptSeconds that at which each page can be seen each day; null: any.
	FeasibleSeconds eval.Number  `json:"feasible_seconds"`
	FeasibleServer  string       `json:"feasible_server"`
	PromptSeconds   eval.Number  `json:"prompt_seconds"`
	PromptServer    string       `json:"prompt_server"`
	Busiest         []BusyServer `json:"busiest"`
}

// Delay is what one delay between two visits to a server leaves within reach, as Reach has it, and
// the coverage predicted with it.
type Delay struct {
	Seconds  float64     `json:"delay_seconds"`
	Visits   eval.Number `json:"visits_per_day"` // to one server; null: no bound
	Crowded  int         `json:"crowded_servers"`
	Short    int         `json:"short_servers"`
	Beyond   float64     `json:"beyond_reach"`
	Late     float64     `json:"late"`
	Coverage Range       `json:"coverage"`
}

// BusyServer is one of those with the most changes a day.
type BusyServer struct {
	Server  string      `json:"server"`
	Pages   int         `json:"pages"`
	PerDay  float64     `json:"changes_per_day"`
	Seconds eval.Number `json:"feasible_seconds"` // its own longest feasible delay
}

// shownBusiest is how many of the busiest servers are named.
const shownBusiest = 10

// Politeness looks at a delay, half of it and twice it, and at where it begins to matter. Where a
// server can be visited as often a day as it has pages, a shorter delay buys nothing. known is what
// the share buys under the delay; nil: that was not predicted. curve is Curve, or tells besides how
// far it is.
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
	var free []Point // without limits, or limits that bind no server
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
			Visits:   eval.Number(reach.Visits), // infinite is null
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

// mostDelays is how many delays are looked at, at most.
const mostDelays = 5

// delaysToTry are the delay, its neighbours, and those about the longest feasible one if there is
// such a bound, from short to long.
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

// seconds of a delay; undefined for the longest, which stands for any.
func seconds(d time.Duration) eval.Number {
	if d == math.MaxInt64 {
		return undefined
	}
	return eval.Number(d.Seconds())
}
