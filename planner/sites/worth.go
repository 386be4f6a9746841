package sites

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
// budget goes through all pages once.
//
// How much the copies count follows from the web. Where a few pages change often and most hardly
// ever, fresh copies cost next to no changes; where all change often, they cost many. The rates
// believed of the pages of this web tell (rateBelief.told): copies count so much that they cost
// copiesCost of the changes that could be found. Changes that nobody could find cost nothing: as
// long as all pages look alike, no rate tells which of them to visit for a change.
//
// A visit is also worth what it may tell. A page of which little is known may be one of the few
// that change often. Once that is known, many visits find its changes. So a part of its promise
// counts: how much likelier it is to have changed if it is one of them. What the page's own past
// leaves open multiplies the odds by all evidence (rateBelief.logOdds). So a page of a group whose
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
	promised := promiseWorth * (timesOdds(probability, promise) - probability)
	if (v.Objective == Objective{}) {
		copies = stays * v.copyWeight * cycles * freshShare(probability)
		return stays*probability + promised + copies, copies
	}
	o := &v.Objective
	copies = stays * float32(o.Freshness) * cycles * freshShare(probability)
	if o.Age > 0 {
		copies += stays * float32(o.Age) * cycles * cycles * ageShare(probability)
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
	return exp32(log32(1-min(max(probability, 0), 0.9999)) * v.Lag / age)
}

// ageShare is the part of the square of an age by which one more visit keeps copies younger:
// 1/2 + exp(-x) / x - (1 - exp(-x)) / x^2, where the probability is 1 - exp(-x). It is how much
// less age there is in all, the age of a copy being the time since its page first differed from it
// (Cho and Garcia-Molina 2003).
func ageShare(probability float32) float32 {
	p := min(max(probability, 0), 0.9999)
	x := -log32(1 - p)
	if p < 0.25 {
		x = p * (1 + p*(1./2+p*(1./3+p*(1./4+p/5))))
	}
	if x < 2 { // by its series: the closed form magnifies the error of log32
		return x * (1./3 - x*(1./8-x*(1./30-x*(1./144-x*(1./840-x*(1./5760-x/45360))))))
	}
	return 0.5 + (1-p)/x - p/(x*x)
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
func (v *scorer) weighCopies(rates *rateWeights, round float64, part float32) {
	if !(v.cycle > 0) || !(round > 0) || (v.Objective != Objective{}) {
		return
	}
	s := newSchedule(rates, float64(v.cycle), round)
	all := s.changes(0)
	if !(all > 0) {
		return
	}
	toSpare := s.changes(float64(v.copyWeight))/all - (1 - copiesCost)
	step := min(max(toSpare/copiesCost, -1), 1) * float64(part)
	v.copyWeight *= float32(math.Pow(copyStep, step))
	v.copyWeight = min(max(v.copyWeight, leastCopyWeight), mostCopyWeight)
}

// schedule tells how many changes a budget finds among pages that change independently (Poisson),
// at rates that are known: each page is visited as often as its visit is worth the price.
type schedule struct {
	rates  *rateWeights
	budget float64 // visits a day and page
	ages   []float64
	// By rate and age: the probability of a change, and what the copy is worth.
	changed, copies [rateCount][]float64
}

const (
	agesPerOctave = 4
	mostAge       = 64 // cycles; who is visited less often is not visited
)

func newSchedule(rates *rateWeights, cycle, round float64) *schedule {
	s := &schedule{rates: rates, budget: 1 / cycle}
	for age := round; age < mostAge*max(cycle, round); age *= math.Exp2(1. / agesPerOctave) {
		s.ages = append(s.ages, age)
	}
	for i := range rates {
		rate := math.Ldexp(slowestRate, i)
		for _, age := range s.ages {
			p := -math.Expm1(-rate * age)
			s.changed[i] = append(s.changed[i], p)
			s.copies[i] = append(s.copies[i],
				min(age/cycle, mostCycles)*float64(freshShare(float32(p))))
		}
	}
	return s
}

// changes found a day and page, if a copy that is fresh for a cycle is worth weight changes.
func (s *schedule) changes(weight float64) float64 {
	low, high := 0., 1+weight*mostCycles // prices
	lowVisits, lowChanges := s.at(low, weight)
	highVisits, highChanges := 0., 0.
	for range 30 {
		price := (low + high) / 2
		visits, changes := s.at(price, weight)
		if visits > s.budget {
			low, lowVisits, lowChanges = price, visits, changes
		} else {
			high, highVisits, highChanges = price, visits, changes
		}
	}
	if lowVisits <= s.budget { // more visits than are ever worth something
		return lowChanges
	}
	// Between the two prices only some of the pages of a rate can be visited that often.
	part := (s.budget - highVisits) / (lowVisits - highVisits)
	return highChanges + part*(lowChanges-highChanges)
}

// at counts the visits that are worth a price, and the changes that they find, a day and page.
func (s *schedule) at(price, weight float64) (visits, changes float64) {
	for i, share := range s.rates {
		for k, age := range s.ages {
			if s.changed[i][k]+weight*s.copies[i][k] >= price {
				visits += float64(share) / age
				changes += float64(share) * s.changed[i][k] / age
				break
			}
		}
	}
	return visits, changes
}
