package value

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

const daySeconds = 24 * 60 * 60

// pastOf is a page that was visited each so many days, and changed at some of the visits.
func pastOf(every float64, changed ...bool) (h sitegraph.History) {
	h.Visits, h.Epoch, h.Last = 1, 1_000_000_000, 1_000_000_000
	for _, c := range changed {
		h.Visits++
		h.Last += uint32(every * daySeconds)
		if c {
			h.Changes++
			h.LastChange = h.Last
		} else {
			h.Stable += uint32(every * daySeconds)
		}
	}
	return h
}

// exactly is what logOdds approximates: sums over the grid in double precision.
func exactly(b *rateBelief, trust int, h *sitegraph.History, age float64) float64 {
	quiet, power := float64(h.Stable)/daySeconds, 1.0
	if trust == trustHalf {
		power = 0.5
	}
	changed, same := 0.0, 0.0
	for k, weight := range b.believed[trust] {
		rate := math.Ldexp(slowestRate, k)
		l := -rate * quiet
		if h.Changes > 0 {
			apart := (float64(h.Last-h.Epoch)/daySeconds - quiet) / float64(h.Changes)
			l += float64(h.Changes) * math.Log(-math.Expm1(-rate*apart))
		}
		w := float64(weight) * math.Exp(power*l)
		changed -= w * math.Expm1(-rate*age)
		same += w * math.Exp(-rate*age)
	}
	return math.Log(min(max(changed/same, float64(leastOdds)), float64(mostOdds)))
}

// promised is the promise that logOdds approximates.
func promised(b *rateBelief, h *sitegraph.History, age float64) float64 {
	quiet := float64(h.Stable) / daySeconds
	var changed, all, fastChanged, fastAll float64
	for k, weight := range b.believed[trustWhole] {
		rate := math.Ldexp(slowestRate, k)
		w := float64(weight) * math.Exp(-rate*quiet)
		if h.Changes > 0 {
			apart := (float64(h.Last-h.Epoch)/daySeconds - quiet) / float64(h.Changes)
			w *= math.Pow(-math.Expm1(-rate*apart), float64(h.Changes))
		}
		changed -= w * math.Expm1(-rate*age)
		all += w
		weight := min(rate, slowestRate*(1<<(longRates-1)))
		fastChanged -= weight * w * math.Expm1(-rate*age)
		fastAll += weight * w
	}
	odds := func(changed, all float64) float64 {
		return min(max(changed/(all-changed), float64(leastOdds)), float64(mostOdds))
	}
	return max(odds(fastChanged, fastAll)/odds(changed, all), 1)
}

// Tables and fast exponentials are within 0.05 of the exact log odds: a twentieth of the odds.
func TestRateBeliefIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	b := newRateBelief()
	for n := range 2000 {
		var visits []bool
		share := rng.Float64()
		for range rng.IntN(60) {
			visits = append(visits, n%3 > 0 && rng.Float64() < share)
		}
		h := pastOf(math.Exp(rng.Float64()*8-3), visits...)
		age := math.Exp(rng.Float64()*9 - 3)
		got, promise := b.logOdds(&h, float32(age))
		for trust := range got {
			if want := exactly(b, trust, &h, age); math.Abs(float64(got[trust])-want) > 0.05 {
				t.Fatalf("history %+v, age %g, trust %d: log odds %g, want %g",
					h, age, trust, got[trust], want)
			}
		}
		if want := promised(b, &h, age); math.Abs(float64(promise)/want-1) > 0.05 {
			t.Fatalf("history %+v, age %g: promise %g, want %g", h, age, promise, want)
		}
	}
}

// The probability grows with age, is larger where more visits found a change, and the half-trusting
// belief is the nearer to what is believed of all pages.
func TestRateBeliefOrders(t *testing.T) {
	b := newRateBelief()
	quiet, busy := pastOf(5, false, false, false, false), pastOf(5, true, true, true, true)
	fresh := pastOf(5)
	last := [trusts]float32{float32(math.Inf(-1)), float32(math.Inf(-1))}
	for age := float32(0.01); age < 3000; age *= 2 {
		x, promised := b.logOdds(&quiet, age)
		y, unknown := b.logOdds(&fresh, age)
		z, _ := b.logOdds(&busy, age)
		if promised > 1.01*unknown && age < 10 {
			t.Errorf("age %g: a quiet page promises %g, one of which nothing is known %g",
				age, promised, unknown)
		}
		for trust := range x {
			if x[trust] > y[trust] || y[trust] > z[trust] {
				t.Errorf("age %g: quiet %g, unknown %g, busy %g", age, x[trust], y[trust], z[trust])
			}
			if y[trust] < last[trust] {
				t.Errorf("age %g: %g after %g", age, y[trust], last[trust])
			}
			last[trust] = y[trust]
		}
		if x[trustWhole] > x[trustHalf] || z[trustWhole] < z[trustHalf] {
			t.Errorf("age %g: trusted half %v and %v", age, x, z)
		}
	}
}

// What one page in ten that changes daily teaches: a page that changed once is taken for one of
// them; where all pages change monthly it is not.
func TestRateBeliefLearnsTheWeb(t *testing.T) {
	after := func(daily func(i int) bool) float64 {
		g := sitegraph.NewGraph()
		c := planner.NewCorpus(g)
		names := "abcdefghij"
		for i := range 1000 {
			p := g.Add("http://a.example/" + string(names[i/100]) + string(names[i/10%10]) +
				string(names[i%10]))
			h := pastOf(10, false, i%3 == 0, false, i%3 == 1)
			if daily(i) {
				h = pastOf(10, true, true, true, true)
			} else if daily(0) {
				h = pastOf(10, false, false, false, false)
			}
			c.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive, History: h})
		}
		v := New(Settings{Corpus: c, Mode: planner.Stream, Seed: 1, PerDay: 10})
		v.groups.grow()
		for range 30 {
			v.groups.beliefs.learn(v.groups, 50)
		}
		once := pastOf(10, true)
		odds, _ := v.groups.beliefs.logOdds(&once, 1)
		return 1 / (1 + math.Exp(-float64(odds[trustWhole])))
	}
	mixed := after(func(i int) bool { return i%10 == 0 })
	alike := after(func(int) bool { return false })
	if mixed < 0.4 || alike > 0.1 {
		t.Errorf("a day after one change: %.3f where a tenth changes daily, %.3f where all "+
			"change monthly", mixed, alike)
	}
}

// As long as nothing was seen of the pages, no rate tells one from another, so copies cost no
// changes and come to count as much as they may. Visits tell the pages apart.
func TestRateBeliefTellsPagesApart(t *testing.T) {
	apartAfter := func(visits int) (rates int, s *schedule) {
		g := sitegraph.NewGraph()
		c := planner.NewCorpus(g)
		for i := range 100 {
			p := g.Add(fmt.Sprintf("http://a.example/%d", i))
			saw := make([]bool, visits)
			for k := range saw {
				saw[k] = i%10 == 0 // one in ten changes
			}
			c.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive,
				History: pastOf(10, saw...)})
		}
		v := New(Settings{Corpus: c, Mode: planner.Stream, Seed: 1, PerDay: 2})
		v.groups.grow()
		for range firstRounds {
			v.groups.beliefs.learn(v.groups, 50)
		}
		sum := float32(0)
		for _, share := range v.groups.beliefs.told {
			if sum += share; share > 0 {
				rates++
			}
		}
		if !near(sum, 1, 1e-4) {
			t.Errorf("after %d visits the shares of all rates are %g together", visits, sum)
		}
		return rates, newSchedule(&v.groups.beliefs.told, 50, 1)
	}
	rates, s := apartAfter(0)
	if kept := s.changes(mostCopyWeight) / s.changes(0); rates > 2 || kept < 0.999 {
		t.Errorf("before any visit there are %d rates, and copies leave %.3f of the changes",
			rates, kept)
	}
	if rates, s = apartAfter(8); rates < 3 || s.changes(0) < 0.05*0.1 {
		t.Errorf("after 8 visits there are %d rates, by which %g changes can be found",
			rates, s.changes(0))
	}
}

// The sample is drawn anew as pages become known, and holds about as many as asked for.
func TestRateBeliefSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 65,000 pages")
	}
	g := sitegraph.NewGraph()
	c := planner.NewCorpus(g)
	v := New(Settings{Corpus: c, Mode: planner.Stream, Seed: 1})
	for n := 0; n < 4*sampledPages; n++ {
		p := g.Add("http://a.example/" + string(rune('a'+n%26)) + string(rune('a'+n/26%26)) +
			string(rune('a'+n/676%26)) + string(rune('a'+n/17576)))
		c.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive,
			History: pastOf(1, false)})
		if n == 9 {
			v.groups.grow()
			if v.groups.beliefs.learn(v.groups, 50); len(v.groups.beliefs.sample) != 10 {
				t.Errorf("%d of 10 pages in the sample", len(v.groups.beliefs.sample))
			}
		}
	}
	v.groups.grow()
	v.groups.beliefs.learn(v.groups, 50)
	if n := len(v.groups.beliefs.sample); n < sampledPages*9/10 || n > sampledPages*11/10 {
		t.Errorf("%d pages in the sample, want about %d", n, sampledPages)
	}
}

func TestExp32(t *testing.T) {
	for x := float32(-80); x <= 0; x += 0.01 {
		if got, want := float64(exp32(x)), math.Exp(float64(x)); math.Abs(got/want-1) > 0.004 {
			t.Fatalf("exp(%g) = %g, want %g", x, got, want)
		}
	}
	if got := exp32(float32(math.Inf(-1))); got < 0 || got > 1e-37 {
		t.Errorf("exp(-Inf) = %g", got)
	}
}

func BenchmarkRateBelief(bench *testing.B) {
	b := newRateBelief()
	for name, h := range map[string]sitegraph.History{"quiet": pastOf(5, false, false, false),
		"changed": pastOf(5, true, false, true)} {
		bench.Run(name, func(bench *testing.B) {
			bench.ReportAllocs()
			age := float32(1)
			for bench.Loop() {
				if odds, _ := b.logOdds(&h, age); odds[0] > 100 {
					bench.Fatal("no log odds")
				}
				age = 1 + age/2
			}
		})
	}
}
