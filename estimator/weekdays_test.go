package estimator

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestExposure(t *testing.T) {
	p := Profile{[7]float64{0, 2, 1, 1, 1, 2, 0}} // from Sunday
	monday := time.Date(2004, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		from, days, want float64
	}{
		{0, 1, 2}, {0, 0.25, 0.5}, {4, 2, 2}, {5, 2, 0}, {0, 7, 7}, {3.5, 70, 70}, {4.75, 1, 0.5}, {1, -1, 0}, {0, 8.5, 9.5},
	} {
		from := monday.Add(FromDays(c.from))
		to := from.Add(time.Duration(c.days * float64(Day)))
		if got := p.Exposure(from, to); !near(got, c.want, 1e-9) {
			t.Errorf("%g days from day %g: %g, want %g", c.days, c.from, got, c.want)
		}
	}
	if got := p.Exposure(time.Unix(-86400*4, 0), time.Unix(0, 0)); !near(got, 0+2+1+1, 1e-9) { // Sunday to Wednesday
		t.Errorf("before 1970: %g", got)
	}
	rng := seedOf(t, 61)
	for range 500 { // it adds up
		a := monday.Add(time.Duration(rng.Int64N(int64(900 * Day))))
		b := a.Add(time.Duration(rng.Int64N(int64(90 * Day))))
		c := b.Add(time.Duration(rng.Int64N(int64(9 * Day))))
		if got, want := p.Exposure(a, b)+p.Exposure(b, c), p.Exposure(a, c); !near(got, want, 1e-4) {
			t.Fatalf("%v to %v to %v: %g in parts, %g in one", a, b, c, got, want)
		}
		even := Even()
		if got, want := even.Exposure(a, c), Days(c.Sub(a)); !near(got, want, 1e-4) {
			t.Fatalf("even: %g of %g days", got, want)
		}
	}
}

// access is an interval by its moments.
type access struct {
	from, to time.Time
	changed  bool
}

// byWeekday simulates pages of a rate and a profile, visited every so many days.
func byWeekday(rng *rand.Rand, truth *Profile, rate, every float64, pages, visits int) (all []access) {
	for range pages {
		at := epoch.Add(FromDays(7 * rng.Float64()))
		for range visits {
			next := at.Add(FromDays(every))
			all = append(all, access{at, next, rng.Float64() < -math.Expm1(-rate*truth.Exposure(at, next))})
			at = next
		}
	}
	return all
}

func countWeekdays(all []access, rate float64, under *Profile) (w Weekdays) {
	for _, a := range all {
		w.Observe(a.from, a.to, a.changed, rate, under)
	}
	return w
}

// A profile with quiet weekends is found from daily visits, and, in rounds, from visits every
// two days and a half; pages that change on all days alike get a warning nearly always.
func TestWeekdayProfile(t *testing.T) {
	truth := Profile{[7]float64{0.3, 1.3, 1.3, 1.3, 1.3, 1.2, 0.3}}
	even := Even()
	rng := seedOf(t, 63)
	for _, every := range []float64{1, 2.5} {
		all := byWeekday(rng, &truth, 0.15, every, 100, 200)
		guess := even
		for range 40 {
			w := countWeekdays(all, 0.15, &guess)
			guess = w.Profile(&even, DefaultWeekdayStrength)
			if got := w.Warning(DefaultWeekdayStrength); got != "" {
				t.Errorf("visits every %g days: %s", every, got)
			}
		}
		sum := 0.0
		t.Logf("visits every %g days: %.3f", every, guess.Factor)
		for day, got := range guess.Factor {
			sum += got
			if !near(got, truth.Factor[day], 0.1+0.1*every) {
				t.Errorf("visits every %g days, %v: %.3f, want %.3f", every, time.Weekday(day), got, truth.Factor[day])
			}
		}
		if !near(sum, 7, 1e-9) {
			t.Errorf("factors sum to %g", sum)
		}
	}
	found := 0
	for range 200 {
		w := countWeekdays(byWeekday(rng, &even, 0.1, 1, 5, 200), 0.1, &even)
		if w.Warning(DefaultWeekdayStrength) == "" {
			found++
		}
	}
	if found > 20 {
		t.Errorf("%d of 200 sites that change on all days alike got a profile", found)
	}
}

// Limits of shrinking, and the 95 % interval of a factor where each change is known.
func TestWeekdayShrinking(t *testing.T) {
	parent := Profile{[7]float64{0.5, 1, 1, 1, 1, 1, 1.5}}
	var none Weekdays
	for _, strength := range []float64{0, 1, math.Inf(1)} {
		p := none.Profile(&parent, strength)
		for day := range p.Factor {
			if !near(p.Factor[day], parent.Factor[day], 1e-9) {
				t.Errorf("no evidence, strength %g: %v", strength, p)
			}
		}
	}
	if none.Warning(10) == "" {
		t.Error("no evidence and no warning")
	}
	rng := seedOf(t, 64)
	const sites, strength = 2000, 10.0
	missed := 0
	for range sites { // factors from their prior: a gamma of shape 10 is a sum of exponentials
		factor := 0.0
		for range int(strength) {
			factor += rng.ExpFloat64() / strength
		}
		expected := 40 * rng.Float64()
		w := Weekdays{Expected: [7]float64{3: expected}}
		for at := rng.ExpFloat64(); at < factor*expected; at += rng.ExpFloat64() {
			w.Changes[3]++
		}
		if _, low, high := w.Factor(time.Wednesday, strength); factor < low || factor > high {
			missed++
		}
	}
	if held, tolerance := 1-float64(missed)/sites, 4.5*math.Sqrt(Level*(1-Level)/sites); !near(held, Level, tolerance) {
		t.Errorf("%.4f of the intervals hold the factor, want %g +- %.4f", held, Level, tolerance)
	}
}
