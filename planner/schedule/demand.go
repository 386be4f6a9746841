package schedule

import "github.com/recrawl/recrawl/estimator"

// Demand is the demand for visits to a server, and the known facts about it.
type Demand struct {
	Name string
	// Address is where the server is asked; "": its own. Servers of one address take turns.
	Address string
	Least   Tick  // I_min, the least time between the end of a visit and the next
	Times   Times // of its downloads
	Pages   []Pages
}

// Pages are pages of a server with the same demand.
type Pages struct {
	Count    int     // 0 means 1
	Interval Tick    // between two visits; 0: none wanted
	Change   Tick    // mean time between changes; 0: the interval
	Weight   float64 // of a change; 0 means 1
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

// rate returns the rate of all of them, in visits a tick.
func (p Pages) rate() float64 {
	if p.Interval < 1 {
		return 0
	}
	return float64(p.count()) / float64(p.Interval)
}

// value returns the worth of visits at an interval: the share of time in which copies are good,
// times weight, summed over the pages. 0 for no visits.
func (p Pages) value(interval float64) float64 {
	if !(interval > 0) || p.Interval < 1 {
		return 0
	}
	return float64(p.count()) * p.weight() * estimator.Freshness(interval/float64(p.change()))
}

// Load returns L [HIER eq. 2]: the sum of the rates of all pages.
func (d *Demand) Load() (load Rate) {
	for _, p := range d.Pages {
		load += RateOf(p.Interval) * Rate(p.count())
	}
	return load
}

// Interval returns I [HIER eq. 3]; 0 if no visits are wanted.
func (d *Demand) Interval() Tick { return AccessInterval(d.Load(), d.Least) }

// Number returns how many pages are wanted.
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

// Server returns the server of a demand for a scheduler.
func (d *Demand) Server() Server { return Server{Load: d.Load(), Least: d.Least, Times: d.Times} }

// Cycle returns the least time from the start of one visit to the start of the next that a server
// can keep. It is e + I_min, by the mean or the longest download.
func (d *Demand) Cycle(by Guard) Tick {
	if by == Longest {
		return max(d.Times.Max+d.Least, 1)
	}
	return max(d.Times.Mean+d.Least, 1)
}

// Guard selects the downloads for which a schedule must leave room.
type Guard uint8

const (
	Longest Guard = iota // each one: no period is lost to a long one
	Usual                // the mean one: a long one loses periods now and then
)
