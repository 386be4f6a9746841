package schedule

import "github.com/recrawl/recrawl/estimator"

// Demand is all that is wanted of a server, and what is known of it.
type Demand struct {
	Name string
	// Address is where the server is asked; "": its own. Servers of one address take turns.
	Address string
	Least   Tick  // I_min, that politeness demands between the end of a visit and the next
	Times   Times // of its downloads
	Pages   []Pages
}

// Pages are pages of a server of which the same is wanted.
type Pages struct {
	Count    int     // 0 stands for 1
	Interval Tick    // between two visits; 0: none are wanted
	Change   Tick    // mean time between changes; 0: the interval is
	Weight   float64 // of a change; 0 stands for 1
}

func (p Pages) count() int { return max(p.Count, 1) }

func (p Pages) weight() float64 {
	if p.Weight == 0 {
		return 1
	}
	return p.Weight
}

func (p Pages) change() Tick {
	if p.Change == 0 {
		return p.Interval
	}
	return p.Change
}

// rate is of all of them, in visits a tick.
func (p Pages) rate() float64 {
	if p.Interval < 1 {
		return 0
	}
	return float64(p.count()) / float64(p.Interval)
}

// value is the part of the time in which copies are good, times weight, summed over the pages: what
// visits at an interval are worth. 0 for no visits.
func (p Pages) value(interval float64) float64 {
	if !(interval > 0) || p.Interval < 1 {
		return 0
	}
	return float64(p.count()) * p.weight() * estimator.Freshness(interval/float64(p.change()))
}

// Load is L [HIER eq. 2].
func (d *Demand) Load() (load Rate) {
	for _, p := range d.Pages {
		load += RateOf(p.Interval) * Rate(p.count())
	}
	return load
}

// Interval is I [HIER eq. 3]; 0 if nothing is wanted.
func (d *Demand) Interval() Tick { return AccessInterval(d.Load(), d.Least) }

// Number is how many pages are wanted.
func (d *Demand) Number() (n int) {
	for _, p := range d.Pages {
		if p.Interval > 0 {
			n += p.count()
		}
	}
	return n
}

func (d *Demand) value() (sum float64) {
	for _, p := range d.Pages {
		sum += p.value(float64(p.Interval))
	}
	return sum
}

// Server is what a scheduler is told of it.
func (d *Demand) Server() Server { return Server{Load: d.Load(), Least: d.Least, Times: d.Times} }

// Cycle is the least time from the start of one visit to the start of the next that a server can
// keep up: e + I_min, by the mean or the longest download.
func (d *Demand) Cycle(by Guard) Tick {
	if by == Longest {
		return max(d.Times.Max+d.Least, 1)
	}
	return max(d.Times.Mean+d.Least, 1)
}

// Guard says which downloads a schedule must leave room for.
type Guard uint8

const (
	Longest Guard = iota // each one: no period is lost to a long one
	Usual                // the mean one: a long one costs periods now and then
)
