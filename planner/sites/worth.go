package sites

import "github.com/recrawl/recrawl/estimator/evidence"

// A visit is worth the change that it probably finds, and the copy that it brings. Of two pages
// that are equally likely to have changed, the one that changes less often keeps a fresh copy
// longer.
//
// The worth of a copy is the time for which it stays fresh. A page that changes at a rate r
// (Poisson) and is visited every t days has a fresh copy for (1 - exp(-r*t)) / r days of each
// visit. One more visit in the same time adds, in the limit,
//
//	(1 - (1 + x) * exp(-x)) / r,  x = r*t
//
// days (Cho and Garcia-Molina 2003; Olston and Pandey 2008, eq. 4). Here x follows from the
// probability of change, and r = x / age. The days count as shares of a cycle, the time in which
// the budget visits all pages once.
//
// By default copies count little beside changes (preferences.Objective): they decide between visits
// that find about equally many changes.
//
// A visit is also worth what it teaches. A page with few visits may be one of the few that change
// often. Once that is known, many visits find its changes. So a part of its promise counts: the
// rise of its probability of change if it is one of them. The uncertainty that the page's own past
// leaves multiplies the odds by all evidence (RateBelief.LogOdds). So a page whose group seldom
// changes promises little, even if its own past is short.

const (
	// promiseWorth is the worth of a promise, in changes found. With a higher one, pages known to
	// change wait for pages that may.
	promiseWorth = 0.15
	// mostCycles bounds the age that counts, in cycles.
	mostCycles = 8
)

// gain returns the worth of a visit in changes found, and the part of it that the copy is worth. It
// takes the probability of a change, the age of the copy in days, and the promise of the page.
func (v *scorer) gain(probability, age, promise float32) (gain, copies float32) {
	if !(v.cycle > 0) {
		return probability, 0
	}
	cycles := min(age/v.cycle, mostCycles)
	stays := evidence.Stays(probability, age, v.Lag)
	promised := promiseWorth * (evidence.TimesOdds(probability, promise) - probability)
	o := &v.Objective
	copies = stays * float32(o.Freshness) * cycles * evidence.FreshShare(probability)
	if o.Age > 0 {
		copies += stays * float32(o.Age) * cycles * cycles * evidence.AgeShare(probability)
	}
	return float32(o.Changes)*(stays*probability+promised) + copies, copies
}

// spent sums what the visits of a round brought that were chosen for their worth.
type spent struct {
	visits         int
	changes, worth float64
}

// manyVisits is the number of visits of a round that show its price as well as a day does.
const manyVisits = 1000

// changesPrice returns the price in expected changes alone, without the worth of copies.
func (v *scorer) changesPrice() float64 { return v.price * v.changesPerWorth }
