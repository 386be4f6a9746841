package policy

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// allocations has the three optimisations: their solution and their objective, for a page of some
// rate and visits a day.
var allocations = map[string]struct {
	solve     func([]class, float64)
	objective func(rate, visit float64) float64
	slope     func(rate, visit float64) float64 // derivative of the objective by visit
	starves   bool                              // fast pages get no visit if the budget is small
}{
	"freshness": {optimalFreshness,
		func(rate, visit float64) float64 { return -math.Expm1(-rate/visit) * visit / rate },
		func(rate, visit float64) float64 {
			if visit == 0 {
				return 1 / rate
			}
			x := rate / visit
			return (1 - (1+x)*math.Exp(-x)) / rate
		}, true},
	"binary-lambdacrawl": {binaryLambdaCrawl,
		func(rate, visit float64) float64 { return visit / (visit + rate) },
		func(rate, visit float64) float64 { return rate / ((visit + rate) * (visit + rate)) },
		true},
	"lambdacrawl": {lambdaCrawl,
		func(rate, visit float64) float64 { return -math.Log((visit + rate) / visit) },
		func(rate, visit float64) float64 { return rate / (visit * (visit + rate)) }, false},
}

// Cho and Garcia-Molina 2000, the example of five pages that change once to five times a day, with
// five visits a day: the frequencies of greatest freshness.
func TestOptimalFreshnessWorked(t *testing.T) {
	var classes []class
	for rate := 1.0; rate <= 5; rate++ {
		classes = append(classes, class{rate: rate, pages: 1})
	}
	optimalFreshness(classes, 5)
	for i, want := range []float64{1.15, 1.36, 1.35, 1.14, 0} {
		if math.Abs(classes[i].visit-want) > 0.005 {
			t.Errorf("rate %d: %.4f visits a day, want %.2f", i+1, classes[i].visit, want)
		}
	}
}

// By hand, two pages of rates 1 and 4 with a visit a day. Binary (Azar et al. 2018): 6 sqrt(rate) /
// 3 - rate is 1 and 0; of rates 1 and 16, 18/5 - 1 and 18*4/5 - 16 < 0, so the first gets all.
// Harmonic (Kolobov et al. 2019): of two pages of one rate each gets half.
func TestLambdaCrawlByHand(t *testing.T) {
	for _, c := range []struct {
		solve        func([]class, float64)
		slow, fast   float64
		budget       float64
		wantS, wantF float64
	}{
		{binaryLambdaCrawl, 1, 4, 1, 1, 0},
		{binaryLambdaCrawl, 1, 16, 1, 1, 0},
		{binaryLambdaCrawl, 1, 4, 4, 2, 2}, // 9 sqrt(rate) / 3 - rate
		{binaryLambdaCrawl, 1, 4, 10, 4, 6},
		// visit (visit + rate) is in the proportion of the rates: 1 * 2 to 2 * (2+2).
		// (s-1)(s+1) = 4 = 2 * 1 * 2
		{lambdaCrawl, 1, 2, 1 + (math.Sqrt(5) - 1), 1, math.Sqrt(5) - 1},
	} {
		classes := []class{{rate: c.slow, pages: 1}, {rate: c.fast, pages: 1}}
		c.solve(classes, c.budget)
		if math.Abs(classes[0].visit-c.wantS) > 1e-9 || math.Abs(classes[1].visit-c.wantF) > 1e-9 {
			t.Errorf("rates %g, %g, budget %g: visits %.12g, %.12g; want %g, %g",
				c.slow, c.fast, c.budget, classes[0].visit, classes[1].visit, c.wantS, c.wantF)
		}
	}
}

// The conditions of Karush, Kuhn and Tucker hold at random rates and budgets. The budget is used.
// One more visit is worth the same to all pages with visits, and no more to those without. The
// slopes used for that are those of the objectives.
func TestAllocationsAreOptimal(t *testing.T) {
	for name, a := range allocations {
		starved := 0
		for seed := range uint64(200) {
			rng := rand.New(rand.NewPCG(seed, 3))
			var classes []class
			pages := 0.0
			for rate := math.Exp(rng.Float64()*4 - 8); rate < 5 &&
				len(classes) < 30; rate *= 1 + rng.Float64() {
				classes = append(classes, class{rate: rate, pages: float64(1 + rng.IntN(1000))})
				pages += classes[len(classes)-1].pages
			}
			budget := pages * math.Exp(rng.Float64()*6-5)
			a.solve(classes, budget)
			used, price := 0.0, 0.0
			for _, c := range classes {
				used += c.pages * c.visit
				price = max(price, a.slope(c.rate, c.visit))
			}
			if math.Abs(used-budget) > 1e-6*budget {
				t.Fatalf("%s, seed %d: %g visits a day of %g", name, seed, used, budget)
			}
			for _, c := range classes {
				if c.visit < 0 || c.visit == 0 && !a.starves {
					t.Fatalf("%s, seed %d: %g visits to pages of rate %g",
						name, seed, c.visit, c.rate)
				}
				if c.visit == 0 {
					starved++
					continue
				}
				if got := a.slope(c.rate, c.visit); math.Abs(got-price) > 1e-5*price {
					t.Fatalf("%s, seed %d: a visit more is worth %.9g to pages of rate %g, %.9g "+
						"to others", name, seed, got, c.rate, price)
				}
				step := 1e-5 * c.visit
				numeric := (a.objective(c.rate, c.visit+step) - a.objective(c.rate,
					c.visit-step)) / (2 * step)
				if got := a.slope(c.rate, c.visit); math.Abs(numeric-got) > 1e-3*got+1e-9 {
					t.Fatalf("%s: slope %g at rate %g, visit %g; numerically %g",
						name, got, c.rate, c.visit, numeric)
				}
			}
		}
		if a.starves != (starved > 0) {
			t.Errorf("%s: %d classes without visits", name, starved)
		}
	}
}

// estimator.FreshAt inverts marginal, and marginal is accurate where its terms nearly cancel.
func TestMarginal(t *testing.T) {
	for x := 1e-7; x < 30; x *= 1.3 {
		if got := estimator.FreshAt(marginal(x)); math.Abs(got-x) > 1e-6*x {
			t.Errorf("FreshAt(marginal(%g)) = %g", x, got)
		}
	}
	for _, c := range [][2]float64{{0, 0}, {1, 1 - 2/math.E}, {2, 1 - 3*math.Exp(-2)},
		{1e-6, 5e-13 - 1e-18/3}} {
		if got := marginal(c[0]); math.Abs(got-c[1]) > 1e-12*c[1] {
			t.Errorf("marginal(%g) = %.15g, want %.15g", c[0], got, c[1])
		}
	}
}

// In the long run each page is visited at the frequency solved for its rate.
func TestAllocationIsKept(t *testing.T) {
	const perDay, rounds, skipped = 9, 200, 20
	w := simtest.NewWorld(5, 2, 40, false)
	m := newSim(t, w, nil, "true-freshness",
		Settings{Mode: planner.Stream, Seed: 5, PerDay: perDay}, planner.Options{})
	visits := map[float64]float64{}
	m.OnVisit = func(v planner.Visit) { visits[trueRate(m)(v.Page)]++ }
	for day := 1; day <= skipped+rounds; day++ {
		if day == skipped+1 {
			clear(visits)
		}
		m.Day(day, perDay)
	}
	of := map[float64]*class{}
	for p := range sitegraph.PageID(m.Pages.Count()) {
		rate := trueRate(m)(p)
		if of[rate] == nil {
			of[rate] = &class{rate: rate}
		}
		of[rate].pages++
	}
	var classes []class
	for _, c := range of {
		classes = append(classes, *c)
	}
	optimalFreshness(classes, perDay)
	for _, c := range classes {
		want := c.pages * c.visit * rounds
		if got := visits[c.rate]; math.Abs(got-want) > 0.05*want+c.pages {
			t.Errorf("rate %g: %g visits to %g pages in %d days, want about %.0f",
				c.rate, got, c.pages, rounds, want)
		}
	}
	if len(classes) != 4 {
		t.Errorf("%d rates, want 4", len(classes))
	}
}
