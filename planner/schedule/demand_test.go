package schedule

import (
	"math"
	"math/rand/v2"
	"testing"
)

// [HIER 3.1] by hand: one server of each class, and the bound of eq. 4 with e/I > 1 counted as one.
func TestClassify(t *testing.T) {
	of := func(interval, least, mean, longest Tick) Demand {
		return Demand{Least: least * Second, Times: Times{Mean: mean * Second,
			Max: longest * Second}, Pages: []Pages{{Interval: interval * Second, Count: 4}}}
	}
	demands := []Demand{
		of(400, 1, 50, 90),  // I=100, e/I=0.5
		of(40, 1, 30, 50),   // I=10: 3 connections, counts as one
		of(400, 1, 25, 150), // I=100: 0.25, the longest download is longer
		of(20, 10, 1, 2),    // 1/L=5 < I_min=10: 0.1
		of(0, 10, 1, 2),     // no visits wanted
	}
	f := Classify(demands, 2)
	want := []Class{Feasible, Steady, Temporary, PolitenessBound, Feasible}
	for i, v := range f.Verdicts {
		if v.Class != want[i] {
			t.Errorf("server %d is %v, want %v", i, v.Class, want[i])
		}
	}
	if math.Abs(f.Need-1.85) > 1e-9 || f.Bound != 2 || math.Abs(f.FeasibleOf-0.6) > 1e-9 ||
		f.BoundOf != 1 {
		t.Errorf("need %v, bound %d; feasible %v, %d", f.Need, f.Bound, f.FeasibleOf, f.BoundOf)
	}
	if f := Classify(demands, 1); f.Verdicts[0].Class != PoolBound || f.Verdicts[0].Lost == 0 ||
		f.Totals[PoolBound].Servers != 1 {
		t.Errorf("with one connection %+v", f.Verdicts[0])
	}
	// 4 visits in 20 s are wanted, one in 11 s is possible.
	if v := f.Verdicts[3]; math.Abs(v.Wanted-86400/5) > 1 ||
		math.Abs(v.Lost-(86400/5-86400/11.)) > 2 || v.LostValue <= 0 || v.LostValue >= v.Value {
		t.Errorf("politeness-bound: %+v", v)
	}
}

// Each cure by its number: the sufficient delay, the factor, the pages.
func TestCures(t *testing.T) {
	d := Demand{Least: 10 * Second, Times: Times{Mean: Second, Max: 2 * Second}, Pages: []Pages{
		{Interval: 20 * Second, Count: 3, Weight: 5}, {Interval: 20 * Second, Count: 1},
	}}
	v := Judge(&d)
	cures := map[string]Cure{}
	for _, c := range Cures(&d, &v, 0) {
		cures[c.Unit] = c
	}
	for unit, want := range map[string]float64{"s between visits": 4, "times as long": 2.2,
		"pages": 3} {
		if got, ok := cures[unit]; !ok || math.Abs(got.Value-want) > 1e-3 {
			t.Errorf("%s: %+v, want %v", unit, got, want)
		}
	}
	// The page of weight 1 is dropped first, then two of weight 5.
	if got, one := cures["pages"].Worth, d.Pages[1].value(20000); math.Abs(got+one*(1+5+5)) > 1e-9 {
		t.Errorf("three pages are worth %v", got)
	}
	if got := Cures(&d, &Verdict{Class: Feasible}, 0); got != nil {
		t.Errorf("a feasible server has cures %v", got)
	}
}

func randomDemands(seed uint64, servers int) []Demand {
	rng := rand.New(rand.NewPCG(seed, 11))
	var all []Demand
	for range servers {
		d := Demand{Least: Tick(rng.Int64N(int64(5 * Second))),
			Times: Times{Mean: 1 + Tick(rng.Int64N(int64(2*Second)))}}
		d.Times.Max = d.Times.Mean * Tick(1+rng.IntN(6))
		for range 1 + rng.IntN(12) {
			change := Second + Tick(rng.ExpFloat64()*float64(200*Second))
			wanted := change * Tick(min(rng.IntN(5), 1)) // one in five is not wanted
			d.Pages = append(d.Pages, Pages{Interval: wanted, Change: change, Count: rng.IntN(4),
				Weight: float64(rng.IntN(3))})
		}
		all = append(all, d)
	}
	return all
}

// After each correction the bound fits and no server is infeasible. The optimum loses least. A
// demand that fits stays as it is.
func TestCorrect(t *testing.T) {
	for seed := range uint64(6) {
		demands := randomDemands(seed, 40)
		for _, l := range []Limits{{Connections: 6}, {Connections: 4, Headroom: 1, Guard: Usual},
			{Guard: Usual}, {Connections: 1}} {
			all := Correct(demands, l)
			for _, c := range all {
				if c.Lost < -1e-6 || c.Dropped < 0 {
					t.Errorf("seed %d, %s asks for more than was wanted: %+v", seed, c.Name, c)
				}
			}
			if len(all) != 5 || all[0].Name != "optimal" {
				t.Errorf("seed %d, %+v: %s loses least, %v of %v; optimal should",
					seed, l, all[0].Name, all[0].LostValue, all[0].Value)
			}
			for _, c := range all {
				if !c.Kept || l.Connections > 0 && c.Bound > l.Connections {
					t.Errorf("seed %d, %+v, %s: need %v, bound %d, kept %v",
						seed, l, c.Name, c.Need, c.Bound, c.Kept)
				}
				for i := range c.Demands {
					v := Judge(&c.Demands[i])
					if v.Class == PolitenessBound && v.Lost > v.Wanted/1e3 || v.Class == Steady ||
						l.Guard == Longest && v.Class == Temporary {
						t.Errorf("seed %d, %s: server %d is still %v", seed, c.Name, i, v.Class)
					}
				}
			}
		}
		easy := Correct(demands[:1], Limits{})
		for _, c := range Correct(easy[0].Demands, Limits{}) {
			if c.LostValue > 1e-6*c.Value || c.Dropped > 0 {
				t.Errorf("seed %d: %s changes what can be kept: %+v", seed, c.Name, c)
			}
		}
	}
}

// The optimum by hand: of two pages on a server with room for one visit in two, the one that
// changes too fast is left out (Cho and Garcia-Molina 2003).
func TestOptimalByHand(t *testing.T) {
	d := Demand{Least: 100 * Second, Pages: []Pages{{Interval: Second}, {Interval: 1000 * Second},
		{Interval: 100 * Second}}}
	c := corrector{demands: []Demand{d}}
	got := c.optimal()
	if len(got.Demands[0].Pages) != 2 || got.Dropped != 1 {
		t.Fatalf("%+v", got.Demands[0].Pages)
	}
	// Both at the same marginal value, and together at one visit in 100 s.
	var rate float64
	for _, p := range got.Demands[0].Pages {
		rate += p.rate()
	}
	if math.Abs(rate*float64(100*Second)-1) > 1e-3 {
		t.Errorf("visits %v a tick", rate)
	}
}

// The switch waits for its hold, and does not flap between its two levels.
func TestRegime(t *testing.T) {
	r := NewRegime(10)
	var changes []Tick
	at := func(from, until Tick, need float64, want Policy) {
		t.Helper()
		var p Policy
		for now := from; now < until; now++ {
			var changed bool
			if p, changed = r.Policy(Share(need*float64(WholeShare)), 4, now); changed {
				changes = append(changes, now)
			}
		}
		if p != want {
			t.Errorf("at %d: %s", until, p.Name())
		}
	}
	at(0, 50, 3, EDF)
	at(50, 59, 5, EDF)
	at(59, 60, 3, EDF) // back before the hold is over
	at(60, 80, 5, SJF)
	at(80, 200, 3.5, SJF) // below 4, not below 3.2
	at(200, 220, 3, EDF)
	at(220, 300, 3.9, EDF)
	if len(changes) != 2 || changes[0] != 70 || changes[1] != 210 {
		t.Errorf("changes at %v", changes)
	}
}

// Two servers at one address take turns: together they may ask more than politeness allows.
func TestSharedAddress(t *testing.T) {
	of := func(address string) Demand {
		return Demand{Address: address, Least: 10 * Second, Times: Times{Mean: Second, Max: Second},
			Pages: []Pages{{Interval: 15 * Second}}}
	}
	f := Classify([]Demand{of("192.0.2.1"), of("192.0.2.1"), of("192.0.2.2"), of(""), of("")}, 0)
	for i, v := range f.Verdicts {
		if want := i < 2; (v.Class == PolitenessBound) != want || (v.Lost > 0) != want {
			t.Errorf("server %d is %v and loses %v", i, v.Class, v.Lost)
		}
	}
}

// A budget of visits keeps the most value: it is used up, and a larger one keeps more.
func TestAfford(t *testing.T) {
	demands := randomDemands(3, 30)
	free := Afford(demands, 0)
	last := 0.0
	for _, share := range []float64{0.05, 0.2, 0.5, 0.9} {
		c := Afford(demands, share*free.Visits)
		if math.Abs(c.Visits/(share*free.Visits)-1) > 0.02 || c.Value <= last {
			t.Errorf("a share of %v: %v visits of %v, worth %v after %v",
				share, c.Visits, free.Visits, c.Value, last)
		}
		last = c.Value
	}
	if last > free.Value || free.LostValue <= 0 {
		t.Errorf("without a budget it is worth %v, %v lost to the servers",
			free.Value, free.LostValue)
	}
}
