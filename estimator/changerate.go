package estimator

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// ChangeRate is how often a page changes, or several pages together, as seen by visits. It is the
// only figure of this kind that users see; the expectations of a policy may use more. The zero
// value is the rate of pages without a second visit.
type ChangeRate struct {
	Revisits int // visits that compared a page with an earlier copy
	Changes  int // of these, visits that saw a change

	perDay float64 // sum over the pages
	beyond float64 // part of perDay: pages that may change more often than they are visited
	full   float64 // like perDay, without the bound of one change a visit: BiasReduced
	seen   float64 // like perDay, of seen changes alone: Naive
	page   float64 // sums: pages, and days from first to last visit
	days   float64
}

// knownFrom is the number of changes from which a rate is known. The 95 % interval of a single
// change has ends that differ by a factor of 200, and after two visits a minute apart the rate
// would be 1,440 a day.
const knownFrom = 2

// Seen returns how often the page of a history changes: BiasReduced, or 0 if no visit saw a change.
// It returns at most one change a visit, since visits cannot see more. A page that changes at each
// visit and one that changes ten times as often look the same.
func Seen(h sitegraph.History) ChangeRate {
	if h.Visits < 2 {
		return ChangeRate{}
	}
	revisits, changes, days := int(h.Visits)-1, int(h.Changes), Days(h.Elapsed())
	c := ChangeRate{Revisits: revisits, Changes: min(changes, revisits), page: 1, days: days,
		full: BiasReduced(changes, revisits, days), seen: Naive(changes, revisits, days)}
	c.perDay = c.full
	if positive(days) && c.full > float64(revisits)/days {
		c.perDay = float64(revisits) / days
		c.beyond = c.perDay
	}
	return c
}

// Add adds the pages of another rate to c.
func (c *ChangeRate) Add(other ChangeRate) {
	c.Revisits += other.Revisits
	c.Changes += other.Changes
	c.perDay += other.perDay
	c.beyond += other.beyond
	c.full += other.full
	c.seen += other.seen
	c.page += other.page
	c.days += other.days
}

// Known reports whether PerDay is known: two changes were seen, or none in at least one revisit.
func (c ChangeRate) Known() bool {
	return c.Changes >= knownFrom || c.Changes == 0 && c.Revisits > 0
}

// PerDay returns the mean changes a day, at least 0. If Known is false it counts in sums only.
func (c ChangeRate) PerDay() float64 { return c.perDay }

// Between returns the mean time between two changes; 0 if none was seen. It can be shorter than the
// time between two visits, for example on a server whose politeness limits visits.
func (c ChangeRate) Between() time.Duration {
	if c.full == 0 {
		return 0
	}
	return FromDays(1 / c.full)
}

// Range returns the 95 % interval of PerDay; 0 and 0 if no page was visited twice. It is that of a
// Poisson rate under the Jeffreys prior, for independent changes. At its lower end, only seen
// changes happened. The upper end is +Inf if half of the rate is of pages that may change more
// often than they are visited.
func (c ChangeRate) Range() (low, high float64) {
	if c.Revisits == 0 || !positive(c.days) {
		return 0, 0
	}
	low, high = poissonInterval(float64(c.Changes), c.days)
	if c.Changes == 0 {
		return 0, high * c.page
	}
	each := c.days / float64(c.Changes)
	if high = max(high*each*c.perDay, c.perDay); 2*c.beyond >= c.perDay {
		high = math.Inf(1)
	}
	return min(low*each*c.seen, c.perDay), high
}

// Unchanged returns the probability that a page of this rate did not change in a time; NaN if the
// rate is unknown.
func (c ChangeRate) Unchanged(age time.Duration) float64 {
	if !c.Known() {
		return math.NaN()
	}
	return math.Exp(-c.perDay * Days(max(age, 0)))
}
