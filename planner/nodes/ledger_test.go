package nodes

import (
	"math"
	"slices"
	"testing"
	"time"
)

var midnight = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

// day runs a day of rounds of an hour: each shard uses what it wants of its share.
func day(t *testing.T, l *Ledger, from time.Time, hours int,
	want func(shard, granted int) (used int, price float64)) (used []int) {
	t.Helper()
	used = make([]int, l.Shards)
	for h := range hours {
		start := from.Add(time.Duration(h) * time.Hour)
		for shard := range l.Shards {
			got, err := l.Claim(t.Context(), shard, 1, start, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			again, err := l.Claim(t.Context(), shard, 1, start, time.Hour)
			if err != nil || again != got {
				t.Fatalf("shard %d was granted %d, and %d when it asked again: %v",
					shard, got, again, err)
			}
			n, price := want(shard, got)
			if n < 0 { // it died
				used[shard] += got
				continue
			}
			used[shard] += n
			s := Settled{Used: n, Price: price}
			for range 2 { // told twice
				if err := l.Settle(t.Context(), shard, 1, start, s); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return used
}

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

// The budget is never exceeded, and used to a hundredth where there is work, whatever some shards
// leave or lose.
func TestLedgerOfADay(t *testing.T) {
	for _, c := range []struct {
		name   string
		perDay float64
		want   func(shard, granted int) (int, float64)
		least  float64 // of the budget
	}{
		{"all want all", 10_000, func(_, g int) (int, float64) { return g, 1 }, 0.9999},
		{"tiny", 5, func(_, g int) (int, float64) { return g, 1 }, 0.9999},
		{"half has nothing to do", 10_000, func(s, g int) (int, float64) { return g * (s % 2), 1 },
			0.99},
		{"few visits each", 10_000, func(s, g int) (int, float64) {
			if s > 0 {
				return min(g, 3), 0
			}
			return g, 1
		}, 0.99},
		// What a shard that dies was granted counts as used.
		{"one dies each round", 10_000, func(s, g int) (int, float64) {
			if s == 3 {
				return -1, 0
			}
			return g, 1
		}, 0.9999},
	} {
		l := &Ledger{KV: &memory{}, Shards: 8, PerDay: c.perDay}
		for d := range 2 {
			used := sum(day(t, l, midnight.Add(time.Duration(d)*24*time.Hour), 24, c.want))
			if float64(used) > c.perDay || float64(used) < math.Floor(c.perDay*c.least) {
				t.Errorf("%s, day %d: %d of %.0f fetches used", c.name, d, used, c.perDay)
			}
		}
	}
}

// Fetches move to where they are worth more, until they are worth the same.
func TestPricesMeet(t *testing.T) {
	l := &Ledger{KV: &memory{}, Shards: 4, PerDay: 24_000}
	// The last of g fetches of a shard is worth a/g.
	a := []float64{100, 200, 300, 400}
	last := make([]int, 4)
	day(t, l, midnight, 20, func(s, g int) (int, float64) {
		last[s] = g
		return g, a[s] / max(float64(g), 1)
	})
	for s, g := range last {
		if want := a[s]; math.Abs(float64(g)-want) > want/20 {
			t.Errorf("shard %d is granted %d an hour, want about %.0f", s, g, want)
		}
	}
}

// An epoch that took over in a round has no share where the one before had it.
func TestLedgerTakeover(t *testing.T) {
	l := &Ledger{KV: &memory{}, Shards: 2, PerDay: 240}
	claim := func(shard int, epoch uint64, at time.Duration) int {
		t.Helper()
		n, err := l.Claim(t.Context(), shard, epoch, midnight.Add(at), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if a, b := claim(0, 1, 0), claim(0, 2, 0); a != 5 || b != 0 {
		t.Errorf("granted %d, then %d", a, b)
	}
	// The later epoch has the store, and so knows what was used.
	if err := l.Settle(t.Context(), 0, 2, midnight, Settled{Used: 2}); err != nil {
		t.Fatal(err)
	}
	// 20 fetches by the second hour, of which 2 are used and none is granted.
	if a, b := claim(0, 2, time.Hour), claim(1, 1, time.Hour); a+b != 18 {
		t.Errorf("granted %d and %d", a, b)
	}
	// A late round has nothing; a clock that was far ahead does not stop the others.
	if n := claim(1, 1, 0); n != 0 {
		t.Errorf("a round that is over was granted %d", n)
	}
	claim(1, 1, 5*time.Hour)
	if claim(0, 2, 2*time.Hour)+claim(1, 1, 2*time.Hour) == 0 {
		t.Error("no round is opened after one of a clock that was ahead")
	}
	unbound := &Ledger{KV: &memory{broken: true}, Shards: 2, PerDay: Unlimited}
	if n, err := unbound.Claim(t.Context(), 0, 1, midnight, time.Hour); n != Unlimited ||
		err != nil {
		t.Errorf("no bound: %d, %v", n, err)
	}
}

func TestDivide(t *testing.T) {
	if got := divide(10, []float64{1, 1, 2}, 0); sum(got) != 10 || got[2] != 5 {
		t.Errorf("%v", got)
	}
	seen := make([]int, 3)
	for turn := range 3 { // one fetch goes round
		got := divide(1, []float64{1, 1, 1}, turn)
		seen[slices.Index(got, 1)]++
	}
	if !slices.Equal(seen, []int{1, 1, 1}) {
		t.Errorf("of three rounds the shards had %v", seen)
	}
}
