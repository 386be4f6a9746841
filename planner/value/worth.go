package value

import "math"

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
// budget goes through all pages once: so the same weight suits any budget.

// And it is worth what it may tell. A page of which little is known may be one of the few that
// change often; once that is known, many visits find its changes. So a part of its promise counts
// (rateBelief.logOdds). It finds the pages that change daily on a web of thousands that change
// yearly.

const (
	// promiseWorth is what a promise is worth, in changes found. More of it makes pages that are
	// known to change wait for those that may.
	promiseWorth = 0.3
	// freshWorth is what a copy is worth that is fresh for a cycle, in changes found. More of it
	// keeps copies fresher, and finds fewer changes where pages change independently.
	freshWorth = 0.75
	// mostCycles bounds the age that counts.
	mostCycles = 8
)

// gain is what a visit to a page of such a probability of change, age in days and promise is worth,
// in changes found.
func (v *scorer) gain(probability, age, promise float32) float32 {
	if !(v.cycle > 0) {
		return probability
	}
	return probability + promiseWorth*promise + freshWorth*min(age/v.cycle, mostCycles)*freshShare(probability)
}

// freshShare is the part of an age for which one more visit keeps a copy fresh:
// (1 - (1 + x) * exp(-x)) / x, where the probability is 1 - exp(-x).
func freshShare(probability float32) float32 {
	if probability < 0.01 { // the first terms of its series, exact to 1 in 30,000
		return probability/2 - probability*probability/12
	}
	probability = min(probability, 0.9999)
	x := float32(-math.Log1p(float64(-probability)))
	return (1 - (1+x)*(1-probability)) / x
}

// spent adds up what visits of a round that were made for their worth brought.
type spent struct{ changes, worth float64 }

// changesPrice is the price in expected changes alone, without what copies are worth.
func (v *scorer) changesPrice() float64 { return v.price * v.changesPerWorth }
