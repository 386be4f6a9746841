package papers

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/satstore/machine"
)

// SimulationOptions configure Simulate.
type SimulationOptions struct {
	Policies    []schedule.Policy
	Connections []int // nil: multiples of the bound
	Days        float64
	Delay       float64 // I_min in seconds
	Sets        []string
	AtOnce      int
	Step        func() // called after each simulated day of each run
}

// Sets of servers of [HIER fig. 6 and 7].
const (
	AllServers      = "all"
	FeasibleServers = "feasible"
)

// Simulation is the output of schedule simulate.
type Simulation struct {
	Source  string             `json:"source"`
	Days    float64            `json:"days"`
	Delay   float64            `json:"delay_s"`
	Numbers schedule.Published `json:"numbers"` // of the first web
	Webs    int                `json:"webs"`    // simulated webs; the spread is over them
	Sets    []SetResult        `json:"sets"`
	Claims  []Claim            `json:"claims,omitempty"`
}

// SetResult has the simulations of one set of servers.
type SetResult struct {
	Name    string  `json:"servers"`
	Servers int     `json:"number"`
	Need    Range   `json:"need"`  // sum of min(e/I, 1)
	Bound   int     `json:"bound"` // of the first web
	Ideal   Range   `json:"ideal"` // downloads in all
	Points  []Point `json:"points"`
}

// Point is one policy with one number of connections, over all webs.
type Point struct {
	Policy      string               `json:"policy"`
	Connections int                  `json:"connections"`
	Missed      Range                `json:"missed"`
	Share       Range                `json:"missed_share"` // of the periods
	PerDay      Range                `json:"downloads_per_day"`
	Mbps        Range                `json:"mbps"`
	Runs        []schedule.Simulated `json:"runs"` // one for each web
}

// multiples of the bound in a sweep.
var multiples = []float64{0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 10, 20, 30, 40}

// steps returns the connections of a sweep for a bound.
func steps(bound int) (all []int) {
	for _, m := range multiples {
		all = append(all, max(int(math.Round(m*float64(bound))), 1))
	}
	return slices.Compact(all)
}

// Simulate runs all policies with all numbers of connections on all webs, which are resamples or
// generated alike. It ends early only with the error of the context.
func Simulate(ctx context.Context, source string, webs []*schedule.Web, o SimulationOptions) (
	*Simulation, error) {
	least := schedule.Tick(math.Round(o.Delay * 1000))
	s := &Simulation{Source: source, Days: o.Days, Delay: o.Delay, Webs: len(webs),
		Numbers: webs[0].Numbers(least)}
	for _, set := range o.Sets {
		r, err := simulateSet(ctx, set, webs, least, o)
		if err != nil {
			return nil, err
		}
		s.Sets = append(s.Sets, *r)
	}
	return s, nil
}

func simulateSet(ctx context.Context, set string, webs []*schedule.Web, least schedule.Tick,
	o SimulationOptions) (*SetResult, error) {
	r := &SetResult{Name: set}
	of := make([]*schedule.Web, len(webs))
	var needs []float64
	for i, w := range webs {
		of[i] = w
		if set == FeasibleServers {
			of[i] = w.Feasible(least)
		}
		f := schedule.Classify(of[i].Demands(least), 0)
		needs = append(needs, f.Need)
		if i == 0 {
			r.Bound, r.Servers = f.Bound, len(of[i].Servers)
		}
	}
	r.Need = spreadOf(needs)
	connections := o.Connections
	if len(connections) == 0 {
		connections = steps(r.Bound)
	}
	for _, p := range o.Policies {
		for _, c := range connections {
			r.Points = append(r.Points, Point{Policy: p.Name(), Connections: c,
				Runs: make([]schedule.Simulated, len(webs))})
		}
	}
	var step sync.Mutex
	tick := func() {
		if o.Step != nil {
			step.Lock()
			defer step.Unlock()
			o.Step()
		}
	}
	err := machine.TryOnSome(o.AtOnce, len(r.Points)*len(webs), func(i int) error {
		p, web := &r.Points[i/len(webs)], i%len(webs)
		policy, err := schedule.PolicyNamed(p.Policy)
		if err != nil {
			return err
		}
		p.Runs[web], err = schedule.Simulate(ctx, of[web],
			schedule.SimulateOptions{Policy: policy, Connections: p.Connections, Least: least,
				Duration: schedule.Tick(o.Days * float64(schedule.Day)), Day: tick})
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range r.Points {
		r.Points[i].summarize()
	}
	r.Ideal = overRuns(r.Points[0].Runs, func(x *schedule.Simulated) float64 { return x.Ideal })
	return r, nil
}

// overRuns returns the spread of a number over runs.
func overRuns(runs []schedule.Simulated, of func(*schedule.Simulated) float64) Range {
	var all []float64
	for i := range runs {
		all = append(all, of(&runs[i]))
	}
	return spreadOf(all)
}

func (p *Point) summarize() {
	p.Missed = overRuns(p.Runs, func(x *schedule.Simulated) float64 { return float64(x.Missed) })
	p.Share = overRuns(p.Runs, func(x *schedule.Simulated) float64 {
		return float64(x.Missed) / float64(max(x.Periods, 1))
	})
	p.PerDay = overRuns(p.Runs, func(x *schedule.Simulated) float64 { return x.PerDay })
	p.Mbps = overRuns(p.Runs, func(x *schedule.Simulated) float64 { return x.Mbps })
}

// Complete sets defaults: in a sweep all policies and both sets of servers over two days, otherwise
// three times the bound over the paper's 300 days.
func (o *SimulationOptions) Complete(sweep bool, webs []*schedule.Web) {
	if sweep {
		o.Policies, o.Sets = schedule.Policies, []string{AllServers, FeasibleServers}
		if o.Days == 0 {
			o.Days = 2
		}
		return
	}
	if o.Days == 0 {
		o.Days = 300
	}
	if len(o.Connections) > 0 {
		return
	}
	least := schedule.Tick(math.Round(o.Delay * 1000))
	web := webs[0]
	if o.Sets[0] == FeasibleServers {
		web = web.Feasible(least)
	}
	o.Connections = []int{max(schedule.Ample*schedule.Classify(web.Demands(least), 0).Bound, 1)}
}

// Steps returns the most calls of Step.
func (o *SimulationOptions) Steps(webs int) int {
	n := len(o.Connections)
	if n == 0 {
		n = len(multiples)
	}
	return n * len(o.Policies) * len(o.Sets) * webs * int(math.Ceil(o.Days))
}
