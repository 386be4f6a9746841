package schedule

// Class is the reason why the interval of a server can or cannot be kept.
type Class uint8

const (
	ClassUnknown    Class = iota
	Feasible              // nothing is in the way
	PoolBound             // it could be kept, but there are too few connections for all
	Steady                // the mean download takes longer than I: e/I > 1 [HIER 3.1]
	Temporary             // the longest download takes longer than I
	PolitenessBound       // 1/L < I_min + e: politeness and the visit take longer
	Classes               // their number
)

var classNames = [...]string{"unknown", "feasible", "pool-bound", "steadily infeasible",
	"temporarily infeasible", "politeness-bound", "?"}

func (c Class) String() string { return classNames[min(c, Classes)] }

// MarshalText returns the name, for JSON.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Infeasible reports whether the reason is the server, so that more connections do not help it.
func (c Class) Infeasible() bool { return c == Steady || c == Temporary || c == PolitenessBound }

// Verdict is the result for the demand of one server.
type Verdict struct {
	Class    Class   `json:"class"`
	Interval Tick    `json:"interval_ms"`      // I; 0: no visits wanted
	Mean     float64 `json:"utilisation_mean"` // e/I by the mean download
	Max      float64 `json:"utilisation_max"`  // e/I by the longest download
	Wanted   float64 `json:"wanted_per_day"`   // visits
	Lost     float64 `json:"lost_per_day"`     // of these, at least, because of the server
	// LostValue is the loss if all intervals of the server become longer by one factor: pages times
	// weight times the share of time in which the copy is no longer good. Value is that of all
	// visits.
	LostValue float64 `json:"lost_value"`
	Value     float64 `json:"value"`
}

// Judge puts a server into a class, as if it were alone. The paper's infeasible servers are those
// of the classes Steady and Temporary. There the time of downloads comes first, since no agreement
// on the delay would help.
func Judge(d *Demand) Verdict {
	load := d.Load()
	v := Verdict{Class: Feasible, Interval: AccessInterval(load, d.Least),
		Wanted: visitsADay(float64(load) / rateOne), Value: d.value()}
	if v.Interval == 0 {
		return v
	}
	v.Mean = float64(d.Times.Mean) / float64(v.Interval)
	v.Max = float64(d.Times.Max) / float64(v.Interval)
	most := d.Cycle(Usual)
	if stretch := float64(most) / float64(load.Interval()); stretch > 1 {
		v.lose(d, stretch)
	}
	switch {
	case v.Mean > 1:
		v.Class = Steady
	case v.Max > 1:
		v.Class = Temporary
	case load.Interval() < most:
		v.Class = PolitenessBound
	}
	return v
}

func visitsADay(perTick float64) float64 { return perTick * float64(Day) }

// Feasibility is the verdict on all servers together.
type Feasibility struct {
	Connections int               `json:"connections"`
	Need        float64           `json:"need"`           // sum of min(e/I, 1)
	Bound       int               `json:"bound"`          // that, rounded up [HIER eq. 4]
	FeasibleOf  float64           `json:"need_feasible"`  // of servers that are not infeasible
	BoundOf     int               `json:"bound_feasible"` // that, rounded up
	Totals      [Classes]Total    `json:"-"`
	ByClass     map[string]*Total `json:"classes"`
	Verdicts    []Verdict         `json:"-"` // of each server, in the order of the demands
}

// Total sums the servers of a class.
type Total struct {
	Servers   int     `json:"servers"`
	Wanted    float64 `json:"wanted_per_day"`
	Lost      float64 `json:"lost_per_day"`
	Value     float64 `json:"value"`
	LostValue float64 `json:"lost_value"`
}

func (t *Total) add(v *Verdict) {
	t.Servers++
	t.Wanted += v.Wanted
	t.Lost += v.Lost
	t.Value += v.Value
	t.LostValue += v.LostValue
}

// Classify judges all servers for a pool of connections; 0: no bound. If the feasible ones need
// more than the pool has, all of them are pool-bound, and lose the same share of their visits: the
// policy decides which really do.
func Classify(demands []Demand, connections int) *Feasibility {
	f := &Feasibility{Connections: connections, ByClass: map[string]*Total{},
		Verdicts: make([]Verdict, len(demands))}
	var all, feasible Share
	for i := range demands {
		v := Judge(&demands[i])
		f.Verdicts[i] = v
		share := ShareOf(demands[i].Times.Mean, v.Interval)
		all += share
		if v.Class != Steady && v.Class != Temporary {
			feasible += share
		}
	}
	f.Need, f.Bound, f.FeasibleOf, f.BoundOf = all.Connections(), all.Ceil(),
		feasible.Connections(), feasible.Ceil()
	f.shareAddresses(demands)
	stretch := 1.0
	if connections > 0 {
		stretch = f.Need / float64(connections)
	}
	for i := range f.Verdicts {
		v := &f.Verdicts[i]
		if v.Class == Feasible && stretch > 1 && v.Interval > 0 {
			v.Class = PoolBound
			v.lose(&demands[i], stretch)
		}
		f.Totals[v.Class].add(v)
	}
	for c := Feasible; c < Classes; c++ {
		f.ByClass[c.String()] = &f.Totals[c]
	}
	return f
}

// shareAddresses finds the servers that together ask more of an address than politeness allows,
// although each alone does not: they take turns there.
func (f *Feasibility) shareAddresses(demands []Demand) {
	busy, servers := map[string]float64{}, map[string]int{}
	for i := range demands {
		if d := &demands[i]; d.Address != "" {
			servers[d.Address]++
			busy[d.Address] += float64(d.Load()) / rateOne * float64(d.Cycle(Usual))
		}
	}
	for i := range f.Verdicts {
		d, v := &demands[i], &f.Verdicts[i]
		if stretch := busy[d.Address]; v.Class == Feasible && v.Interval > 0 &&
			servers[d.Address] > 1 && stretch > 1 {
			v.Class = PolitenessBound
			v.lose(d, stretch)
		}
	}
}

// lose computes the loss if all intervals of a server become longer by a factor.
func (v *Verdict) lose(d *Demand, stretch float64) {
	v.Lost = v.Wanted * (1 - 1/stretch)
	v.LostValue = v.Value
	for _, p := range d.Pages {
		v.LostValue -= p.value(float64(p.Interval) * stretch)
	}
}

// Ample is the number of connections, as a multiple of the bound, that EDF and FREQ needed to miss
// no period in the simulation of [HIER 3.2].
const Ample = 3

// Cure is one change that would let the interval of a server be kept.
type Cure struct {
	What string `json:"what"`
	// Value is the size of the change, in Unit.
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Visits is how many visits a day it would add or, if negative, give up.
	Visits float64 `json:"visits_per_day"`
	// Worth is the worth of these visits, in pages with a good copy.
	Worth float64 `json:"worth"`
}

// Cures returns the changes that would help a server, each by itself; nil for a feasible one.
// connections is how many more all servers together need.
func Cures(d *Demand, v *Verdict, connections int) []Cure {
	if v.Class == Feasible || v.Class == ClassUnknown {
		return nil
	}
	if v.Class == PoolBound {
		return []Cure{{"more connections for all", float64(connections), "connections", v.Lost,
			v.LostValue}}
	}
	var all []Cure
	whole, by := d.Load().Interval(), Usual
	if v.Class == Temporary {
		by = Longest
	}
	if v.Class == PolitenessBound && whole > d.Times.Mean {
		all = append(all, Cure{"a shorter delay, by agreement with the site",
			(whole - d.Times.Mean).Seconds(), "s between visits", v.Lost, v.LostValue})
	}
	stretch := max(float64(d.Cycle(by))/float64(whole), 1)
	longer, fewer := Cure{"longer intervals, all alike", stretch, "times as long",
		-v.Wanted * (1 - 1/stretch), 0}, 0
	excess, lost := d.dropOrder(1/float64(d.Cycle(by)), func(_, count int, _ float64) {
		fewer += count
	})
	for _, p := range d.Pages {
		longer.Worth -= p.value(float64(p.Interval)) - p.value(float64(p.Interval)*stretch)
	}
	return append(all, longer,
		Cure{"fewer pages, the least valuable left out", float64(fewer), "pages",
			-visitsADay(excess), -lost},
		Cure{"less budget there, for other servers", visitsADay(excess), "visits a day",
			-visitsADay(excess), 0})
}
