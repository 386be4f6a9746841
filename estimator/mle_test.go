package estimator

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// oneByOne returns the likelihood of intervals as in [Cho 2003], each in its own group, for
// comparison with that of a History.
func oneByOne(obs []Observed) (l likelihood) {
	for _, o := range obs {
		switch {
		case !positive(o.Days):
		case o.Changed:
			l.changed = append(l.changed, Group{Count: 1, Days: o.Days})
		default:
			l.unchanged += o.Days
		}
	}
	return l
}

// imagined returns intervals with those that smoothing adds.
func imagined(obs []Observed) []Observed {
	return append(slices.Clone(obs), Observed{0.5, true}, Observed{0.5, false})
}

func mle(obs []Observed) float64         { return oneByOne(obs).root() }
func smoothedMLE(obs []Observed) float64 { return inSmoothRange(oneByOne(imagined(obs)).root()) }

func mleEstimate(obs []Observed) Estimate { return oneByOne(obs).estimate(len(obs)) }
func smoothedMLEEstimate(obs []Observed) Estimate {
	return oneByOne(imagined(obs)).smoothedEstimate(len(obs))
}

// bisected returns the root of the equation of MLE by bisection.
func bisected(obs []Observed, low, high float64) float64 {
	for range 200 {
		rate, sum := math.Sqrt(low*high), 0.0
		for _, o := range obs {
			if o.Changed {
				sum += o.Days / math.Expm1(rate*o.Days)
			} else {
				sum -= o.Days
			}
		}
		if sum > 0 {
			low = rate
		} else {
			high = rate
		}
	}
	return low
}

func TestMLESolvesItsEquation(t *testing.T) {
	rng := seedOf(t, 21)
	for range 3000 {
		obs := randomObserved(rng)
		changes, intervals, _ := counted(obs)
		got := mle(obs)
		switch {
		case changes == 0:
			if got != 0 {
				t.Fatalf("no change: %g", got)
			}
		case changes == intervals:
			if got != FastestRate {
				t.Fatalf("changed always: %g", got)
			}
		default:
			if want := bisected(obs, 1e-9, FastestRate); !near(got, want, 1e-9*want) {
				t.Fatalf("%v: %.12g, the equation says %.12g", obs, got, want)
			}
			if naive := Naive(counted(obs)); got < naive {
				t.Fatalf("%v: %g, below the naive %g", obs, got, naive)
			}
		}
		want := min(max(bisected(imagined(obs), 1e-9, FastestRate), 0.0005), 7)
		if got := smoothedMLE(obs); !near(got, want, 1e-9*want) {
			t.Fatalf("%v: smoothed %.12g, want %.12g", obs, got, want)
		}
	}
}

// Equal intervals have the closed form -ln(1 - X/n) / I, and no data that of the imaginary
// intervals, ln 2 / 0.5. The intervals of the likelihood match their definition.
func TestMLEClosedForms(t *testing.T) {
	for _, n := range []int{2, 10, 300} {
		for x := 1; x < n; x++ {
			obs := make([]Observed, n)
			for i := range obs {
				obs[i] = Observed{Days: 3, Changed: i < x}
			}
			want := -math.Log1p(-float64(x)/float64(n)) / 3
			e := mleEstimate(obs)
			if !near(e.RatePerDay, want, 1e-9*want) {
				t.Errorf("%d of %d: %g, want %g", x, n, e.RatePerDay, want)
			}
			l := oneByOne(obs)
			for _, end := range []float64{e.Low, e.High} {
				if drop := l.log(want) - l.log(end); !near(drop, halfChiSquare, 1e-5) {
					t.Errorf("%d of %d: the likelihood falls by %g at %g", x, n, drop, end)
				}
			}
		}
	}
	if got, want := (Grouped{}).SmoothedMLE(), math.Ln2/0.5; !near(got, want, 1e-9) {
		t.Errorf("of nothing: %g, want %g", got, want)
	}
	if e := mleEstimate(nil); e.RatePerDay != 0 || e.Low != 0 || e.High != FastestRate ||
		e.Warning == "" {
		t.Errorf("of nothing: %+v", e)
	}
	if e := mleEstimate([]Observed{{10, false}}); e.RatePerDay != 0 ||
		!near(e.High, halfChiSquare/10, 1e-12) {
		t.Errorf("of one visit that saw no change: %+v", e)
	}
	if got := (Grouped{Unchanged: 100_000}).SmoothedMLE(); got != slowestSmooth {
		t.Errorf("quiet for 274 years: %g, want the slowest", got)
	}
}

// With visits at random times the mean rate is right within four standard errors, with a bias of at
// most 1/X of the rate.
func TestMLEBias(t *testing.T) {
	rng := seedOf(t, 8)
	for _, rate := range []float64{0.05, 0.3} {
		const pages = 2000
		sum, squares, changes := 0.0, 0.0, 0
		for range pages {
			obs := watched(rng, rate, irregular(rng, 100, 2))
			x, _, _ := counted(obs)
			changes += x
			got := mle(obs)
			sum += got
			squares += got * got
		}
		mean := sum / pages
		tolerance := 4*math.Sqrt((squares/pages-mean*mean)/pages) + rate*pages/float64(changes)
		if !near(mean, rate, tolerance) {
			t.Errorf("rate %g: %g in the mean, want within %g", rate, mean, tolerance)
		}
	}
}

// A history gives the same rate as its intervals one by one: exactly up to two changes, and beyond
// within the stated error.
func TestFromHistory(t *testing.T) {
	rng := seedOf(t, 13)
	worst := 0.0
	for range 3000 {
		n := 1 + rng.IntN(30)
		rate := 0.02 * math.Pow(20, rng.Float64())
		var obs []Observed
		h := sitegraph.Start(epoch)
		now := epoch
		longest, changed, changes := 0.0, 0.0, 0
		for range n {
			span := time.Duration(3600+rng.IntN(86400*4)) * time.Second
			now = now.Add(span)
			o := Observed{Days: Days(span), Changed: rng.Float64() < -math.Expm1(-rate*Days(span))}
			h.See(now, o.Changed, time.Time{})
			obs = append(obs, o)
			if o.Changed {
				longest = max(longest, o.Days)
				changed += o.Days
				changes++
			}
		}
		got, want := FromHistory(h).MLE(), mle(obs)
		off := 0.0
		if want > 0 {
			off = got/want - 1
		}
		switch {
		case changes <= 2 || changes == n:
			if math.Abs(off) > 1e-9 {
				t.Fatalf("%v: %g, one by one %g", obs, got, want)
			}
		case longest <= 2*changed/float64(changes):
			worst = max(worst, math.Abs(off))
			if off > 1e-9 || off < -0.05 && want*longest < 2 {
				t.Fatalf("%v: %g, one by one %g", obs, got, want)
			}
		}
		smoothed := MLEFromHistory(h)
		if smoothed < slowestSmooth || smoothed > fastestSmooth {
			t.Fatalf("%+v: smoothed %g", h, smoothed)
		}
		if want := smoothedMLE(obs); changes <= 2 && !near(smoothed, want, 1e-9*want) {
			t.Fatalf("%v: smoothed %g, one by one %g", obs, smoothed, want)
		}
	}
	t.Logf("largest difference where the longest is at most twice the mean: %.3f", worst)
}
