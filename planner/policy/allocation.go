package policy

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// allocation gives each page the frequency of visits that is best for a measure within the budget,
// and visits it at even intervals. The page comes first that is furthest on in its interval: its
// score is frequency * age, 1 at the end of the interval. Each round solves the frequencies anew,
// for classes of rates 1 % apart, so that a round costs one pass over the pages.
type allocation struct {
	*pageRates
	perDay float64
	solve  func(classes []class, perDay float64)
	found  [rateClasses]float64 // frequency by class
}

// class has pages of about the same change rate.
type class struct {
	rate  float64 // changes a day, > 0
	pages float64
	visit float64 // visits a day of each page: the result
}

// Classes of rates begin at slowestClass, in steps of 1 %, and end past one change a minute.
const (
	slowestClass = 1e-6
	classStep    = 0.01
	rateClasses  = 2200
)

func classOf(rate float64) int {
	return min(max(int(math.Log(rate/slowestClass)/classStep+0.5), 0), rateClasses-1)
}

func newAllocation(s Settings, by *pageRates, solve func([]class, float64)) planner.Policy {
	a := &allocation{pageRates: by, perDay: s.PerDay, solve: solve}
	return &atIntervals{greedy: newGreedy(s, a), allocation: a}
}

// atIntervals visits pages at the frequencies of an allocation. A page is due shortly before the
// end of its interval. Of the pages due, or handed out early, the one furthest on in its interval
// is visited first.
type atIntervals struct {
	*greedy
	allocation *allocation
	used       [rateClasses]float64 // frequencies by which pages are due
}

// movedPart is the change of a class's frequency at which its pages get new due times.
const movedPart = 0.1

// Begin moves due times after new rates have changed what the budget allows.
func (a *atIntervals) Begin(r planner.Round) {
	a.greedy.Begin(r)
	moved := false
	var is [rateClasses]bool
	for i, now := range a.allocation.found {
		if math.Abs(now-a.used[i]) > movedPart*min(now, a.used[i]) {
			a.used[i], is[i], moved = now, true, true
		}
	}
	if !moved {
		return
	}
	for p := range sitegraph.PageID(a.Pages.Count()) {
		if m := a.Pages.Memory(p); m.State == sitegraph.StateAlive &&
			is[classOf(a.allocation.rate(p))] {
			due, _ := a.Due(p, r.Start)
			a.Pages.MoveDue(p, due.When)
		}
	}
}

// RanksAll returns false: the queue decides which pages are ranked.
func (*atIntervals) RanksAll() bool { return false }

func (a *atIntervals) Next() (planner.Visit, bool) {
	v, ok := a.greedy.Next()
	if ok && v.Value > 0 { // the finished share of its interval
		h := &a.Pages.Memory(v.Page).History
		interval := float64(h.Age(a.Pages.Round().End)) / v.Value
		v.Due = h.LastVisit().Add(time.Duration(min(interval, longestWait*float64(planner.Day))))
	}
	return v, ok
}

func (a *atIntervals) Due(p sitegraph.PageID, now time.Time) (planner.Due, time.Duration) {
	_, interval := a.greedy.Due(p, now)
	wait := 10.0 * longestWait // after all that the budget visits
	if perDay := a.allocation.score(p, 1); perDay > 0 {
		wait = min(early/perDay, longestWait)
	}
	return planner.Due{
		When:   a.Pages.Memory(p).History.LastVisit().Add(estimator.FromDays(wait)),
		Reason: planner.Because("the budget allows a visit to it each %s", wait/early),
	}, interval
}

func newFreshness(s Settings) planner.Policy {
	return newAllocation(s, smoothedRates(s.Pages), optimalFreshness)
}
func newTrueFreshness(s Settings) planner.Policy {
	return newAllocation(s, trueRates(s), optimalFreshness)
}
func newLambdaCrawl(s Settings) planner.Policy {
	return newAllocation(s, smoothedRates(s.Pages), lambdaCrawl)
}
func newBinaryLambdaCrawl(s Settings) planner.Policy {
	return newAllocation(s, smoothedRates(s.Pages), binaryLambdaCrawl)
}

func (a *allocation) begin(r planner.Round) {
	a.pageRates.begin(r)
	var count [rateClasses]float64
	pages := 0.0
	for p := range sitegraph.PageID(a.pages.Count()) {
		if a.pages.Memory(p).State != sitegraph.StateAlive || a.pages.Outside(p) {
			continue
		}
		pages++
		if rate := a.rate(p); rate > 0 {
			count[classOf(rate)]++
		}
	}
	var classes []class
	for i, n := range count {
		if n > 0 {
			classes = append(classes, class{rate: slowestClass * math.Exp(classStep*float64(i)),
				pages: n})
		}
	}
	perDay := a.perDay
	if !(perDay > 0) { // unknown, as in a sweep: each page once
		perDay = pages / max(estimator.Days(r.End.Sub(r.Start)), 1)
	}
	a.found = [rateClasses]float64{}
	if len(classes) > 0 {
		a.solve(classes, perDay)
	}
	for _, c := range classes {
		a.found[classOf(c.rate)] = c.visit
	}
}

func (a *allocation) score(p sitegraph.PageID, days float64) float64 {
	rate := a.rate(p)
	if !(rate > 0) {
		return 0
	}
	return a.found[classOf(rate)] * days
}

func (a *allocation) why(p sitegraph.PageID, days, score float64) planner.Reason {
	return planner.Because(
		"%.2g of its interval of %s is over, for %.3g changes a day",
		score,
		days/score,
		a.rate(p),
	)
}

// optimalFreshness maximises the mean share of fresh copies, for visits at even intervals (Cho and
// Garcia-Molina 2003). With x = rate/visit changes an interval, (1 - (1+x) exp(-x)) / rate is the
// same for all visited pages, and pages that are too fast for it get no visit.
func optimalFreshness(classes []class, perDay float64) {
	bisect(classes, perDay, func(c *class, price float64) {
		if c.visit = 0; price*c.rate < 1 {
			c.visit = c.rate / estimator.FreshAt(price*c.rate)
		}
	})
}

// lambdaCrawl minimises the expected harmonic number of unseen changes, for visits at random times
// (Kolobov et al. 2019): visit = (sqrt(rate^2 + 4 rate/price) - rate) / 2. It visits every page
// with a rate.
func lambdaCrawl(classes []class, perDay float64) {
	bisect(classes, perDay, func(c *class, price float64) {
		c.visit = 2 / price / (1 + math.Sqrt(1+4/(c.rate*price)))
	})
}

// bisect finds the price at which the visits, which fall with it, sum to the budget. The visits of
// a class at the edge of being left out may fall by a step within the last digit of the price. Then
// the budget decides their number.
func bisect(classes []class, perDay float64, at func(c *class, price float64)) {
	total := func(price float64) (sum float64) {
		for i := range classes {
			at(&classes[i], price)
			sum += classes[i].pages * classes[i].visit
		}
		return sum
	}
	low, high := 1e-12, 1e12
	for range 100 { // on a logarithmic scale
		price := math.Sqrt(low * high)
		if total(price) > perDay {
			low = price
		} else {
			high = price
		}
		if high/low < 1+1e-12 {
			break
		}
	}
	above, below := total(low), total(high)
	share := 0.0
	if above > below {
		share = min(max((perDay-below)/(above-below), 0), 1)
	}
	for i := range classes {
		c := &classes[i]
		least := c.visit
		at(c, low)
		c.visit = least + share*(c.visit-least)
	}
}

// binaryLambdaCrawl maximises the share of fresh copies, for visits at random times (Azar et al.
// 2018): visit = sqrt(rate) (budget + sum of rates) / sum of sqrt(rates) - rate over the pages for
// which that is positive; the fastest get no visit.
func binaryLambdaCrawl(classes []class, perDay float64) {
	var roots, sum float64
	for _, c := range classes {
		roots += c.pages * math.Sqrt(c.rate)
		sum += c.pages * c.rate
	}
	for i := len(classes) - 1; i >= 0; i-- { // rates rise from class to class
		c := &classes[i]
		scale := (perDay + sum) / roots
		if c.visit = math.Sqrt(c.rate)*scale - c.rate; c.visit > 0 {
			for j := range i {
				classes[j].visit = math.Sqrt(classes[j].rate)*scale - classes[j].rate
			}
			return
		}
		c.visit = 0
		roots -= c.pages * math.Sqrt(c.rate)
		sum -= c.pages * c.rate
	}
}
