package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator"
)

// Limits are the limits of a corrected schedule.
type Limits struct {
	Connections int // of the pool; 0: no bound
	// Headroom is the share of the connections that the need may take; 0 means 1/3, with which no
	// period is missed [HIER 3.2], and 1 the bound itself.
	Headroom float64
	Guard    Guard // of servers
}

func (l *Limits) pool() float64 {
	if l.Connections == 0 {
		return math.Inf(1)
	}
	if l.Headroom == 0 {
		return float64(l.Connections) / Ample
	}
	return float64(l.Connections) * l.Headroom
}

// Correction is a schedule that can be kept, and its cost. A lower level never makes one by itself:
// it returns to the level that sets the intervals of pages [HIER 2.1].
type Correction struct {
	Name string `json:"name"`
	// Parameter is the factor of the intervals, or their lower limit in seconds, or the pages
	// dropped, or the price of a second of a connection.
	Parameter float64 `json:"parameter"`
	Unit      string  `json:"unit"`
	Need      float64 `json:"need"` // sum of min(e/I, 1) afterwards
	Bound     int     `json:"bound"`
	Visits    float64 `json:"visits_per_day"` // that are left
	Lost      float64 `json:"lost_per_day"`   // that are given up
	Dropped   int     `json:"dropped"`        // pages that are no longer visited
	// Value is what is left, in pages with a good copy, by weight.
	Value     float64 `json:"value"`
	LostValue float64 `json:"lost_value"`
	Kept      bool    `json:"kept"` // all limits are kept

	Demands []Demand `json:"-"` // corrected demands
}

// Correct makes all corrections, the one that loses least value first. Without need of any each of
// them changes nothing.
//
//	stretch       all intervals times one factor ([HIER 3.2]: twice as long)
//	stretch-each  those of each server times its own, and at least one factor for all
//	floor         a lower limit of all intervals ([HIER 3.2]: two days)
//	drop          pages of the least value for a second of a connection are left out
//	optimal       the most value that the limits allow, as PoliteBinaryLambdaCrawl (Kolobov et al.
//	              2019) finds it, with a price for each server that is at its limit; for visits at
//	              even intervals (Cho and Garcia-Molina 2003)
func Correct(demands []Demand, l Limits) []Correction {
	c := corrector{demands: demands, Limits: l}
	all := []Correction{c.stretch(), c.stretchEach(), c.floor(), c.drop(), c.optimal()}
	slices.SortStableFunc(all, func(a, b Correction) int {
		return cmp.Compare(a.LostValue, b.LostValue)
	})
	return all
}

type corrector struct {
	demands []Demand
	Limits
	visits float64 // instead of the pool: visits a tick, if each download takes a tick
}

// pool returns how many connections all servers together may need.
func (c *corrector) pool() float64 {
	if c.visits > 0 {
		return c.visits
	}
	return c.Limits.pool()
}

// least returns the shortest interval that a server can keep.
func (c *corrector) least(d *Demand) float64 { return float64(d.Cycle(c.Guard)) }

func rateOf(d *Demand) (sum float64) {
	for _, p := range d.Pages {
		sum += p.rate()
	}
	return sum
}

// need returns the connections that demands with changed intervals take.
func need(demands []Demand) (sum float64) {
	for i := range demands {
		d := &demands[i]
		sum += min(float64(d.Times.Mean)*rateOf(d), 1)
	}
	return sum
}

// slack lets a limit be kept in spite of rounding.
const slack = 1 + 1e-9

func (c *corrector) fits(demands []Demand) bool {
	for i := range demands {
		if rateOf(&demands[i])*c.least(&demands[i]) > slack {
			return false
		}
	}
	return need(demands) <= c.pool()*slack
}

// with applies a change to all pages; interval 0 drops them.
func (c *corrector) with(change func(i int, p Pages) Pages) []Demand {
	out := slices.Clone(c.demands)
	for i := range out {
		out[i].Pages = make([]Pages, 0, len(c.demands[i].Pages))
		for _, p := range c.demands[i].Pages {
			if p.Interval < 1 {
				continue // no visits wanted, and no correction wants more
			}
			p.Change = p.change()
			if q := change(i, p); q.Interval > 0 {
				out[i].Pages = append(out[i].Pages, q)
			}
		}
	}
	return out
}

func stretched(p Pages, factor float64) Pages {
	p.Interval = Tick(min(math.Ceil(float64(p.Interval)*factor), math.MaxInt64/2))
	return p
}

func (c *corrector) result(name, unit string, parameter float64, demands []Demand) Correction {
	r := Correction{Name: name, Parameter: parameter, Unit: unit, Demands: demands,
		Need: need(demands), Kept: c.fits(demands)}
	r.Bound = int(math.Ceil(r.Need))
	for i := range demands {
		before, after := &c.demands[i], &demands[i]
		r.Visits += visitsADay(rateOf(after))
		r.Lost += visitsADay(rateOf(before)) - visitsADay(rateOf(after))
		r.Dropped += before.Number() - after.Number()
		v := after.value()
		r.Value += v
		r.LostValue += before.value() - v
	}
	r.LostValue = max(r.LostValue, 0)
	return r
}

func (c *corrector) stretch() Correction {
	own := 1.0 // factor of the server in the greatest need
	for i := range c.demands {
		own = max(own, rateOf(&c.demands[i])*c.least(&c.demands[i]))
	}
	f := c.poolFactor(func(int) float64 { return own })
	return c.result("stretch", "times", f, c.with(func(_ int, p Pages) Pages {
		return stretched(p, f)
	}))
}

func (c *corrector) stretchEach() Correction {
	of := make([]float64, len(c.demands))
	for i := range c.demands {
		of[i] = max(1, rateOf(&c.demands[i])*c.least(&c.demands[i]))
	}
	f := c.poolFactor(func(i int) float64 { return of[i] })
	return c.result("stretch-each", "times", f, c.with(func(i int, p Pages) Pages {
		return stretched(p, max(f, of[i]))
	}))
}

// poolFactor returns the least factor of all intervals with which the pool suffices, if each server
// has at least its own.
func (c *corrector) poolFactor(own func(server int) float64) float64 {
	least := math.Inf(1)
	for i := range c.demands {
		least = min(least, own(i))
	}
	if math.IsInf(least, 1) {
		return 1 // no servers
	}
	fits := func(f float64) bool {
		sum := 0.0
		for i := range c.demands {
			d := &c.demands[i]
			sum += min(float64(d.Times.Mean)*rateOf(d)/max(f, own(i)), 1)
		}
		return sum <= c.pool()
	}
	if fits(least) {
		return least
	}
	low, high := least, 1e12
	for range 60 {
		if mid := math.Sqrt(low * high); fits(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

func (c *corrector) floor() Correction {
	at := func(least Tick) []Demand {
		return c.with(func(_ int, p Pages) Pages { p.Interval = max(p.Interval, least); return p })
	}
	low, high := Tick(0), Tick(1)
	if !c.fits(c.demands) {
		for !c.fits(at(high)) && high < 1<<50 {
			low, high = high, high*2
		}
		for high-low > max(low/10_000, 1) {
			if mid := low + (high-low)/2; c.fits(at(mid)) {
				high = mid
			} else {
				low = mid
			}
		}
	}
	return c.result("floor", "s", high.Seconds(), at(high))
}

// dropOrder drops pages until a server keeps a rate, those of the least value for a visit first. It
// calls drop with the group, the number and the value of each. It returns the lost rate and value.
func (d *Demand) dropOrder(most float64, drop func(group, count int, value float64)) (
	rate, value float64) {
	left := rateOf(d)
	for _, g := range d.byWorth() {
		if left <= most*slack {
			break
		}
		p := d.Pages[g]
		one := 1 / float64(p.Interval)
		n := min(p.count(), int(math.Ceil((left-most)/one-1e-9)))
		if n < 1 {
			continue
		}
		worth := p.value(float64(p.Interval)) / float64(p.count()) * float64(n)
		drop(g, n, worth)
		left -= one * float64(n)
		rate, value = rate+one*float64(n), value+worth
	}
	return rate, value
}

// byWorth orders the groups of visited pages by the worth of a visit, least first.
func (d *Demand) byWorth() []int {
	var order []int
	for g, p := range d.Pages {
		if p.Interval > 0 {
			order = append(order, g)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(d.Pages[a].worth(), d.Pages[b].worth())
	})
	return order
}

// worth returns the worth of a visit.
func (p Pages) worth() float64 { return p.value(float64(p.Interval)) / p.rate() }

func (c *corrector) drop() Correction {
	type group struct {
		server, index int
		worth         float64 // of a tick of a connection
	}
	left := make([][]int, len(c.demands))
	var groups []group
	dropped, sum := 0, 0.0
	for i := range c.demands {
		d := &c.demands[i]
		left[i] = make([]int, len(d.Pages))
		for g, p := range d.Pages {
			left[i][g] = p.count()
			if p.Interval > 0 && d.Times.Mean > 0 {
				groups = append(groups, group{i, g, p.worth() / float64(d.Times.Mean)})
			}
		}
		lost, _ := d.dropOrder(1/c.least(d), func(g, n int, _ float64) {
			left[i][g] -= n
			dropped += n
		})
		sum += min(float64(d.Times.Mean)*(rateOf(d)-lost), 1)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.worth, b.worth) })
	for _, g := range groups {
		if sum <= c.pool()*slack {
			break
		}
		d := &c.demands[g.server]
		one := float64(d.Times.Mean) / float64(d.Pages[g.index].Interval)
		n := min(left[g.server][g.index], int(math.Ceil((sum-c.pool())/one-1e-9)))
		left[g.server][g.index] -= n
		dropped += n
		sum -= one * float64(n)
	}
	out := slices.Clone(c.demands)
	for i := range out {
		out[i].Pages = nil
		for g, p := range c.demands[i].Pages {
			if p.Change = p.change(); left[i][g] > 0 && p.Interval > 0 {
				p.Count = left[i][g]
				out[i].Pages = append(out[i].Pages, p)
			}
		}
	}
	return c.result("drop", "pages", float64(dropped), out)
}

// optimal finds the intervals that keep most value. At the optimum, a tick of a connection has the
// same worth everywhere (price), and visits to a server at its limit have an additional price. No
// page is visited more often than wanted. Pages whose first visit is worth less than its price are
// dropped. The interval of a page falls as prices fall, so bisection finds both prices.
func (c *corrector) optimal() Correction {
	used := func(price float64) (sum float64) {
		for i := range c.demands {
			d := &c.demands[i]
			visit := c.visitPrice(d, price)
			sum += min(float64(d.Times.Mean)*visitsAt(d, visit), 1)
		}
		return sum
	}
	price := 0.0
	if pool := c.pool(); used(0) > pool*slack {
		low, high := 1e-15, 1e15
		for range 70 {
			if mid := math.Sqrt(low * high); used(mid) > pool {
				low = mid
			} else {
				high = mid
			}
		}
		price = high
	}
	out := make([]float64, len(c.demands))
	for i := range c.demands {
		out[i] = c.visitPrice(&c.demands[i], price)
	}
	return c.result("optimal", "price of a connection for a day", price*float64(Day),
		c.with(func(i int, p Pages) Pages {
			if interval := p.intervalAt(out[i]); math.IsInf(interval, 1) {
				p.Interval = 0
			} else {
				p.Interval = Tick(math.Ceil(interval))
			}
			return p
		}))
}

// visitPrice returns the price of a visit to a server: that of the connection, or more if the
// server would otherwise be asked too often.
func (c *corrector) visitPrice(d *Demand, price float64) float64 {
	at := price * float64(d.Times.Mean)
	most := 1 / c.least(d)
	if visitsAt(d, at) <= most*slack {
		return at
	}
	low, high := max(at, 1e-12), 1e18
	for range 60 {
		if mid := math.Sqrt(low * high); visitsAt(d, mid) > most {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// visitsAt returns the rate of visits to a server at a price for each.
func visitsAt(d *Demand, price float64) (rate float64) {
	for _, p := range d.Pages {
		if interval := p.intervalAt(price); !math.IsInf(interval, 1) {
			rate += float64(p.count()) / interval
		}
	}
	return rate
}

// intervalAt returns the interval at which one more visit to a page is worth its price, in ticks of
// good copies: at least the wanted one; infinite if no visit is worth it.
func (p Pages) intervalAt(price float64) float64 {
	if p.Interval < 1 {
		return math.Inf(1)
	}
	y := price / (p.weight() * float64(p.change()))
	switch {
	case y >= 1:
		return math.Inf(1)
	case y <= 0:
		return float64(p.Interval)
	}
	return max(float64(p.Interval), estimator.FreshAt(y)*float64(p.change()))
}

// Afford returns the schedule that keeps most value with perDay visits a day, 0 for any number. No
// server is asked more often than it can answer, by its mean download. It ignores the number of
// connections.
func Afford(demands []Demand, perDay float64) Correction {
	each := slices.Clone(demands)
	for i := range each {
		each[i].Least, each[i].Times = demands[i].Cycle(Usual)-1, Times{Mean: 1, Max: 1}
	}
	c := corrector{demands: each, Limits: Limits{Guard: Usual}, visits: perDay / float64(Day)}
	r := c.optimal()
	r.Name, r.Unit = "afford", "price of a visit"
	return r
}
