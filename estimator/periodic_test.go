package estimator

import (
	"math"
	"math/rand/v2"
	"testing"
)

// period is one way in which a page may change by the clock.
type period struct {
	days  float64 // from tick to tick
	phase float64 // days from the first visit to the first tick
	hit   float64 // probability that a tick changes the page
}

// likeliest returns the likeliest period, and the posterior probability that the page is periodic
// with any length, phase and hit.
func likeliest(p *Periodic, prior *Rates) (best period, probability float64) {
	most := 0.0
	poisson, all := p.weights(prior, func(i, j, k int, w float64) {
		if w > most {
			most = w
			best = period{Periods[i], (float64(j) + 0.5) / phases * Periods[i], tickHits[k]}
		}
	})
	return best, 1 - poisson/all
}

// byClock simulates a page that changes at phase + k*period with a probability, visited at equal
// intervals.
func byClock(rng *rand.Rand, period, phase, hit, every float64, visits int) (p Periodic) {
	for i := range visits {
		from, to := float64(i)*every, float64(i+1)*every
		changed := false
		for k := math.Floor((from - phase) / period); phase+k*period <= to; k++ {
			if at := phase + k*period; at > from && rng.Float64() < hit {
				changed = true
			}
		}
		p.Observe(Observed{Days: every, Changed: changed})
	}
	return p
}

// A page that changes weekly or monthly by the clock differs from a Poisson page of the same rate.
// Its phase is found, and the next change is predicted to the tick.
func TestPeriodicFindsTheClock(t *testing.T) {
	rng := seedOf(t, 71)
	prior := DefaultRates()
	for _, c := range []struct {
		period, phase, every float64
		visits               int
	}{{7, 3.4, 1, 60}, {7, 6.2, 0.5, 120}, {14, 10.3, 2, 60}, {Periods[3], 12.5, 3, 100}} {
		p := byClock(rng, c.period, c.phase, 0.97, c.every, c.visits)
		best, probability := likeliest(&p, &prior)
		off := math.Remainder(best.phase-c.phase, c.period)
		if probability < 0.95 || best.days != c.period || math.Abs(off) > c.every+c.period/phases {
			t.Errorf("%+v: %+v with probability %.3f", c, best, probability)
		}
		// Just after a tick no change is expected for most of a period.
		now := float64(c.visits) * c.every
		next := math.Mod(c.phase-now, c.period)
		if next < 0 {
			next += c.period
		}
		early, late := p.Probability(&prior, FromDays(next-c.every-c.period/phases)),
			p.Probability(&prior, FromDays(next+c.every+c.period/phases))
		if early > 0.2 || late < 0.7 {
			t.Errorf("%+v: %.3f before the next tick, %.3f after it", c, early, late)
		}
		if e := p.Estimate(&prior, 0); !near(e.RatePerDay, 1/c.period, 0.2/c.period) ||
			e.Warning != "" {
			t.Errorf("%+v: %+v", c, e)
		}
		checkEstimate(t, p.Estimate(&prior, FromDays(3)))
	}
}

// Poisson pages rarely look like clocks, and otherwise get the same estimate as from the grid.
func TestPeriodicOnPoissonPages(t *testing.T) {
	rng := seedOf(t, 72)
	prior := FlatRates()
	mistaken, off := 0, 0.0
	const pages = 300
	for range pages {
		rate := logUniform(rng, 0.01, 0.5)()
		var p Periodic
		for _, o := range watched(rng, rate, irregular(rng, 60, 1.5)) {
			p.Observe(o)
		}
		if _, probability := likeliest(&p, &prior); probability > 0.5 {
			mistaken++
		}
		posterior := p.grid.Posterior(&prior)
		off += math.Abs(p.Probability(&prior, FromDays(5)) - posterior.Probability(5))
	}
	if mistaken > pages/20 || off/pages > 0.03 {
		t.Errorf("%d of %d Poisson pages taken for clocks; probabilities differ by %.3f",
			mistaken, pages, off/pages)
	}
	var none Periodic
	if _, probability := likeliest(&none, &prior); !near(probability, periodicShare, 1e-12) {
		t.Errorf("nothing seen: periodic with %g", probability)
	}
	if e := none.Estimate(&prior, 0); e.Warning == "" || e.Probability != 0 {
		t.Errorf("nothing seen: %+v", e)
	}
}

// A clock far likelier than the Poisson process, but too fast for the visits, is left out without
// effect on the rest.
func TestPeriodicLeftOut(t *testing.T) {
	var p Periodic
	prior := DefaultRates()
	for i := range 6000 { // of two visits a day one sees the tick; and one more day at times
		p.Observe(Observed{Days: 0.3, Changed: false})
		p.Observe(Observed{Days: 0.7 + float64(i%10/9), Changed: true})
	}
	checkEstimate(t, p.Estimate(&prior, Day))
	if best, _ := likeliest(&p, &prior); best.days == Periods[0] {
		t.Errorf("visited every %g days in the mean: %+v", p.elapsed/float64(p.seen), best)
	}
}
