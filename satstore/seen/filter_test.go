package seen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext/prng"

	"github.com/recrawl/recrawl/satstore/crashtest"
)

var seeded = crashtest.Seeded

// The numbers printed in [SBFL], and those of its formulas.
func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"p of 4.1.3: m = 2^30, k = 8, 0.001 %, printed as about 84", Lowered(1<<30, 8, 1e-5),
			84.73},
		{"p of k = 4, 1 %", Lowered(1<<30, 4, 0.01), 29.61},
		{"rate of p = 84", StableRate(1<<30, 8, 84), 1.06e-5},
		{"rate of p = 85", StableRate(1<<30, 8, 85), 0.98e-5},
		{"rate of p = 29", StableRate(1<<30, 4, 29), 0.01066},
		{"rate of p = 30", StableRate(1<<30, 4, 30), 0.00960},
		{"rate of Light, p = 30", LightRate(4, 30), 0.0065},
		{"rate of Bloom, 10 bits a key", BloomRate(1e7, 7, 1e6), 0.00819},
		{"its best k", float64(BloomBest(1e7, 1e6)), 7},
	} {
		if math.Abs(c.got-c.want) > 0.01*c.want {
			t.Errorf("%s: %g, want %g", c.what, c.got, c.want)
		}
	}
	if p := Promised(1<<30, 4, 0.01); p != 30 {
		t.Errorf("p that keeps the promise of 1 %%: %d", p)
	}
	if got := Lowered(1<<24, 4, StableRate(1<<24, 4, 30)); math.Abs(got-30) > 1e-6 {
		t.Errorf("eq. 3 of its own inverse: %v, want 30", got)
	}
}

// Scalar and word-parallel lowering leave the same counters at any place, number and size: at the
// first and last word, over the end, and for all values of a counter.
func TestLightScalarAndParallelAgree(t *testing.T) {
	rng := seeded(t)
	for range 300 {
		m := uint64(1 + rng.IntN(300))
		each := NewLight(m, 1+rng.IntN(8), 1)
		each.pos = rng.Uint64N(each.m)
		for i := range each.words {
			each.words[i] = rng.Uint64()
		}
		words := NewLight(m, each.k, 1)
		words.pos = each.pos
		copy(words.words, each.words)
		for step := range 50 {
			n := rng.Uint64N(each.m + 1)
			if step%3 == 0 {
				n = min(n, 70)
			}
			each.LowerEach(n)
			words.Lower(n)
			if each.pos != words.pos {
				t.Fatalf("m = %d, n = %d: pointers at %d and %d", each.m, n, each.pos, words.pos)
			}
			for i := range each.words {
				if each.words[i] != words.words[i] {
					t.Fatalf("m = %d, n = %d, word %d: one by one %016x, by words %016x",
						each.m, n, i, each.words[i], words.words[i])
				}
			}
			key := rng.Uint64()
			each.set(key)
			words.set(key)
		}
	}
	// All four values side by side, checked by hand.
	if got := lowered(0b11_10_01_00); got != 0b10_01_00_00 {
		t.Errorf("3 2 1 0 lowered: %08b", got)
	}
}

// A key inserted into Light is visible for more than 2m/p - 1 further insertions. If no other key
// sets its counters, it is gone after 3m/p + 1.
func TestLightVisibility(t *testing.T) {
	rng := seeded(t)
	for range 200 {
		m := 32 * uint64(1+rng.IntN(20))
		p := 1 + rng.IntN(int(m)/4)
		f := NewLight(m, 4, p)
		for range rng.IntN(100) {
			f.Add(rng.Uint64())
		}
		clear(f.words)
		key := rng.Uint64()
		f.Add(key)
		age := 0.0
		for f.Has(key) {
			f.Lower(f.p) // an insertion of another key, without its counters
			age++
		}
		// Insertion number age made it invisible; after age-1 it was visible.
		most, least := 3*float64(m)/float64(p)+1, 2*float64(m)/float64(p)-1
		if age > most || age <= least {
			t.Fatalf("m = %d, p = %d: gone after %v insertions, want more than %v and at most %v",
				m, p, age, least, most)
		}
	}
}

// Every filter has a key at once, and converges to the false positives of its formula.
func TestRates(t *testing.T) {
	rng := seeded(t)
	const m = 1 << 16
	k, p := 4, Promised(m, 4, 0.01)
	for _, c := range []struct {
		name string
		f    Filter
		want float64
	}{
		{"stable", NewStable(m, k, p, rng.Uint64()), StableRate(m, k, p)},
		{"stable, Mersenne Twister", NewStableOf(m, k, p, prng.NewMT19937()), StableRate(m, k, p)},
		{"light", NewLight(m, k, p), LightRate(k, p)},
		{"bloom", NewBloom(10*40_000, 7), BloomRate(10*40_000, 7, 40_000)},
		{"window", NewWindow(5000, 10*5000, 7), BloomRate(10*5000, 7, 5000)},
		{"tags", NewTags(20_000), TagsRate},
		{"counting", counted{NewCounting(10*40_000, 7)}, BloomRate(10*40_000, 7, 40_000)},
	} {
		for range 40_000 {
			key := rng.Uint64()
			c.f.Add(key)
			if !c.f.Has(key) {
				t.Fatalf("%s does not know what was just added", c.name)
			}
		}
		false_, tries := 0, 400_000
		for range tries {
			if c.f.Has(rng.Uint64()) {
				false_++
			}
		}
		got := float64(false_) / float64(tries)
		// Neighbouring states of a filter are correlated: allow a tenth beside 5 standard errors.
		if doubt := 0.1*c.want + 5*math.Sqrt(c.want/float64(tries)); math.Abs(got-c.want) > doubt {
			t.Errorf("%s: false positives %.5f, want %.5f within %.5f", c.name, got, c.want, doubt)
		}
		if c.f.Bytes() == 0 {
			t.Errorf("%s takes no memory", c.name)
		}
		t.Logf("%s: %.5f, formula %.5f", c.name, got, c.want)
	}
}

type counted struct{ *Counting }

// The share of forgotten keys follows the formula at every age.
func TestMisses(t *testing.T) {
	rng := seeded(t)
	const m, k, p, rounds = 1 << 15, 4, 30, 40
	for _, c := range []struct {
		name string
		new  func() Filter
		miss func(m float64, k, p int, age float64) float64
	}{
		{"light", func() Filter { return NewLight(m, k, p) }, LightMiss},
		{"stable", func() Filter { return NewStable(m, k, p, rng.Uint64()) }, StableMiss},
	} {
		f := c.new()
		history := make([]uint64, rounds*m/p)
		for i := range history {
			history[i] = rng.Uint64()
			f.Add(history[i])
		}
		for _, ages := range [][2]int{{0, m / p}, {m / p, 2*m/p - 1}, {2 * m / p, 3 * m / p},
			{3 * m / p, 4 * m / p}, {4 * m / p, 6 * m / p}} {
			missed, want := 0.0, 0.0
			for age := ages[0]; age < ages[1]; age++ {
				if !f.Has(history[len(history)-1-age]) {
					missed++
				}
				want += c.miss(m, k, p, float64(age))
			}
			n := float64(ages[1] - ages[0])
			if doubt := 0.06*n + 5*math.Sqrt(n/4); math.Abs(missed-want) > doubt {
				t.Errorf("%s, ages %v: %v of %v forgotten, want %.1f within %.1f",
					c.name, ages, missed, n, want, doubt)
			}
			if c.name == "light" && ages[1] < 2*m/p && missed > 0 {
				t.Errorf("light forgot %v keys younger than %d insertions", missed, ages[1])
			}
		}
	}
}

// Stable is the same for the same seed, and differs for another.
func TestStableIsReproducible(t *testing.T) {
	same := func(a, b uint64) bool {
		f, g := NewStable(1<<12, 4, 30, a), NewStable(1<<12, 4, 30, b)
		for i := range uint64(5000) {
			f.Add(i)
			g.Add(i)
		}
		return fmt.Sprint(f.words) == fmt.Sprint(g.words)
	}
	if !same(7, 7) || same(7, 8) {
		t.Error("the counters do not follow the seed")
	}
}

// A counting filter forgets exactly the keys that were removed.
func TestCountingRemoves(t *testing.T) {
	rng := seeded(t)
	f := NewCounting(1<<14, 4)
	kept := make([]uint64, 200)
	for i := range kept {
		kept[i] = rng.Uint64()
		f.Add(kept[i])
	}
	before := fmt.Sprint(f.words)
	for range 2000 {
		key := rng.Uint64()
		f.Add(key)
		f.Remove(key)
	}
	if fmt.Sprint(f.words) != before {
		t.Error("adding and removing left a trace")
	}
	for _, key := range kept {
		if !f.Has(key) {
			t.Fatal("a key was lost by removing others")
		}
	}
	for range 100 { // a full counter stays: no key is lost
		f.Add(1)
	}
	for range 100 {
		f.Remove(1)
	}
	if !f.Has(1) {
		t.Error("counters that were full came down")
	}
}

// FuzzLower compares both forms of lowering at random sizes and places.
func FuzzLower(f *testing.F) {
	f.Add(uint64(3), uint64(64), uint64(33), uint64(0xe4e4e4e4e4e4e4e4))
	f.Fuzz(func(t *testing.T, words, pos, n, x uint64) {
		each := NewLight(perWord*(1+words%9), 1, 1)
		each.pos = pos % each.m
		for i := range each.words {
			each.words[i] = x * uint64(2*i+1)
		}
		other := NewLight(each.m, 1, 1)
		other.pos = each.pos
		copy(other.words, each.words)
		each.LowerEach(n % (each.m + 1))
		other.Lower(n % (each.m + 1))
		if fmt.Sprint(each) != fmt.Sprint(other) {
			t.Fatalf("one by one %v, by words %v", each, other)
		}
	})
}

// Judging a key allocates nothing.
func TestNothingAllocates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	lru, clock := NewLRU(1000), NewCLOCK(1000)
	filters := []Filter{NewLight(1<<12, 4, 30), NewStable(1<<12, 4, 30, 1), NewBloom(1<<12, 4),
		NewWindow(100, 1<<12, 4)}
	if n := testing.AllocsPerRun(5000, func() {
		key := rng.Uint64()
		lru.Touch(key)
		clock.Touch(key)
		for _, f := range filters {
			f.Has(key)
			f.Add(key)
		}
	}); n != 0 {
		t.Errorf("%v allocations a key", n)
	}
}

func BenchmarkAdd(b *testing.B) {
	for _, c := range []struct {
		name string
		f    Filter
	}{
		{"light", NewLight(1<<24, 4, 30)}, {"stable", NewStable(1<<24, 4, 30, 1)},
		{"bloom", NewBloom(1<<25, 7)},
	} {
		b.Run(c.name+"/m=2^24", func(b *testing.B) {
			key := uint64(1)
			for b.Loop() {
				key *= 6364136223846793005
				c.f.Add(key)
			}
		})
	}
}
