package evidence

import "math"

// Schedule tells how many changes a budget finds among pages that change independently (Poisson),
// at rates that are known: each page is visited as often as its visit is worth the price.
type Schedule struct {
	most   float64 // cycles: the age that counts is bounded by it
	rates  *RateWeights
	budget float64 // visits a day and page
	ages   []float64
	// By rate and age: the probability of a change, and what the copy is worth.
	changed, copies [RateCount][]float64
}

const (
	agesPerOctave = 4
	mostAge       = 64 // cycles; who is visited less often is not visited
)

// NewSchedule returns that of rates, by cycle and round in days. A copy is worth as much as the
// cycles that it is fresh, most at most.
func NewSchedule(rates *RateWeights, cycle, round, most float64) *Schedule {
	s := &Schedule{most: most, rates: rates, budget: 1 / cycle}
	for age := round; age < mostAge*max(cycle, round); age *= math.Exp2(1. / agesPerOctave) {
		s.ages = append(s.ages, age)
	}
	for i := range rates {
		rate := math.Ldexp(SlowestRate, i)
		for _, age := range s.ages {
			p := -math.Expm1(-rate * age)
			s.changed[i] = append(s.changed[i], p)
			s.copies[i] = append(s.copies[i],
				min(age/cycle, s.most)*float64(FreshShare(float32(p))))
		}
	}
	return s
}

// Changes returns those found a day and page, if a copy that is fresh for a cycle is worth so much
// in changes.
func (s *Schedule) Changes(weight float64) float64 {
	low, high := 0., 1+weight*s.most // prices
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
func (s *Schedule) at(price, weight float64) (visits, changes float64) {
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
