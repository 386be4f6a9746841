package estimator

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

var epoch = time.Date(2004, 3, 1, 0, 0, 0, 0, time.UTC)

// wide limits do not clamp the results of a test.
var wide = Limits{Min: time.Second, Max: FromDays(math.Inf(1))}

// visit is one revisit of a page; modified is in days after the first visit, 0: unknown.
type visit struct {
	day      float64
	changed  bool
	modified float64
}

func historyOf(visits ...visit) sitegraph.History {
	h := sitegraph.Start(epoch)
	for _, v := range visits {
		var modified time.Time
		if v.modified > 0 {
			modified = epoch.Add(FromDays(v.modified))
		}
		h.See(epoch.Add(FromDays(v.day)), v.changed, modified)
	}
	return h
}

// daily returns a history of visits at equal steps; changed lists those that saw a change.
func daily(n int, step float64, changed ...int) sitegraph.History {
	visits := make([]visit, n)
	for i := range visits {
		visits[i].day = float64(i+1) * step
	}
	for _, i := range changed {
		visits[i-1].changed = true
	}
	return historyOf(visits...)
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

// [SAT eq. 1]; the first two are the worked values of its derivation, 4.481 and 2.524 days.
func TestIntervalWorkedValues(t *testing.T) {
	for _, c := range []struct {
		name    string
		history sitegraph.History
		want    float64 // days
	}{
		{"ten daily visits, changes at 3 and 7: 1/ln(10/8)", daily(10, 1, 3, 7), 4.481},
		{"visits at 2 (changed), 6, 14 (changed): sqrt(2*5)/ln(14/4)",
			historyOf(visit{2, true, 0}, visit{6, false, 0}, visit{14, true, 0}), 2.524},
		{"one change in two visits: 1/ln 2", daily(2, 1, 2), 1 / math.Ln2},
		{"Last-Modified ends the change interval early: 2/ln(10/8)", historyOf(visit{10, true, 2}),
			8.963},
		{"Last-Modified before the last visit tells nothing: U = 1",
			historyOf(visit{1, false, 0}, visit{3, true, 0.5}), 2 / math.Log(3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Interval(c.history, 0, wide)
			if got := Days(e.Interval); !near(got, c.want, 0.0005) {
				t.Errorf("interval %.4f days, want %.3f", got, c.want)
			}
			if !near(e.RatePerDay*Days(e.Interval), 1, 1e-9) {
				t.Errorf("rate %g is not 1 / %g", e.RatePerDay, Days(e.Interval))
			}
			if e.Warning != "" || e.Observations != int(c.history.Visits)-1 {
				t.Errorf("warning %q, %d observations of %d visits",
					e.Warning, e.Observations, c.history.Visits)
			}
		})
	}
}

// Cases in which eq. 1 is undefined, and the limits [SAT 2.3: u and T*u].
func TestIntervalUndefined(t *testing.T) {
	limits := Limits{Min: 2 * Day, Max: 100 * Day}
	for _, c := range []struct {
		name     string
		history  sitegraph.History
		previous float64 // days
		want     float64
		warns    bool
	}{
		{"nothing known", sitegraph.History{}, 0, 2, true},
		{"visited once keeps the given one", historyOf(), 17, 17, true},
		{"visited once, given too long", historyOf(), 1000, 100, true},
		{"never changed: half as much again", daily(5, 1), 10, 15, true},
		{"never changed, none before: from the shortest", daily(5, 1), 0, 3, true},
		{"never changed, up to the longest", daily(5, 1), 99, 100, true},
		{"always changed: the shortest", daily(3, 10, 1, 2, 3), 50, 2, true},
		{"defined, below the limits", daily(10, 0.1, 1, 2, 3, 4, 5), 0, 2, false},
		{"defined, above the limits", daily(200, 10, 7), 0, 100, false},
		{"defined, previous does not matter", daily(10, 1, 3, 7), 77, 4.481, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Interval(c.history, FromDays(c.previous), limits)
			if got := Days(e.Interval); !near(got, c.want, 0.0005) {
				t.Errorf("interval %.4f days, want %.3f", got, c.want)
			}
			if (e.Warning != "") != c.warns {
				t.Errorf("warning %q", e.Warning)
			}
			if e.Low != e.RatePerDay || e.High != e.RatePerDay {
				t.Errorf("the method gives no interval of the rate, yet says %g to %g around %g",
					e.Low, e.High, e.RatePerDay)
			}
		})
	}
}

// A history in hours gives 24 times the rate of the same numbers in days.
func TestIntervalUnits(t *testing.T) {
	seed := uint64(5)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		var days, hours []visit
		at := 0
		for range 2 + rng.IntN(20) {
			at += 1 + rng.IntN(9)
			changed := rng.Float64() < 0.4
			days = append(days, visit{float64(at), changed, 0})
			hours = append(hours, visit{float64(at) / 24, changed, 0})
		}
		inDays, inHours := Interval(historyOf(days...), Day, wide),
			Interval(historyOf(hours...), time.Hour, Limits{time.Second / 24, wide.Max})
		if !near(inHours.RatePerDay/inDays.RatePerDay, 24, 1e-6) {
			t.Fatalf("seed %d, %v: rate %g in days, %g in hours",
				seed, days, inDays.RatePerDay, inHours.RatePerDay)
		}
		if p, q := (GammaPoisson{0.5, 131}).Posterior(historyOf(days...)).Probability(Day),
			(GammaPoisson{0.5, 131.0 / 24}).Posterior(historyOf(hours...)).Probability(
				time.Hour); !near(p, q, 1e-12) {
			t.Fatalf("seed %d, %v: probability %g in days, %g in hours", seed, days, p, q)
		}
	}
}

// With equal access intervals eq. 1 is the maximum likelihood estimate: exp(-step/interval)
// is the share of intervals without a change.
func TestIntervalMaximumLikelihood(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for m := 1; m < n; m++ {
			changed := make([]int, m)
			for i := range changed {
				changed[i] = n - i
			}
			const step = 3.0
			e := Interval(daily(n, step, changed...), 0, wide)
			if got, want := math.Exp(-step/Days(e.Interval)),
				float64(n-m)/float64(n); !near(got, want, 1e-6) {
				t.Fatalf("%d changes in %d visits: no change in %g of the intervals, want %g",
					m, n, got, want)
			}
		}
	}
}

// Pages change as a Poisson process and are visited at equal intervals. The share of intervals
// without change is binomial around exp(-rate*step), so the bias of the estimate is within its
// tolerance. 4.5 standard deviations: one seed in 100 000 fails.
func TestIntervalOnPoissonPages(t *testing.T) {
	const pages, visits, step, seed = 100, 200, 1.0, 11
	for _, rate := range []float64{0.05, 0.2, 0.7, 1.5} {
		rng := rand.New(rand.NewPCG(seed, math.Float64bits(rate)))
		pooled := 0.0
		for range pages {
			h := poissonHistory(rng, rate, visits, step)
			e := Interval(h, 0, wide)
			if e.Warning != "" {
				t.Fatalf("seed %d, rate %g: %s", seed, rate, e.Warning)
			}
			pooled += math.Exp(-e.RatePerDay*step) / pages
		}
		q := math.Exp(-rate * step)
		tolerance := 4.5 * math.Sqrt(q*(1-q)/(pages*visits))
		low, high := -math.Log(q+tolerance)/step, -math.Log(q-tolerance)/step
		if got := -math.Log(pooled) / step; got < low || got > high {
			t.Errorf("rate %g estimated as %g, want %g to %g; repeat: go test -run "+
				"TestIntervalOnPoissonPages ./estimator with seed %d", rate, got, low, high, seed)
		}
	}
}

// poissonHistory returns visits at equal intervals to a page of a constant rate, per day.
func poissonHistory(rng *rand.Rand, rate float64, visits int, step float64) sitegraph.History {
	all := make([]visit, visits)
	next := rng.ExpFloat64() / rate
	for i := range all {
		all[i].day = float64(i+1) * step
		for next <= all[i].day {
			all[i].changed = true
			next += rng.ExpFloat64() / rate
		}
	}
	return historyOf(all...)
}

func TestEstimateAt(t *testing.T) {
	e := Estimate{RatePerDay: 0.1}
	for age, want := range map[time.Duration]float64{0: 0, -Day: 0, Day: 1 - math.Exp(-0.1),
		10 * Day: 1 - math.Exp(-1), 100000 * Day: 1} {
		if got := e.At(age).Probability; !near(got, want, 1e-12) {
			t.Errorf("probability %g after %v, want %g", got, age, want)
		}
	}
}

func TestDays(t *testing.T) {
	const longest = 200 * 365 * Day
	for days, want := range map[float64]time.Duration{0: 0, 1: Day, 0.5: 12 * time.Hour,
		73000: longest, 1e9: longest, math.Inf(1): longest} {
		if got := FromDays(days); got != want {
			t.Errorf("FromDays(%g) = %v, want %v", days, got, want)
		}
	}
	if got := FromDays(math.NaN()); got != longest {
		t.Errorf("FromDays(NaN) = %v, want %v", got, longest)
	}
	if got := Days(36 * time.Hour); got != 1.5 {
		t.Errorf("36 h are %g days", got)
	}
}
