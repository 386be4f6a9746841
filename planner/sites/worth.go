package sites

import "github.com/recrawl/recrawl/estimator/evidence"

// A visit is worth the change that it probably finds, and the copy that it brings. Of two pages
// that are equally likely to have changed, the one that changes less often keeps a fresh copy
// longer.
//
// What a copy is worth follows from the time for which copies are fresh. A page that changes at a
// rate r (Poisson) and is visited each t days has a fresh copy for (1 - exp(-r*t)) / r days of each
// visit. One more visit in the same time adds, in the limit,
//
//	(1 - (1 + x) * exp(-x)) / r,  x = r*t
//
// days (Cho and Garcia-Molina 2003; Olston and Pandey 2008, eq. 4). Here x is what the probability
// of change says, and r = x / age. The days count as shares of a cycle, the time in which the
// budget goes through all pages once.
//
// By default copies count little beside changes (preferences.Objective): they decide between visits
// that are worth about as many changes.
//
// A visit is also worth what it may tell. A page of which little is known may be one of the few
// that change often. Once that is known, many visits find its changes. So a part of its promise
// counts: how much likelier it is to have changed if it is one of them. What the page's own past
// leaves open multiplies the odds by all evidence (RateBelief.LogOdds). So a page of a group whose
// pages were seen to stay as they are promises little, though its own past is short.

const (
	// promiseWorth is what a promise is worth, in changes found. More of it makes pages that are
	// known to change wait for those that may.
	promiseWorth = 0.15
	// mostCycles bounds the age that counts.
	mostCycles = 8
)

// gain is what a visit to a page of such a probability of change, age in days and promise is worth,
// in changes found; and the part of it that the copy is worth.
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

// spent adds up what visits of a round that were made for their worth brought.
type spent struct {
	visits         int
	changes, worth float64
}

// manyVisits of a round tell its price as well as those of a day.
const manyVisits = 1000

// changesPrice is the price in expected changes alone, without what copies are worth.
func (v *scorer) changesPrice() float64 { return v.price * v.changesPerWorth }
