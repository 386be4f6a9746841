package nodes

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

var midnight = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

// day runs a day of hourly rounds: each shard uses what it wants of its share.
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
			for range 2 { // reported twice
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

// TestLedgerOfADay checks that the budget is never exceeded, and that work uses it within a
// hundredth, whatever some shards leave or lose.
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
		// The share of a shard that dies counts as used.
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

// TestPricesMeet checks that fetches move to higher prices until prices are equal.
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

// TestLedgerTakeover checks that an epoch which took over in a round has no share if the earlier
// one claimed it.
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
	// The later epoch has the store, and so knows the use.
	if err := l.Settle(t.Context(), 0, 2, midnight, Settled{Used: 2}); err != nil {
		t.Fatal(err)
	}
	// 20 fetches by the second hour, 2 of them used. The 5 of the other shard were not claimed, but
	// could have been until now.
	if a, b := claim(0, 2, time.Hour), claim(1, 1, time.Hour); a+b != 13 {
		t.Errorf("granted %d and %d", a, b)
	}
	if a, b := claim(0, 2, 2*time.Hour), claim(1, 1, 2*time.Hour); a+b != 15 {
		t.Errorf("granted %d and %d, want those too that nobody took two hours ago", a, b)
	}
	// A late round has nothing; a clock that was far ahead does not stop the others.
	if n := claim(1, 1, 0); n != 0 {
		t.Errorf("a round that is over was granted %d", n)
	}
	claim(1, 1, 6*time.Hour)
	claim(0, 2, 3*time.Hour)
	if claim(0, 2, 4*time.Hour)+claim(1, 1, 4*time.Hour) == 0 {
		t.Error("no round is divided after one of a clock that was ahead")
	}
	unbound := &Ledger{KV: &memory{broken: true}, Shards: 2, PerDay: Unlimited}
	if n, err := unbound.Claim(t.Context(), 0, 1, midnight, time.Hour); n != Unlimited ||
		err != nil {
		t.Errorf("no bound: %d, %v", n, err)
	}
}

// measured is a KV that notes its longest entry.
type measured struct {
	memory
	longest int
}

func (m *measured) Set(ctx context.Context, key string, value []byte, revision uint64) (
	uint64, error) {
	m.longest = max(m.longest, len(value))
	return m.memory.Set(ctx, key, value, revision)
}

// TestLedgerOfManyShards checks that with the most shards, and long numbers, all entries are far
// below messages of NATS, also if rounds are not settled.
func TestLedgerOfManyShards(t *testing.T) {
	kv := &measured{}
	l := &Ledger{KV: kv, Shards: MostShards, PerDay: 1e12}
	granted, back := 0, 0
	for h := range 3 {
		start := midnight.Add(time.Duration(h) * time.Hour)
		for shard := 0; shard < l.Shards; shard += AccountShards / 8 {
			n, err := l.Claim(t.Context(), shard, 1e6, start, time.Hour)
			if err == nil && h == 0 {
				err = l.Settle(t.Context(), shard, 1e6, start, Settled{Used: n - 1, Pages: 1e9,
					Price: 0.12345678901234567})
				back++
			}
			if err != nil {
				t.Fatal(err)
			}
			granted += n
		}
	}
	if most := 1 << 20 / 8; kv.longest > most {
		t.Errorf("the longest entry has %d bytes, want %d or fewer", kv.longest, most)
	}
	b, err := l.Read(t.Context())
	if err != nil || granted == 0 || b.Spent+b.Granted != granted-back {
		t.Errorf("the ledger has %+v of %d fetches, of which %d came back: %v", b, granted, back, err)
	}
}

// late is a KV whose reads may be some writes old.
type late struct {
	memory
	rng    *rand.Rand
	before []map[string]Entry
}

func (l *late) seen() *memory {
	if n := len(l.before); n > 0 {
		return &memory{entries: l.before[max(0, n-1-l.rng.IntN(8))]}
	}
	return &l.memory
}

func (l *late) Get(ctx context.Context, key string) (Entry, bool, error) {
	return l.seen().Get(ctx, key)
}

func (l *late) List(ctx context.Context, prefix string) ([]Entry, error) {
	return l.seen().List(ctx, prefix)
}

func (l *late) Set(ctx context.Context, key string, value []byte, revision uint64) (
	uint64, error) {
	defer func() { l.before = append(l.before, maps.Clone(l.entries)) }()
	return l.memory.Set(ctx, key, value, revision)
}

// TestLedgerOfLateReads checks that late reads cost no fetch beyond the budget, whoever dies,
// settles or asks for ended rounds, and that unused fetches return.
func TestLedgerOfLateReads(t *testing.T) {
	const perHour = 500
	type of struct {
		shard int
		start time.Time
	}
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 5))
		l := &Ledger{KV: &late{rng: rng}, Shards: AccountShards + 3, PerDay: 24 * perHour}
		granted := map[of]int{}
		given, settled := 0, 0
		for h := range 12 {
			for range 2 * l.Shards {
				o := of{rng.IntN(l.Shards), midnight.Add(time.Duration(h-rng.IntN(2)) * time.Hour)}
				n := granted[o]
				if n < 0 { // it is settled: nobody asks for it again
					continue
				}
				if n > 0 && rng.IntN(3) > 0 {
					used := n - rng.IntN(2)
					told := Settled{Used: used}
					if err := l.Settle(t.Context(), o.shard, 9, o.start, told); err != nil {
						t.Fatal(err)
					}
					settled += n - used
					granted[o] = -1
					continue
				}
				n, err := l.Claim(t.Context(), o.shard, uint64(1+rng.IntN(2)), o.start, time.Hour)
				if err != nil {
					t.Fatal(err)
				}
				if had := granted[o]; n > 0 && had != 0 && had != n {
					t.Fatalf("seed %d: shard %d had %d fetches, and is granted %d",
						seed, o.shard, had, n)
				} else if n > 0 && had == 0 {
					granted[o], given = n, given+n
				}
			}
			if used := given - settled; used > perHour*(h+1) {
				t.Fatalf("seed %d: %d fetches were used after %d hours", seed, used, h+1)
			}
		}
		if used := given - settled; used < perHour*12*8/10 {
			t.Errorf("seed %d: %d fetches of %d were used", seed, used, perHour*12)
		}
	}
}

// TestLedgerOfALateShard checks that a shard which sees an ended round has its share of it, if
// nobody else of its account took part since: it was not divided again.
func TestLedgerOfALateShard(t *testing.T) {
	kv := &late{rng: rand.New(rand.NewPCG(1, 1))}
	l := &Ledger{KV: kv, Shards: AccountShards + 1, PerDay: 24 * 10 * (AccountShards + 1)}
	claim := func(shard, hour int) int {
		t.Helper()
		start := midnight.Add(time.Duration(hour) * time.Hour)
		n, err := l.Claim(t.Context(), shard, 1, start, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	shares := func() int {
		t.Helper()
		of, _, err := Read[division](t.Context(), &kv.memory, ledgerKey)
		if err != nil {
			t.Fatal(err)
		}
		return sum(of.Value.Shares)
	}
	first := claim(0, 0)
	all := shares() // of both accounts: others may still claim theirs from the first
	then := kv.before[len(kv.before)-1:]
	kv.before = nil
	claim(0, 1)
	all += shares()
	kv.before = then
	if behind := claim(AccountShards, 0); first != 10 || behind != 10 {
		t.Errorf("granted %d and %d in the first hour, want 10 each", first, behind)
	}
	if all > 20*l.Shards {
		t.Errorf("%d fetches can be used in two hours, want %d at most", all, 20*l.Shards)
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

// TestLedgerOfIdleAccount checks that an account without claims keeps little of the budget from the
// others.
func TestLedgerOfIdleAccount(t *testing.T) {
	l := &Ledger{KV: &measured{}, Shards: AccountShards + 2, PerDay: 24 * 66 * 100}
	granted := 0
	const hours, idleFrom = 20, 4
	for h := range hours {
		start := midnight.Add(time.Duration(h) * time.Hour)
		for shard := range l.Shards {
			if shard >= AccountShards && h >= idleFrom {
				continue
			}
			n, err := l.Claim(t.Context(), shard, 1, start, time.Hour)
			if err == nil {
				err = l.Settle(t.Context(), shard, 1, start, Settled{Granted: n, Used: n, Price: 1})
			}
			if err != nil {
				t.Fatal(err)
			}
			if h >= idleFrom+2 { // it is noticed a round later
				granted += n
			}
		}
	}
	all := (hours - idleFrom - 2) * 66 * 100
	if granted < all*99/100 || granted > all {
		t.Errorf("%d of %d fetches were granted while two shards were gone", granted, all)
	}
}
