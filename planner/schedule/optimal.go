package schedule

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/estimator"
)

// optimal finds the intervals that keep most value. At the best, a tick of a connection is worth
// the same everywhere (price), and where a server is at its limit, a visit there has a price of its
// own on top. No page is visited more often than is wanted. Pages whose first visit is worth less
// than its price are dropped. The interval of a page falls as prices fall, so that both prices are
// found by bisection.
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

// visitPrice is the price of a visit to a server: that of the connection, or more if the server
// would be asked more often than it can.
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

// visitsAt is the rate of visits to a server where each has a price.
func visitsAt(d *Demand, price float64) (rate float64) {
	for _, p := range d.Pages {
		if interval := p.intervalAt(price); !math.IsInf(interval, 1) {
			rate += float64(p.count()) / interval
		}
	}
	return rate
}

// intervalAt is the interval at which one more visit to a page is worth its price, in ticks of good
// copies; at least the one wanted; infinite where no visit is worth it.
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

// Afford is the schedule that keeps most value with so many visits a day, 0 for any number, where
// no server is asked more often than it can answer, by its mean download. How many connections that
// takes it does not ask.
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
