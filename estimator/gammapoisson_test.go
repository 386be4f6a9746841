package estimator

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// integrated returns the probability of a change within age by its definition: the integral of
// density(rate) * (1 - exp(-rate*age)), by trapezoids over log(rate).
func (g GammaPoisson) integrated(age float64) float64 {
	lgamma, _ := math.Lgamma(g.Shape)
	density := func(x float64) float64 { // of log(rate)
		return math.Exp(g.Shape*(math.Log(g.Days)+x) - lgamma - g.Days*math.Exp(x))
	}
	const steps = 20000
	low := -math.Log(g.Days) - 45/g.Shape
	high := -math.Log(g.Days) + math.Log(g.Shape+10*math.Sqrt(g.Shape)+50)
	dx := (high - low) / steps
	mass, sum := 0.0, 0.0
	for i := range steps + 1 {
		x := low + float64(i)*dx
		d := density(x) * dx
		mass += d
		sum += d * -math.Expm1(-math.Exp(x)*age)
	}
	return sum / mass
}

func TestProbabilityIsTheIntegral(t *testing.T) {
	for _, shape := range []float64{0.5, 1, 2.5, 30} {
		for _, days := range []float64{0.7, 14, 131, 5000} {
			for _, age := range []float64{0.01, 1, 30, 4000} {
				g := GammaPoisson{Shape: shape, Days: days}
				got, want := g.Probability(FromDays(age)), g.integrated(age)
				if !near(got, want, 1e-6) {
					t.Errorf("%+v: probability %.9f at %g days, the integral is %.9f",
						g, got, age, want)
				}
			}
		}
	}
}

func TestAgeAtInvertsProbability(t *testing.T) {
	for _, g := range []GammaPoisson{DefaultPrior, {0.5, 0.1}, {3.5, 40}, {1000.5, 365}} {
		for _, p := range []float64{0.001, 0.1, 0.5, 0.9} {
			age := g.AgeAt(p)
			if age == FromDays(math.Inf(1)) {
				if got := g.Probability(age); got > p {
					t.Errorf("%+v: cut at %v, where the probability is %g, above %g",
						g, age, got, p)
				}
				continue
			}
			if got := g.Probability(age); !near(got, p, 1e-9) {
				t.Errorf("%+v: probability %g at AgeAt(%g) = %v", g, got, p, age)
			}
		}
		if got := g.AgeAt(0); got != 0 {
			t.Errorf("%+v: AgeAt(0) = %v", g, got)
		}
		for _, p := range []float64{1, 2} {
			if got := g.AgeAt(p); got != FromDays(math.Inf(1)) {
				t.Errorf("%+v: AgeAt(%g) = %v, want the longest span", g, p, got)
			}
		}
	}
}

// [LINK table 2]: 7.7 % of pages changed in three weekly comparisons, which is the prior's mean.
func TestDefaultPrior(t *testing.T) {
	if got := 1 - math.Exp(-DefaultPrior.Mean()*21); !near(got, 0.077, 0.001) {
		t.Errorf("%.4f of pages of the mean rate change in three weeks, want 0.077", got)
	}
}

func TestPooledPrior(t *testing.T) {
	if got := PooledPrior(0, 0); !near(got.Days, DefaultPrior.Days, 1e-9) ||
		got.Shape != DefaultPrior.Shape {
		t.Errorf("of no evidence: %+v, want %+v", got, DefaultPrior)
	}
	if got := PooledPrior(1e6, 2e6).Mean(); !near(got, 0.5, 1e-3) {
		t.Errorf("mean %g of a million changes in two million days, want 0.5", got)
	}
	none := PooledPrior(0, 1e9)
	if m := none.Mean(); m <= 0 || m > 3e-9 || math.IsInf(none.Days, 0) {
		t.Errorf("no change in 1e9 days: %+v with mean %g, want a small one above 0", none, m)
	}
	// The default counts as two changes: one early change does not decide.
	if got, most := PooledPrior(1, 0).Mean(), 1.51*DefaultPrior.Mean(); got > most {
		t.Errorf("mean %g after one change in no time, want at most %g", got, most)
	}
	for _, c := range []struct{ changes, days float64 }{{1, 10}, {50, 1000}} {
		if more, less := PooledPrior(c.changes+1, c.days).Mean(),
			PooledPrior(c.changes, c.days+1).Mean(); more <= PooledPrior(c.changes,
			c.days).Mean() || less >= PooledPrior(c.changes, c.days).Mean() {
			t.Errorf("%+v: a change more gives %g, a day more %g", c, more, less)
		}
	}
}

// For rates drawn from the prior and changes from each rate, the 95 % interval contains 95 % of the
// rates, with 2.5 % beyond each end. A gamma of shape 1/2 is half a squared normal.
func TestCredibleIntervalCoverage(t *testing.T) {
	const pages, seed = 4000, 3
	rng := rand.New(rand.NewPCG(seed, 0))
	prior := GammaPoisson{Shape: 0.5, Days: 20}
	below, above := 0, 0
	for range pages {
		z := rng.NormFloat64()
		rate := z * z / 2 / prior.Days
		days := 10 + rng.IntN(300)
		h := sitegraph.Start(epoch)
		h.Last += uint32(days) * 86400
		for at := rng.ExpFloat64() / rate; at < float64(days); at += rng.ExpFloat64() / rate {
			h.Changes++
		}
		e := prior.Estimate(h, 0)
		if rate < e.Low {
			below++
		} else if rate > e.High {
			above++
		}
	}
	tolerance := 4.5 * math.Sqrt(tail*(1-tail)/pages)
	for side, n := range map[string]int{"below": below, "above": above} {
		if share := float64(n) / pages; !near(share, tail, tolerance) {
			t.Errorf("%.4f of the rates lie %s the interval, want %g +- %.4f; repeat: go test "+
				"-run TestCredibleIntervalCoverage ./estimator with seed %d",
				share, side, tail, tolerance, seed)
		}
	}
}

func TestGammaPoissonEstimate(t *testing.T) {
	once := DefaultPrior.Estimate(historyOf(), 30*Day)
	if once.Warning == "" || once.Observations != 0 ||
		!near(once.RatePerDay, DefaultPrior.Mean(), 1e-12) {
		t.Errorf("visited once: %+v, want the prior's mean and a warning", once)
	}
	seen := DefaultPrior.Estimate(daily(10, 1, 3, 7), 30*Day)
	if want := 2.5 / 141; !near(seen.RatePerDay, want, 1e-12) || seen.Observations != 10 ||
		seen.Warning != "" {
		t.Errorf("two changes in ten days: %+v, want the rate %g", seen, want)
	}
	if want := 1 - math.Pow(141.0/171, 2.5); !near(seen.Probability, want, 1e-12) {
		t.Errorf("probability %g after 30 days, want %g", seen.Probability, want)
	}
	// Few observations are pulled toward the others' rate, many are not.
	if few, many := DefaultPrior.Estimate(daily(1, 1, 1), 0),
		DefaultPrior.Estimate(daily(4000, 1, everyDay(4000)...), 0); few.RatePerDay > 0.02 ||
		many.RatePerDay < 0.95 {
		t.Errorf("changed at every visit: rate %g after one, %g after 4000",
			few.RatePerDay, many.RatePerDay)
	}
}

func everyDay(n int) []int {
	days := make([]int, n)
	for i := range days {
		days[i] = i + 1
	}
	return days
}

// FuzzEstimators checks guarantees 1 and 2 on histories of any numbers, also impossible ones.
func FuzzEstimators(f *testing.F) {
	const day = 86400
	f.Add(uint32(0), uint32(10*day), uint32(8*day), uint32(day), uint32(11), uint32(2), int64(0),
		int64(5*day), 3.0, 900.0)
	f.Add(uint32(0), uint32(0), uint32(0), uint32(0), uint32(1), uint32(0), int64(17*day), int64(0),
		0.0, 0.0)
	f.Add(uint32(5), uint32(5+day), uint32(day), uint32(0), uint32(2), uint32(0), int64(day),
		int64(1)<<40, 0.0, 1e9)
	f.Add(uint32(9), uint32(1), ^uint32(0), uint32(0), uint32(0), ^uint32(0), int64(-1), int64(-1),
		1e300, 1e-300)
	f.Add(uint32(0), ^uint32(0), uint32(1), uint32(0), uint32(3), ^uint32(0), int64(1), int64(1),
		1e-300, 1e300)
	f.Fuzz(func(t *testing.T, first, last, stable, shortest, visits, changes uint32, previous,
		age int64, poolChanges, poolDays float64) {
		h := sitegraph.History{Epoch: first, Last: last, Stable: stable, MinInterval: shortest,
			Visits: visits, Changes: changes}
		const seconds = 1 << 33 // 272 years
		at := time.Duration(age%seconds) * time.Second
		e := Interval(h, time.Duration(previous%seconds)*time.Second, DefaultLimits).At(at)
		checkEstimate(t, e)
		if e.Interval < DefaultLimits.Min || e.Interval > DefaultLimits.Max {
			t.Fatalf("interval %v is outside of the limits", e.Interval)
		}
		if !(poolChanges >= 0 && poolChanges < 1e15 && poolDays >= 0 && poolDays < 1e15) {
			return
		}
		prior := PooledPrior(poolChanges, poolDays)
		checkEstimate(t, prior.Estimate(h, at))
		posterior := prior.Posterior(h)
		before := posterior.Probability(0)
		if before != 0 {
			t.Fatalf("probability %g at age 0", before)
		}
		for age := time.Duration(1); age > 0; age *= 2 { // to 146 years
			p := posterior.Probability(age)
			if !(p >= before && p <= 1) {
				t.Fatalf("%+v: probability %g at %v, %g before", posterior, p, age, before)
			}
			before = p
		}
		for _, p := range []float64{0, 1e-9, 0.5, 0.999, 1} {
			if age := posterior.AgeAt(p); age < 0 || age > FromDays(math.Inf(1)) {
				t.Fatalf("%+v: AgeAt(%g) = %v", posterior, p, age)
			}
		}
	})
}

func checkEstimate(t *testing.T, e Estimate) {
	t.Helper()
	finite := func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) } // false for NaN
	if !finite(e.RatePerDay) || !finite(e.Low) || !finite(e.High) ||
		!(e.Low <= e.RatePerDay && e.RatePerDay <= e.High) {
		t.Fatalf("rate %g in [%g, %g]: %+v", e.RatePerDay, e.Low, e.High, e)
	}
	if !(e.Probability >= 0 && e.Probability <= 1) || e.Interval < 0 || e.Observations < 0 {
		t.Fatalf("out of range: %+v", e)
	}
}
