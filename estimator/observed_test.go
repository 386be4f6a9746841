package estimator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// seedOf prints how to repeat a random test that failed.
func seedOf(t *testing.T, seed uint64) *rand.Rand {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d; repeat: go test -run '^%s$' ./estimator", seed, t.Name())
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// watched simulates a page that changes at rate, visited after the given intervals.
func watched(rng *rand.Rand, rate float64, intervals []float64) []Observed {
	obs := make([]Observed, len(intervals))
	for i, days := range intervals {
		obs[i] = Observed{Days: days, Changed: rng.Float64() < -math.Expm1(-rate*days)}
	}
	return obs
}

// equal returns n intervals of the same length, and irregular ones from 1/10 to 4 times as long.
func equal(n int, days float64) []float64 {
	intervals := make([]float64, n)
	for i := range intervals {
		intervals[i] = days
	}
	return intervals
}

func irregular(rng *rand.Rand, n int, days float64) []float64 {
	intervals := make([]float64, n)
	for i := range intervals {
		intervals[i] = days * 0.1 * math.Pow(40, rng.Float64())
	}
	return intervals
}

func counted(obs []Observed) (changes, intervals int, days float64) {
	for _, o := range obs {
		if o.Changed {
			changes++
		}
		days += o.Days
	}
	return changes, len(obs), days
}

// The ten daily visits with six changes of [Cho 2003, example 1]: naively 0.6 a day; reduced
// -ln(4.5/10.5).
func TestRegularWorkedValues(t *testing.T) {
	for _, c := range []struct {
		changes, intervals int
		days               float64
		naive, reduced     float64
	}{
		{6, 10, 10, 0.6, math.Log(10.5 / 4.5)},
		{6, 10, 5, 1.2, 2 * math.Log(10.5/4.5)},
		{0, 10, 10, 0, 0},
		{10, 10, 10, 1, math.Log(21)},
		{1, 1, 2, 0.5, math.Log(3) / 2},
		{0, 0, 0, 0, 0},
		{3, 2, 2, 1, math.Log(5)}, // impossible: counts as many as the intervals
		{1, 5, 0, 0, 0},
		{1, 5, math.NaN(), 0, 0},
		{1, 5, math.Inf(1), 0, 0},
		{5, 5, 1e-300, FastestRate, FastestRate},
	} {
		if got := Naive(c.changes, c.intervals, c.days); !near(got, c.naive, 1e-12) {
			t.Errorf("naive(%d, %d, %g) = %g, want %g",
				c.changes, c.intervals, c.days, got, c.naive)
		}
		if got := BiasReduced(c.changes, c.intervals, c.days); !near(got, c.reduced, 1e-12) {
			t.Errorf("bias-reduced(%d, %d, %g) = %g, want %g", c.changes, c.intervals, c.days, got,
				c.reduced)
		}
		for _, e := range []Estimate{NaiveEstimate(c.changes, c.intervals, c.days),
			BiasReducedEstimate(c.changes, c.intervals, c.days)} {
			checkEstimate(t, e)
			if (c.changes == 0 || c.changes >= c.intervals || !positive(c.days)) &&
				e.Warning == "" {
				t.Errorf("%s(%d, %d, %g): no warning", e.Method, c.changes, c.intervals, c.days)
			}
		}
	}
}

// expected returns the mean of an estimator over the number of changed ones among n intervals of a
// day.
func expected(n int, rate float64, estimate func(changes int) float64) float64 {
	p, sum := -math.Expm1(-rate), 0.0
	for x := range n + 1 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(x + 1))
		c, _ := math.Lgamma(float64(n - x + 1))
		sum += estimate(x) * math.Exp(a-b-c+float64(x)*math.Log(p)+float64(n-x)*math.Log1p(-p))
	}
	return sum
}

// The expectation, summed exactly over the binomial distribution. The naive estimator has the bias
// of its doc comment at any n, and bias-reduced at most 2 % from 20 visits on, up to one change a
// visit.
func TestRegularBias(t *testing.T) {
	for _, n := range []int{20, 50, 200} {
		for _, rate := range []float64{0.02, 0.1, 0.3, 0.6, 1} {
			naive := expected(n, rate, func(x int) float64 { return Naive(x, n, float64(n)) })
			if want := -math.Expm1(-rate); !near(naive, want, 1e-9) {
				t.Errorf("n %d, rate %g: naive %g in the mean, want %g", n, rate, naive, want)
			}
			reduced := expected(n, rate, func(x int) float64 {
				return BiasReduced(x, n, float64(n))
			})
			if !near(reduced, rate, 0.02*rate) {
				t.Errorf("n %d, rate %g: bias-reduced %g in the mean", n, rate, reduced)
			}
		}
	}
}

// coverage returns how often the interval of estimate misses the rate on each side, over simulated
// pages.
func coverage(rng *rand.Rand, pages int, rate func() float64, intervals func() []float64,
	estimate func([]Observed) Estimate) (below, above float64) {
	for range pages {
		r := rate()
		e := estimate(watched(rng, r, intervals()))
		if r < e.Low {
			below++
		} else if r > e.High {
			above++
		}
	}
	return below / float64(pages), above / float64(pages)
}

// logUniform draws rates evenly over logarithms.
func logUniform(rng *rand.Rand, low, high float64) func() float64 {
	return func() float64 { return low * math.Pow(high/low, rng.Float64()) }
}

// Intervals of all rates from 0.1 to 1 a visit contain the true rate 95 times of 100, within the
// tolerance of a binomial count. For the naive estimator, whose interval assumes no hidden changes,
// rates end at 0.02.
func TestIntervalCoverage(t *testing.T) {
	const pages = 2000
	tolerance := 4.5 * math.Sqrt(Level*(1-Level)/pages)
	rng := seedOf(t, 11)
	regularly := func() []float64 { return equal(60, 2) }
	irregularly := func() []float64 { return irregular(rng, 60, 2) }
	for _, c := range []struct {
		name      string
		rates     func() float64
		intervals func() []float64
		estimate  func([]Observed) Estimate
	}{
		{"naive", logUniform(rng, 0.002, 0.01), func() []float64 {
			return equal(1000, 2)
		}, func(o []Observed) Estimate { return NaiveEstimate(counted(o)) }},
		{"bias-reduced", logUniform(rng, 0.05, 0.5), regularly, func(o []Observed) Estimate {
			return BiasReducedEstimate(counted(o))
		}},
		{"mle, regular", logUniform(rng, 0.05, 0.5), regularly, mleEstimate},
		{"mle, irregular", logUniform(rng, 0.05, 0.5), irregularly, mleEstimate},
		{"smoothed", logUniform(rng, 0.05, 0.5), irregularly, smoothedMLEEstimate},
	} {
		below, above := coverage(rng, pages, c.rates, c.intervals, c.estimate)
		if held := 1 - below - above; !near(held, Level, tolerance) {
			t.Errorf("%s: %.4f of the intervals hold the rate (%.4f of rates below, %.4f above), "+
				"want %g +- %.4f", c.name, held, below, above, Level, tolerance)
		}
	}
}

// More evidence of the same kind narrows the interval on both sides of the rate.
func TestMoreEvidenceIsNarrower(t *testing.T) {
	widths := map[string]float64{}
	for _, times := range []int{1, 2, 4, 16, 256} {
		var obs []Observed
		for range times {
			obs = append(obs, Observed{1, true}, Observed{2, false}, Observed{3, true},
				Observed{3, false})
		}
		var grid Grid
		for _, o := range obs {
			grid.Observe(o.Days, o.Changed)
		}
		flat := FlatRates()
		posterior := grid.Posterior(&flat)
		for _, e := range []Estimate{NaiveEstimate(counted(obs)), BiasReducedEstimate(counted(obs)),
			mleEstimate(obs), smoothedMLEEstimate(obs), posterior.Estimate(len(obs), 0)} {
			width := math.Log(e.High / e.Low)
			if before, ok := widths[e.Method]; ok && width >= before {
				t.Errorf("%s, %d times: width %g, %g before", e.Method, times, width, before)
			}
			widths[e.Method] = width
		}
	}
}

// randomObserved returns up to 40 intervals, from a minute to a year, of one kind or mixed.
func randomObserved(rng *rand.Rand) []Observed {
	obs := make([]Observed, rng.IntN(40))
	share := []float64{0, 0.1, 0.5, 0.9, 1}[rng.IntN(5)]
	for i := range obs {
		obs[i] = Observed{Days: math.Exp(rng.Float64()*13 - 7), Changed: rng.Float64() < share}
	}
	return obs
}

// unitFree has each rate by name, as a function of intervals, without the fixed days of smoothing.
var unitFree = map[string]func([]Observed) float64{
	"naive":        func(o []Observed) float64 { return Naive(counted(o)) },
	"bias-reduced": func(o []Observed) float64 { return BiasReduced(counted(o)) },
	"mle":          mle,
	"last-modified": func(o []Observed) float64 {
		changes, intervals, _ := counted(o)
		quiet := 0.0
		for _, o := range o {
			if o.Changed {
				quiet += o.Days / 3
			} else {
				quiet += o.Days
			}
		}
		return LastModified(changes, intervals, quiet)
	},
}

// Intervals in hours or weeks give the same rate as in days, in any order. One more change in the
// same intervals never gives a lower rate.
func TestRateRelations(t *testing.T) {
	rng := seedOf(t, 5)
	for range 2000 {
		obs := randomObserved(rng)
		for name, rate := range unitFree {
			want := rate(obs)
			for _, unit := range []float64{24, 1. / 7} {
				told := make([]Observed, len(obs))
				for i, o := range obs {
					told[i] = Observed{Days: o.Days * unit, Changed: o.Changed}
				}
				if got := rate(told) * unit; want < FastestRate/25 && !near(got, want, 1e-9*want) {
					t.Fatalf("%s of %v: %g; told in other units %g", name, obs, want, got)
				}
			}
			mixed := append([]Observed(nil), obs...)
			rng.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
			if got := rate(mixed); !near(got, want, 1e-9*want) {
				t.Fatalf("%s of %v: %g; in another order %g", name, obs, want, got)
			}
		}
		for name, rate := range map[string]func(
			[]Observed) float64{"naive": unitFree["naive"],
			"bias-reduced": unitFree["bias-reduced"], "mle": mle, "smoothed": smoothedMLE} {
			before := rate(obs)
			for i := range obs {
				if obs[i].Changed {
					continue
				}
				obs[i].Changed = true
				if got := rate(obs); got < before*(1-1e-12) {
					t.Fatalf("%s of %v: %g, and %g before interval %d counted as changed",
						name, obs, got, before, i)
				}
				obs[i].Changed = false
			}
		}
	}
}

func ExampleGrouped_Estimate() {
	// Visits on days 1, 2, 7 and 10 saw changes on days 2 and 7.
	g := Grouped{Unchanged: 3, Changed: [3]Group{{Count: 1, Days: 1}, {Count: 1, Days: 5}}}
	e := g.Estimate(3)
	fmt.Printf("naive %.3f, most likely %.3f\n", Naive(2, 3, 9), e.RatePerDay)
	fmt.Printf("between %.3f and %.3f\n", e.Low, e.High)
	// Output:
	// naive 0.222, most likely 0.384
	// between 0.060 and 1.359
}
