package value

import (
	"math"
	"testing"
)

// freshShare is the closed form, and half the probability where that is small.
func TestFreshShare(t *testing.T) {
	for x := 1e-5; x < 9; x *= 1.3 {
		p := -math.Expm1(-x)
		want := (1 - (1+x)*math.Exp(-x)) / x
		if got := float64(freshShare(float32(p))); math.Abs(got-want) > 1e-2*want+1e-6 {
			t.Errorf("%g changes expected: %g, want %g", x, got, want)
		}
	}
	for _, p := range []float32{0, 1} {
		if got := freshShare(p); !(got >= 0 && got < 0.2) {
			t.Errorf("probability %g: %g", p, got)
		}
	}
}

// What more visits of a page add to the days for which its copy is fresh is what freshShare says.
func TestFreshShareIsTheDerivative(t *testing.T) {
	const rate = 0.3
	// a day, share
	fresh := func(visits float64) float64 { return visits * -math.Expm1(-rate/visits) / rate }
	for _, visits := range []float64{0.05, 0.2, 1, 5} {
		const step = 1e-5
		want := (fresh(visits+step) - fresh(visits-step)) / (2 * step)
		age := 1 / visits
		if got := age * float64(freshShare(float32(-math.Expm1(-rate*age)))); math.Abs(
			got-want) > 2e-2*want {
			t.Errorf("%g visits a day: %g, want %g", visits, got, want)
		}
	}
}

// gainOf is all that a visit is worth.
func gainOf(v *scorer, probability, age, promise float32) float32 {
	gain, _ := v.gain(probability, age, promise)
	return gain
}

// Of two pages that are equally likely to have changed the older copy is worth more; of two of one
// age the likelier; and without a budget copies are worth nothing.
func TestGain(t *testing.T) {
	var v scorer
	if got := gainOf(&v, 0.3, 50, 1); got != 0.3 {
		t.Errorf("no budget known: %g", got)
	}
	v.cycle, v.copyWeight = 20, firstCopyWeight
	if young, old := gainOf(&v, 0.5, 5, 1), gainOf(&v, 0.5, 50, 1); !(0.5 < young && young < old) {
		t.Errorf("age 5: %g, age 50: %g", young, old)
	}
	last := float32(0)
	for p := float32(0.01); p < 0.8; p += 0.01 {
		if got := gainOf(&v, p, 10, 1); !(got > last) {
			t.Errorf("probability %g: %g after %g", p, got, last)
		} else {
			last = got
		}
	}
	const fast = 4 // times the odds: from 0.5 to 0.8
	plain, promising := gainOf(&v, 0.5, 5, 1), gainOf(&v, 0.5, 5, fast)
	if !(plain < promising && promising < plain+0.3) {
		t.Errorf("without a promise %g, with one of %d times the odds %g", plain, fast, promising)
	}
	// What is known to stay as it is promises little.
	known := gainOf(&v, 0.001, 5, fast) - gainOf(&v, 0.001, 5, 1)
	if open := promising - plain; !(known > 0 && known < open/50) {
		t.Errorf("a promise of %d times the odds is worth %g where a change is unlikely, and %g "+
			"where it is as likely as not", fast, known, open)
	}
	if a, b := gainOf(&v, 0.5, 20*mostCycles, 1), gainOf(&v, 0.5, 40*mostCycles, 1); a != b {
		t.Errorf("beyond the bound of the age: %g and %g", a, b)
	}
}

// twoRates is a web where a share of the pages changes at a rate a day, and the others at another.
func twoRates(share float32, fast, slow int) *rateWeights {
	var w rateWeights
	w[fast], w[slow] = share, 1-share
	return &w
}

// spreadRates is a web with as many pages of each rate between two.
func spreadRates(from, to int) *rateWeights {
	var w rateWeights
	for i := from; i <= to; i++ {
		w[i] = 1 / float32(to-from+1)
	}
	return &w
}

// octave is the place of the rate 2^n a day in the grid.
func octave(n int) int { return n + 13 }

// A schedule finds what can be worked out by hand, and copies that count more cost changes.
func TestSchedule(t *testing.T) {
	// Half of the pages may be visited a day. All are alike, so each is visited every second day.
	s := newSchedule(twoRates(1, octave(-2), octave(0)), 2, 1)
	if got, want := s.changes(0), -math.Expm1(-0.25*2)/2; math.Abs(got-want) > 0.01*want {
		t.Errorf("pages alike: %g changes a day and page, want %g", got, want)
	}
	// A tenth of the pages changes twice a day and takes the whole budget.
	s = newSchedule(twoRates(0.1, octave(1), octave(-13)), 10, 1)
	if got, want := s.changes(0), 0.1*-math.Expm1(-2); math.Abs(got-want) > 0.02*want {
		t.Errorf("a tenth is fast: %g changes a day and page, want %g", got, want)
	}
	s = newSchedule(&firstRates, 50, 1)
	last := s.changes(0)
	for weight := 0.25; weight < 8; weight *= 2 {
		if got := s.changes(weight); got > 1.001*last || !(got > 0) {
			t.Errorf("weight %g: %g changes, by half the weight %g", weight, got, last)
		} else {
			last = got
		}
	}
	// A budget for more visits than a round allows is not used up.
	s = newSchedule(twoRates(1, octave(-2), octave(0)), 0.5, 1)
	if got, want := s.changes(0), -math.Expm1(-0.25); math.Abs(got-want) > 0.01*want {
		t.Errorf("more budget than visits: %g changes a day and page, want %g", got, want)
	}
}

// Copies come to count much where they cost next to no changes, and little where all pages change
// often; and their weight settles where they cost what they may.
func TestWeighCopies(t *testing.T) {
	for _, c := range []struct {
		name        string
		rates       *rateWeights
		cycle       float32
		least, most float32
	}{
		{"all alike", twoRates(1, octave(-5), octave(0)), 20, mostCopyWeight, mostCopyWeight},
		{"few change", twoRates(0.01, octave(-2), octave(-13)), 20, 1, mostCopyWeight},
		{"each 8 to 128 days", spreadRates(octave(-7), octave(-3)), 50, leastCopyWeight, 0.9},
	} {
		v := scorer{cycle: c.cycle, copyWeight: firstCopyWeight}
		for range 100 {
			v.weighCopies(c.rates, 1, 1)
		}
		if v.copyWeight < c.least || v.copyWeight > c.most {
			t.Errorf("%s: copies weigh %g, want %g to %g", c.name, v.copyWeight, c.least, c.most)
		}
		s := newSchedule(c.rates, float64(c.cycle), 1)
		kept := s.changes(float64(v.copyWeight/copyStep)) / s.changes(0)
		if v.copyWeight > leastCopyWeight && kept < 1-copiesCost-0.005 {
			t.Errorf("%s: copies that weigh %g leave %.3f of the changes",
				c.name, v.copyWeight, kept)
		}
	}
	v := scorer{copyWeight: firstCopyWeight}
	v.weighCopies(&firstRates, 1, 1)
	if v.copyWeight != firstCopyWeight {
		t.Errorf("without a budget copies weigh %g", v.copyWeight)
	}
}

// What more visits add to the days for which a search shows a true copy, a lag after each visit, is
// what freshShare and stays say; and with a lag a page that changes sooner is worth less.
func TestStays(t *testing.T) {
	const rate, lag = 0.3, 4.
	var v scorer
	v.Lag = lag
	// a day, share: the copy is true at exp(-rate*(lag+s)) for s to 1/visits
	shown := func(visits float64) float64 {
		return visits * math.Exp(-rate*lag) * -math.Expm1(-rate/visits) / rate
	}
	for _, visits := range []float64{0.05, 0.2, 1} {
		const step = 1e-5
		want := (shown(visits+step) - shown(visits-step)) / (2 * step)
		age := 1 / visits
		p := float32(-math.Expm1(-rate * age))
		if got := age * float64(freshShare(p)*v.stays(p, float32(age))); math.Abs(
			got-want) > 3e-2*want {
			t.Errorf("%g visits a day: %g, want %g", visits, got, want)
		}
	}
	v.cycle, v.copyWeight = 20, firstCopyWeight
	if fast, slow := gainOf(&v, 0.95, 1, 1), gainOf(&v, 0.5, 10, 1); fast > slow {
		t.Errorf("what changes three times a day is worth %g, what does each two weeks %g",
			fast, slow)
	}
	v.Lag = 0
	if fast, slow := gainOf(&v, 0.95, 1, 1), gainOf(&v, 0.5, 10, 1); fast < slow {
		t.Errorf("without a lag: %g and %g", fast, slow)
	}
}
