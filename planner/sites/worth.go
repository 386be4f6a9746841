package sites

import (
	"math"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner/preferences"
)

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
// How much the copies count follows from the web. Where a few pages change often and most hardly
// ever, fresh copies cost next to no changes; where all change often, they cost many. The rates
// believed of the pages of this web tell (RateBelief.Told): copies count so much that they cost
// copiesCost of the changes that could be found. Changes that nobody could find cost nothing: as
// long as all pages look alike, no rate tells which of them to visit for a change.
//
// A visit is also worth what it may tell. A page of which little is known may be one of the few
// that change often. Once that is known, many visits find its changes. So a part of its promise
// counts: how much likelier it is to have changed if it is one of them. What the page's own past
// leaves open multiplies the odds by all evidence (RateBelief.LogOdds). So a page of a group whose
// pages were seen to stay as they are promises little, though its own past is short.

const (
	// promiseWorth is what a promise is worth, in changes found. More of it makes pages that are
	// known to change wait for those that may.
	promiseWorth = 0.3
	// copiesCost is the share of the changes that fresh copies may cost, by rates that are
	// believed. Where pages change one by one they cost twice as much: the rates of pages differ
	// more than is believed of them.
	copiesCost = 0.01
	// firstCopyWeight is what a copy is worth that is fresh for a cycle, in changes found, before
	// anything is known. By more than mostCopyWeight 2 to 3 % fewer changes are found of legal
	// pages, at 5 and 10 % a day, though the rates alone say that it costs less.
	firstCopyWeight, leastCopyWeight, mostCopyWeight = 0.75, 1. / 16, 1.5
	// copyStep is the factor by which it moves in a day, or a longer round, at most.
	copyStep = 1.1
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
	stays := v.stays(probability, age)
	promised := promiseWorth * (evidence.TimesOdds(probability, promise) - probability)
	if (v.Objective == preferences.Objective{}) {
		copies = stays * v.copyWeight * cycles * evidence.FreshShare(probability)
		return stays*probability + promised + copies, copies
	}
	o := &v.Objective
	copies = stays * float32(o.Freshness) * cycles * evidence.FreshShare(probability)
	if o.Age > 0 {
		copies += stays * float32(o.Age) * cycles * cycles * evidence.AgeShare(probability)
	}
	return float32(o.Changes)*(stays*probability+promised) + copies, copies
}

// stays is the probability that what a visit finds is still true when it comes to be of use, a lag
// later: exp(-r*lag), where the probability of a change since the last visit is 1 - exp(-r*age). A
// page visited each t days has then a fresh copy for exp(-r*lag) * (1 - exp(-r*t)) / r days of each
// visit, so that all that a copy is worth is to be multiplied by it.
func (v *scorer) stays(probability, age float32) float32 {
	if !(v.Lag > 0) || !(age > 0) {
		return 1
	}
	return evidence.Exp32(evidence.Log32(1-min(max(probability, 0), 0.9999)) * v.Lag / age)
}

// spent adds up what visits of a round that were made for their worth brought.
type spent struct{ changes, worth float64 }

// changesPrice is the price in expected changes alone, without what copies are worth.
func (v *scorer) changesPrice() float64 { return v.price * v.changesPerWorth }

// days of a cycle, or of a round where that is not known.
func (v *scorer) days() float64 {
	if v.cycle > 0 {
		return float64(v.cycle)
	}
	return float64(v.groups.round)
}

// weighCopies moves the weight of copies toward that which costs copiesCost of the changes, where
// pages have such rates, and are visited once a round at most; part is the part of a day since it
// was moved last, 1 at most.
func (v *scorer) weighCopies(rates *evidence.RateWeights, round float64, part float32) {
	if !(v.cycle > 0) || !(round > 0) || (v.Objective != preferences.Objective{}) {
		return
	}
	s := evidence.NewSchedule(rates, float64(v.cycle), round, mostCycles)
	all := s.Changes(0)
	if !(all > 0) {
		return
	}
	toSpare := s.Changes(float64(v.copyWeight))/all - (1 - copiesCost)
	step := min(max(toSpare/copiesCost, -1), 1) * float64(part)
	v.copyWeight *= float32(math.Pow(copyStep, step))
	v.copyWeight = min(max(v.copyWeight, leastCopyWeight), mostCopyWeight)
}
