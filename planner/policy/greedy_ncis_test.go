package policy

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// One term of the sums by hand: half of the changes are signalled, half of the signals are true.
// With a change in two days alpha is 1/4, nu 1/4, gamma 1/2, beta 4 ln 2 days.
func TestNCISByHand(t *testing.T) {
	s := signalsOf(0.5, 0.5, 0.5)
	want := signals{silent: 0.25, wrong: 0.25, all: 0.5, worth: 4 * math.Ln2}
	for _, c := range [][2]float64{{s.silent, want.silent}, {s.wrong, want.wrong},
		{s.all, want.all}, {s.worth, want.worth}} {
		wantNear(t, "signals", c[0], c[1], 1e-12)
	}
	wantNear(t, "before a signal's worth", s.value(2),
		-math.Expm1(-1.5)/0.75+2*math.Exp(-0.5)*math.Expm1(-1), 1e-12)
	// After 4 days one more term: F = (1-e^-3)/0.75 + 0.25/0.75^2 R1(0.75 y), T = 2 (R0(2) + R1(0.5
	// y)).
	y := 4 - 4*math.Ln2
	r1 := func(x float64) float64 { return 1 - (1+x)*math.Exp(-x) }
	fresh := -math.Expm1(-3)/0.75 + 0.25/(0.75*0.75)*r1(0.75*y)
	till := 2 * (-math.Expm1(-2) + r1(0.5*y))
	wantNear(t, "after it", s.value(4), fresh-math.Exp(-1)*till, 1e-12)
	wantNear(t, "in the end", s.value(1e6), 2, 1e-9)
	if got := s.value(0); got != 0 {
		t.Errorf("value %g of a page just visited", got)
	}
}

// The value rises with the age to 1/rate, and is the integral of alpha exp(-alpha s) T(s). If
// signals carry no information it equals the value without signals.
func TestNCISValue(t *testing.T) {
	for _, rate := range []float64{0.0005, 0.1, 1, 7} {
		for _, precision := range []float64{0.001, 0.05, 0.11, 0.2, 0.6, 0.999} {
			for _, recall := range []float64{0.001, 0.3, 0.5, 0.99} {
				s, last := signalsOf(rate, precision, recall), 0.0
				for _, expected := range []float64{1e-6, 0.01, 0.3, 1, 2, 5, 20, 300, 1e5} {
					v := s.value(expected / rate)
					if !(v >= last*(1-1e-9)) || v > (1+1e-9)/rate {
						t.Fatalf("rate %g, precision %g, recall %g: %g after %g changes, %g before",
							rate, precision, recall, v, expected, last)
					}
					last = v
				}
				wantNear(t, "the most", last, 1/rate, 0.01)
				if recall == 0.001 {
					wantNear(t, "hardly a signal", s.value(1/rate), marginal(1)/rate, 0.05)
				}
			}
		}
	}
	// With more terms than are summed, compared with all of them.
	for _, precision := range []float64{0.02, 0.1} {
		s := signalsOf(0.2, precision, 0.5)
		for _, signals := range []float64{0.5, mostSignals - 0.5, mostSignals + 0.5,
			1.5 * mostSignals, 3 * mostSignals} {
			wantNear(t, "many signals", s.value(signals*s.worth), s.sums(signals*s.worth), 0.01)
		}
	}
}

// The mean cycle and its fresh time, simulated: visits as soon as the effective age is 5 days. The
// worth of a policy is freshness, fresh/cycle, and the value is fresh - exp(-alpha*5) cycle.
func TestNCISValueSimulated(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	const rate, precision, recall, threshold, cycles = 0.4, 0.3, 0.6, 5.0, 200_000
	s := signalsOf(rate, precision, recall)
	sum, squares := 0.0, 0.0
	for range cycles {
		now, age, fresh := 0.0, 0.0, math.Inf(1)
		for {
			next := rng.ExpFloat64() / (rate + s.wrong)
			if age+next >= threshold {
				now += threshold - age
				break
			}
			now, age = now+next, age+next
			change := rng.Float64() < rate/(rate+s.wrong)
			if change {
				fresh = min(fresh, now)
			}
			if !change || rng.Float64() < recall {
				if age += s.worth; age >= threshold {
					break
				}
			}
		}
		v := min(fresh, now) - math.Exp(-s.silent*threshold)*now
		sum, squares = sum+v, squares+v*v
	}
	mean := sum / cycles
	if tolerance := 4.5 * math.Sqrt((squares/cycles-mean*mean)/cycles); math.Abs(
		s.value(threshold)-mean) > tolerance {
		t.Errorf("value %g, drawn %g +- %g", s.value(threshold), mean, tolerance)
	}
}

// A page that changed by its sitemap precedes one without news, whether the claim comes before the
// round or in it, and the more so the better claims proved. Without claims the score is that of the
// rate.
func TestNCISGoesByClaims(t *testing.T) {
	for _, when := range []string{"before", "within"} {
		c, source := simtest.Claimed(t, 4, simtest.ClaimsBase.Add(20*planner.Day))
		frozen, modified, unnamed := source+1, source+2, source+3
		policy, err := New("ncis", Settings{Pages: c, Mode: planner.Stream, PerDay: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		p := planner.New(c, policy, planner.Options{})
		hear := func() {
			p.UpdateHints(source, planner.Sitemap,
				[]planner.Claim{{Page: frozen, Modified: simtest.ClaimsBase.Add(-planner.Day)},
					{Page: modified, Modified: simtest.ClaimsBase.Add(planner.Day)}}, true)
		}
		if when == "before" {
			hear()
		}
		p.Begin(planner.Round{Number: 1, Start: simtest.ClaimsBase,
			End: simtest.ClaimsBase.Add(planner.Day / 4), Budget: planner.Unlimited})
		g := policy.(ncisGreedy)
		rate := c.Prior().Mean()
		plain := g.score(modified, 0.25)
		if when == "within" {
			wantNear(t, "without a claim", plain, marginal(0.25*rate)/rate, 1e-6)
			hear()
		}
		if a, b := g.score(modified, 0.25), g.score(frozen, 0.25); a <= b || when == "within" &&
			a <= plain {
			t.Errorf("heard %s the round: claimed changed %g, not %g, nothing %g",
				when, a, b, plain)
		}
		s := signalsOf(rate, 0.2, 0.5)
		wantNear(t, "score", g.score(modified, 0.25), s.value(0.25+s.worth), 1e-6)
		wantNear(t, "probability", g.probability(modified, 0.25), 1-0.8*math.Exp(-0.5*rate*0.25),
			1e-6)
		wantNear(t, "probability without a claim", g.probability(unnamed, 0.25),
			c.Prior().Probability(planner.Day/4), 1e-6)
		seen := map[sitegraph.PageID]int{}
		first := ""
		for v, ok := p.Next(); ok; v, ok = p.Next() {
			if len(seen) == 0 {
				first = v.Reason.String()
			}
			if seen[v.Page]++; len(seen) == 1 && v.Page != modified || seen[v.Page] > 1 {
				t.Errorf("heard %s the round: visit %d is to page %d", when, len(seen), v.Page)
			}
		}
		if len(seen) != 4 || !strings.Contains(first, "claimed changed") {
			t.Errorf("heard %s the round: %d pages, the first because %q", when, len(seen), first)
		}
	}
}
