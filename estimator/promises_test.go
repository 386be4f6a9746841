package estimator

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// everyEstimate returns all estimates of the package for intervals and a history.
func everyEstimate(obs []Observed, h sitegraph.History, age time.Duration) []Estimate {
	changes, intervals, days := counted(obs)
	grouped := FromHistory(h)
	var grid Grid
	var clock Periodic
	for _, o := range obs {
		grid.ForgetDays(o.Days, KeepPerDay)
		grid.Observe(o.Days, o.Changed)
		clock.Observe(o)
	}
	ofHistory, ofWeeks := GridFromHistory(h), GridOfWeeks(h, KeepPerDay)
	prior := DefaultRates()
	a, b, c := grid.Posterior(&prior), ofHistory.Posterior(&prior), ofWeeks.Posterior(&prior)
	return []Estimate{
		NaiveEstimate(changes, intervals, days).At(age),
		BiasReducedEstimate(changes, intervals, days).At(age),
		mleEstimate(obs).At(age), smoothedMLEEstimate(obs).At(age),
		grouped.Estimate(int(h.Visits)).At(age), grouped.SmoothedEstimate(int(h.Visits)).At(age),
		LastModifiedEstimate(h, true).At(age), LastModifiedEstimate(h, false).At(age),
		a.Estimate(intervals, age), b.Estimate(intervals, age), c.Estimate(intervals, age),
		clock.Estimate(&prior, age),
	}
}

// FuzzRates checks guarantees 1 and 2 on intervals of any numbers, also impossible ones: eight
// bytes are the days of one, and their last bit whether it changed.
func FuzzRates(f *testing.F) {
	f.Add([]byte{}, uint32(0), uint32(0), uint32(0), uint32(0), uint32(0), int64(0))
	var seed []byte
	for _, x := range []float64{1, 0.5, 1e-300, 1e300, math.NaN(), math.Inf(1), -1, 7, 30.1, 0} {
		seed = binary.LittleEndian.AppendUint64(seed, math.Float64bits(x))
		seed = binary.LittleEndian.AppendUint64(seed, math.Float64bits(x)|1)
	}
	f.Add(seed, uint32(9), uint32(8*86400), uint32(3), uint32(40), uint32(4), int64(86400*5))
	f.Add(seed[16:48], uint32(1<<31), ^uint32(0), ^uint32(0), uint32(0), ^uint32(0), int64(1)<<32)
	f.Fuzz(func(t *testing.T, data []byte, first, last, stable, shortest, changes uint32,
		age int64) {
		var obs []Observed
		for len(data) >= 8 && len(obs) < 64 {
			bits := binary.LittleEndian.Uint64(data)
			obs = append(obs, Observed{Days: math.Float64frombits(bits), Changed: bits&1 == 1})
			data = data[8:]
		}
		h := sitegraph.History{Epoch: first, Last: last, Stable: stable, MinInterval: shortest,
			Changes: changes, Visits: changes/2 + 1,
			WeeksSeen: stable ^ changes, WeeksChanged: shortest}
		var online SA
		for _, o := range obs {
			online.Add(o.Changed, 1/o.Days)
		}
		for _, rate := range []float64{LLN(counted(obs)),
			LLN(int(changes), int(first), Days(h.Elapsed())), online.Rate} {
			if !(rate >= 0 && rate <= FastestRate) {
				t.Fatalf("%v: online rate %g", obs, rate)
			}
		}
		at := time.Duration(age%(1<<33)) * time.Second
		before := everyEstimate(obs, h, 0)
		for i, e := range everyEstimate(obs, h, max(at, 0)) {
			checkEstimate(t, e)
			if before[i].Probability != 0 || e.RatePerDay > FastestRate {
				t.Fatalf("%+v; at age 0 %+v", e, before[i])
			}
		}
		for i, e := range everyEstimate(obs, h, max(at, 0)+Day) {
			if sooner := before[i].At(max(at, 0)); e.Method != "periodic" && e.Method != "grid" &&
				e.Probability < sooner.Probability {
				t.Fatalf("%s: %g a day later than %g", e.Method, e.Probability, sooner.Probability)
			}
		}
		if rate := MLEFromHistory(h); !(rate >= slowestSmooth && rate <= fastestSmooth) {
			t.Fatalf("smoothed rate %g", rate)
		}
	})
}

// Probabilities of the grid and the clock do not fall with age.
func TestProbabilityRisesWithAge(t *testing.T) {
	rng := seedOf(t, 81)
	prior := DefaultRates()
	for range 100 {
		obs := randomObserved(rng)
		g := gridOf(obs)
		posterior := g.Posterior(&prior)
		var clock Periodic
		for _, o := range obs {
			clock.Observe(o)
		}
		a, b := 0.0, 0.0
		for _, age := range []float64{0, 1e-4, 0.1, 0.5, 1, 2, 6.9, 7.1, 31, 400, 1e5} {
			p, q := posterior.Probability(age), clock.Probability(&prior, FromDays(age))
			if p < a || q < b-1e-12 || p > 1 || q > 1 {
				t.Fatalf("%v: %g and %g at %g days, %g and %g before", obs, p, q, age, a, b)
			}
			a, b = p, q
		}
	}
}

// Functions that planners call for each page allocate nothing.
func TestNothingIsAllocated(t *testing.T) {
	h := daily(60, 1, 3, 7, 20, 41)
	prior := DefaultRates()
	var sink float64
	for name, f := range hotPaths(h, FromHistory(h), &prior, &sink) {
		if n := testing.AllocsPerRun(20, f); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
}

func hotPaths(h sitegraph.History, grouped Grouped, prior *Rates, sink *float64) map[string]func() {
	var pool Pool
	posterior := *prior
	return map[string]func(){
		"naive":         func() { *sink += Naive(4, 60, 60) },
		"bias-reduced":  func() { *sink += BiasReduced(4, 60, 60) },
		"last-modified": func() { *sink += LastModified(4, 60, 50) },
		"mle":           func() { *sink += grouped.MLE() },
		"estimate":      func() { *sink += grouped.Estimate(60).High },
		"lln":           func() { *sink += LLN(4, 60, 60) },
		"sa": func() {
			s := SA{Rate: 0.1, Intervals: 60}
			s.Add(true, 1)
			*sink += s.Rate
		},
		"history":        func() { *sink += MLEFromHistory(h) },
		"grid-changed":   func() { var g Grid; g.Observe(3, true); *sink += g.Log[3] },
		"grid-unchanged": func() { var g Grid; g.Observe(3, false); *sink += g.Log[3] },
		"grid-history":   func() { g := GridFromHistory(h); *sink += g.Log[3] },
		"grid-weeks":     func() { g := GridOfWeeks(h, KeepPerDay); *sink += g.Log[3] },
		"posterior":      func() { var g Grid; p := g.Posterior(prior); *sink += p.Weight[2] },
		"probability":    func() { *sink += prior.Probability(3) },
		"quantile":       func() { *sink += prior.Quantile(0.9) },
		"pool": func() {
			pool.Add(&posterior)
			p := pool.Prior(prior, 5)
			*sink += p.Weight[1]
		},
		"clock": func() {
			var p Periodic
			p.Observe(Observed{3, true})
			*sink += p.Probability(prior, Day)
		},
	}
}

func BenchmarkEstimators(b *testing.B) {
	h := daily(60, 1, 3, 7, 20, 41)
	prior := DefaultRates()
	var sink float64
	for name, f := range hotPaths(h, FromHistory(h), &prior, &sink) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}

func BenchmarkLearn(b *testing.B) {
	const n = 10_000
	pages := make([]Grid, n)
	for i := range pages {
		pages[i].Observe(float64(1+i%30), i%7 == 0)
	}
	b.Run("pages=1e4", func(b *testing.B) {
		serverOf := make([]int32, 300)
		for i := range serverOf {
			serverOf[i] = int32(i / 10)
		}
		p := NewPrior(DefaultRates(), DefaultStrength, 30, serverOf)
		b.ReportAllocs()
		for b.Loop() {
			p.Learn(func(yield func(int32, *Grid) bool) {
				for i := range pages {
					if !yield(int32(i%300), &pages[i]) {
						return
					}
				}
			})
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/page")
	})
}
