package estimator

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Ten daily visits with four changes: 4/(10+1-4) a day. At X = n only the stabiliser is left.
func TestLLNWorkedValues(t *testing.T) {
	for _, c := range []struct {
		changes, intervals int
		days, want         float64
	}{
		{4, 10, 10, 4. / 7},
		{4, 10, 5, 8. / 7}, // p is 2 a day
		{0, 10, 10, 0},
		{10, 10, 10, 10},
		{1, 1, 4, 0.25},
		{0, 0, 0, 0},
		{3, 2, 2, 2}, // impossible: as many as there were intervals
		{1, 5, 0, 0},
		{0, 5, 1e-320, 0},
		{1, 5, math.NaN(), 0},
		{1, 5, math.Inf(1), 0},
		{5, 5, 1e-300, FastestRate},
		{-1, -1, 3, 0},
	} {
		if got := LLN(c.changes, c.intervals, c.days); !near(got, c.want, 1e-12) {
			t.Errorf("lln(%d, %d, %g) = %g, want %g", c.changes, c.intervals, c.days, got, c.want)
		}
	}
}

// Two visits a day saw a change, none, and a change: y = 2, then 2 - 2^-0.75 * 2, then y + 3^-0.75
// * 2, as y + p - y is p.
func TestSAWorkedValues(t *testing.T) {
	var s SA
	second := 2 - 2*math.Pow(2, -0.75)
	for i, want := range []float64{2, second, second + 2*math.Pow(3, -0.75)} {
		if s.Add(i != 1, 2); !near(s.Rate, want, 1e-12) || s.Intervals != i+1 {
			t.Errorf("after visit %d: %+v, want %g", i+1, s, want)
		}
	}
	before := s
	for _, p := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if s.Add(true, p); s != before {
			t.Errorf("visits at the rate %g count: %+v", p, s)
		}
	}
	var quiet SA
	for range 5 {
		quiet.Add(false, 3)
	}
	if quiet.Rate != 0 || quiet.Intervals != 5 {
		t.Errorf("a page that never changed: %+v", quiet)
	}
	fast := SA{Rate: FastestRate, Intervals: -3}
	if fast.Add(true, 1e300); fast.Rate != FastestRate || fast.Intervals != 1 {
		t.Errorf("beyond the bounds: %+v", fast)
	}
}

// poissonVisits passes to see the outcomes of visits at random times, p a day: whether the page
// changed since the visit before, and how long that was.
func poissonVisits(rng *rand.Rand, rate, p float64, visits int,
	see func(changed bool, days float64)) {
	for range visits {
		days := rng.ExpFloat64() / p
		see(rng.ExpFloat64()/rate < days, days)
	}
}

// On simulated Poisson pages visited at random times both estimators converge to the rate, within
// their asymptotic variances: that of the odds of a binomial share for LLN, and step * rate * (rate
// + p) / 2 for SA, in which only the last steps count.
func TestOnlineEstimatorsConverge(t *testing.T) {
	const visits = 40_000
	rng := seedOf(t, 91)
	for _, rate := range []float64{0.02, 0.3, 1, 3} {
		for _, p := range []float64{0.3, 1} {
			var sa SA
			changes, total := 0, 0.0
			poissonVisits(rng, rate, p, visits, func(changed bool, days float64) {
				if changed {
					changes++
				}
				total += days
				sa.Add(changed, p)
			})
			q := rate / (rate + p)
			// of the odds, and of the measured p
			deviation := p*math.Sqrt(q*(1-q)/visits)/((1-q)*(1-q)) + rate/math.Sqrt(visits)
			if got := LLN(changes, visits, total); !near(got, rate, 4.5*deviation) {
				t.Errorf("rate %g, visits %g: lln %g, want within %g", rate, p, got, 4.5*deviation)
			}
			deviation = math.Sqrt(math.Pow(visits, -saPower) * rate * (rate + p) / 2)
			if !near(sa.Rate, rate, 4.5*deviation) {
				t.Errorf("rate %g, visits %g: sa %g, want within %g",
					rate, p, sa.Rate, 4.5*deviation)
			}
		}
	}
}

// At equal intervals LLN is too high, as its comment says.
func TestLLNAtEqualIntervals(t *testing.T) {
	const n = 100_000
	for _, rate := range []float64{0.1, 0.5, 1} {
		share := -math.Expm1(-rate)
		if got, want := LLN(int(math.Round(n*share)), n, n),
			math.Expm1(rate); !near(got, want, 1e-3*want) {
			t.Errorf("rate %g: %g, want %g", rate, got, want)
		}
	}
}
