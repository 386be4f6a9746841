package value

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
//
// A visit is also worth what it may tell. A page of which little is known may be one of the few
// that change often. Once that is known, many visits find its changes. So a part of its promise
// counts (rateBelief.logOdds).

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
// in changes found; and the part of it that the copy is worth.
func (v *scorer) gain(probability, age, promise float32) (gain, copies float32) {
	if !(v.cycle > 0) {
		return probability, 0
	}
	copies = freshWorth * min(age/v.cycle, mostCycles) * freshShare(probability)
	return probability + promiseWorth*promise + copies, copies
}

// freshShare is the part of an age for which one more visit keeps a copy fresh:
// (1 - (1 + x) * exp(-x)) / x, where the probability is 1 - exp(-x). It is within 1 %.
func freshShare(probability float32) float32 {
	p := min(max(probability, 0), 0.9999)
	if p < 0.25 { // the first terms of its series
		return p * (1./2 - p*(1./12+p*(1./24+p*(19./720))))
	}
	x := -log32(1 - p)
	return (1 - (1+x)*(1-p)) / x
}

// spent adds up what visits of a round that were made for their worth brought.
type spent struct{ changes, worth float64 }

// changesPrice is the price in expected changes alone, without what copies are worth.
func (v *scorer) changesPrice() float64 { return v.price * v.changesPerWorth }
