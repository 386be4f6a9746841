package estimator

import (
	"math"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

func gridOf(obs []Observed) (g Grid) {
	for _, o := range obs {
		g.Observe(o.Days, o.Changed)
	}
	return g
}

// For pages that never changed, the posterior under a gamma prior is again gamma: the grid gives
// the same probabilities, within the resolution of its steps.
func TestGridAgreesWithGammaPoisson(t *testing.T) {
	for _, prior := range []GammaPoisson{{1, 10}, {2, 40}, {3, 5}, DefaultPrior} {
		tolerance := 0.03
		if prior == DefaultPrior { // it expects rates below the slowest of the grid
			tolerance = 0.08
		}
		for _, days := range []float64{0, 1, 10, 100, 1000} {
			onGrid := prior.Rates()
			var seen Grid
			seen.Observe(days/2, false)
			seen.Observe(days/2, false)
			posterior := seen.Posterior(&onGrid)
			exact := GammaPoisson{prior.Shape, prior.Days + days}
			for _, age := range []float64{0.1, 1, 10, 100} {
				got, want := posterior.Probability(age), exact.Probability(FromDays(age))
				if !near(got, want, tolerance*want) {
					t.Errorf("%+v, quiet for %g days: %.5f within %g days, want %.5f",
						prior, days, got, age, want)
				}
			}
			if got, want := posterior.Mean(),
				exact.Mean(); !near(got, want, 0.02*want+tolerance*want) {
				t.Errorf("%+v, quiet for %g days: mean %g, want %g", prior, days, got, want)
			}
		}
	}
}

// The posterior mode is the MLE, within half a step of the grid. LogEvidence is the sum of its
// definition.
func TestGridPosterior(t *testing.T) {
	rng := seedOf(t, 31)
	flat := FlatRates()
	for range 500 {
		obs := randomObserved(rng)
		g := gridOf(obs)
		posterior := g.Posterior(&flat)
		sum, evidence, mode := 0.0, 0.0, 0
		for i, w := range posterior.Weight {
			sum += w
			if w > posterior.Weight[mode] {
				mode = i
			}
			likelihood := 1.0
			for _, o := range obs {
				if p := math.Exp(-GridRate(i) * o.Days); o.Changed {
					likelihood *= 1 - p
				} else {
					likelihood *= p
				}
			}
			evidence += likelihood / GridSize
		}
		if !near(sum, 1, 1e-9) {
			t.Fatalf("weights sum to %g", sum)
		}
		if got := g.LogEvidence(&flat); evidence > 1e-280 &&
			!near(got, math.Log(evidence), 1e-6*(1+math.Abs(got))) {
			t.Fatalf("%v: log evidence %g, want %g", obs, got, math.Log(evidence))
		}
		changes, intervals, _ := counted(obs)
		if likeliest := mle(obs); changes > 0 && changes < intervals && likeliest > slowestGrid &&
			likeliest < fastestGrid {
			if off := math.Abs(math.Log(likeliest / GridRate(mode))); off > gridStep {
				t.Fatalf("%v: likeliest %g, on the grid %g", obs, likeliest, GridRate(mode))
			}
		}
	}
}

// Order does not matter without Forget. Keeping all, Forget changes nothing; keeping nothing, it
// restores the state before the first visit.
func TestGridOrderAndForgetting(t *testing.T) {
	rng := seedOf(t, 32)
	for range 200 {
		obs := randomObserved(rng)
		a := gridOf(obs)
		rng.Shuffle(len(obs), func(i, j int) { obs[i], obs[j] = obs[j], obs[i] })
		b := gridOf(obs)
		for i := range a.Log {
			if !near(a.Log[i], b.Log[i], 1e-9*(1+math.Abs(a.Log[i]))) {
				t.Fatalf("log likelihood %g, in another order %g", a.Log[i], b.Log[i])
			}
		}
		kept := a
		kept.Forget(1)
		kept.Forget(math.NaN())
		kept.ForgetDays(-1, 0.5)
		if kept != a {
			t.Fatal("to keep all is not to change anything")
		}
		a.Forget(0)
		prior := DefaultRates()
		if got := a.Posterior(&prior); !near(got.Mean(), prior.Mean(), 1e-12) {
			t.Fatalf("all forgotten: mean %g, want the prior's %g", got.Mean(), prior.Mean())
		}
	}
	// Forgetting shows sooner that a quiet page began to change.
	prior := DefaultRates()
	var forgets, keeps Grid
	for day := range 400 {
		for _, g := range []*Grid{&forgets, &keeps} {
			g.Observe(1, day >= 380)
		}
		forgets.ForgetDays(1, KeepPerDay)
	}
	a, b := forgets.Posterior(&prior), keeps.Posterior(&prior)
	if a.Mean() < 2*b.Mean() {
		t.Errorf("changed daily for 20 of 400 days: %g with forgetting, %g without",
			a.Mean(), b.Mean())
	}
}

// For rates drawn from the prior, spread within the steps of the grid, 95 % are in the interval
// with any visits. Outcomes predicted with probability p happen with frequency p.
func TestGridCoverageAndCalibration(t *testing.T) {
	const pages = 4000
	rng := seedOf(t, 33)
	prior := DefaultRates()
	for i := range prior.Weight { // only rates that visits can distinguish
		if GridRate(i) < 0.003 || GridRate(i) > 3 {
			prior.Weight[i] = 0
		}
	}
	var none Grid
	prior = none.Posterior(&prior)
	below, above := 0, 0
	foretold, came := 0.0, 0.0
	for range pages {
		rate := prior.Quantile(rng.Float64())
		obs := watched(rng, rate, irregular(rng, 1+rng.IntN(60), 2))
		g := gridOf(obs)
		posterior := g.Posterior(&prior)
		e := posterior.Estimate(len(obs), 0)
		if rate < e.Low {
			below++
		} else if rate > e.High {
			above++
		}
		days := 20 * rng.Float64()
		p := posterior.Probability(days)
		foretold += p
		if rng.Float64() < -math.Expm1(-rate*days) {
			came++
		}
	}
	tolerance := 4.5 * math.Sqrt(Level*(1-Level)/pages)
	if held := 1 - float64(below+above)/pages; !near(held, Level, tolerance) {
		t.Errorf("%.4f of the intervals hold the rate (%d below, %d above), want %g +- %.4f",
			held, below, above, Level, tolerance)
	}
	if tolerance := 4.5 * math.Sqrt(foretold); !near(came, foretold, tolerance) {
		t.Errorf("%.0f pages changed, %.1f foretold, want within %.1f", came, foretold, tolerance)
	}
}

func TestRatesQuantile(t *testing.T) {
	flat := FlatRates()
	before := 0.0
	for p := 0.0; p <= 1; p += 1.0 / 64 {
		got := flat.Quantile(p)
		want := slowestGrid * math.Exp(gridStep*(p*GridSize-0.5))
		if !near(got, want, 1e-9*want) || got < before {
			t.Errorf("quantile %g of the flat one: %g, want %g", p, got, want)
		}
		before = got
	}
	prior := DefaultRates()
	changed := 0.0
	for i := range 100 { // a change on each of a hundred days outweighs the prior
		_ = i
		var g Grid
		g.observe(float64(i), 1, true)
		posterior := g.Posterior(&prior)
		if got := posterior.Probability(1); got < changed {
			t.Errorf("%d daily changes: %g, %g with one less", i, got, changed)
		} else {
			changed = got
		}
	}
	if changed < 0.97 {
		t.Errorf("a hundred changes in a hundred days: the next with %g", changed)
	}
	var zero Rates
	var none Grid
	if got := none.Posterior(&zero); got != FlatRates() {
		t.Error("under a prior that allows no rate: not flat")
	}
}

// Weeks returns the intervals of a history in order of time, and those of weekly visits exactly.
func TestWeeks(t *testing.T) {
	rng := seedOf(t, 34)
	for range 300 {
		h := sitegraph.Start(epoch)
		now := epoch
		var want []Observed
		for range rng.IntN(60) {
			weeks := 1 + rng.IntN(3)
			now = now.Add(time.Duration(weeks) * 7 * Day)
			changed := rng.IntN(3) == 0
			h.See(now, changed, time.Time{})
			want = append(want, Observed{Days: 7 * float64(weeks), Changed: changed})
		}
		var buf [32]Observed
		got := Weeks(h, &buf)
		if len(got) > len(want) || len(want) > 0 && len(want) < 10 && len(got) != len(want) {
			t.Fatalf("%d intervals of %d", len(got), len(want))
		}
		for i, o := range want[len(want)-len(got):] {
			if got[i] != o {
				t.Fatalf("interval %d of %d: %v, want %v", i, len(got), got[i], o)
			}
		}
	}
	h := daily(5, 1, 2, 5) // within a week or two
	var buf [32]Observed
	total := 0.0
	for _, o := range Weeks(h, &buf) {
		total += o.Days
	}
	if total <= 0 || total > 12 {
		t.Errorf("five daily visits: %g days in %v", total, Weeks(h, &buf))
	}
	if got := Weeks(sitegraph.Start(epoch), &buf); len(got) != 0 {
		t.Errorf("visited once: %v", got)
	}
}
