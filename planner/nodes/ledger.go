package nodes

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"
)

// Unlimited as a budget sets no bound.
const Unlimited = -1

// books is the entry of the ledger.
//
//	Entitled >= Spent + what the grants in Open allow, and Entitled <= the budget of the day
type books struct {
	Day      int64            `json:"day"`      // unix seconds at which it begins
	Entitled float64          `json:"entitled"` // fetches up to the end of the round
	Spent    int              `json:"spent"`    // of rounds that are settled
	Open     map[string]grant `json:"open"`     // by shard and round
	Round    int64            `json:"round"`    // unix seconds at which it begins
	Shares   []int            `json:"shares"`   // of the round, by shard
	// by shard: the epoch that took its share; 0: nobody yet
	Taken   []uint64  `json:"taken"`
	Reports []Settled `json:"reports"` // by shard: its last round
}

type grant struct {
	Fetches int    `json:"fetches"`
	Epoch   uint64 `json:"epoch"`
}

// Settled is what a shard tells of a round that is over.
type Settled struct {
	Granted int     `json:"granted"`
	Used    int     `json:"used"`
	Price   float64 `json:"price"` // what its last visit was worth; 0: its budget was not used up
	Pages   int     `json:"pages"`
}

// Ledger divides the budget of a day over rounds and shards.
type Ledger struct {
	KV     KV
	Shards int
	PerDay float64
}

const ledgerDay = int64(24 * time.Hour / time.Second)

// Claim returns how many fetches a shard has in a round that begins at start and lasts so long. It
// is the same for an epoch that asks again, and 0 where an epoch before had it in this round: what
// that one used is not known. Each shard claims its share once a round.
func (l *Ledger) Claim(ctx context.Context, shard int, epoch uint64, start time.Time,
	length time.Duration) (int, error) {
	if l.PerDay == Unlimited {
		return Unlimited, nil
	}
	given := 0
	err := l.change(ctx, func(b *books) bool {
		given = 0
		at := start.Unix()
		// A node whose clock was ahead may have begun a round of the future. That one is given up.
		// Its fetches are in Entitled already, so that none are added for this round.
		back := b.Round-at > int64(length/time.Second)
		if day := at - at%ledgerDay; day > b.Day {
			b.Day, b.Entitled, b.Spent, b.Open = day, 0, 0, nil
		} else if back {
			b.Day = day
		}
		switch {
		case back:
			b.open(at, 0, l.PerDay, l.Shards)
		case at < b.Round:
			return false // of a round that is over for all
		case at > b.Round:
			b.open(at, l.PerDay*length.Hours()/24, l.PerDay, l.Shards)
		case b.Taken[shard] == epoch:
			given = b.Shares[shard]
			return false
		case b.Taken[shard] != 0:
			return false
		}
		given = b.Shares[shard]
		b.Taken[shard] = epoch
		if b.Open == nil {
			b.Open = map[string]grant{}
		}
		if given > 0 {
			b.Open[roundOf(shard, at)] = grant{given, epoch}
		}
		return true
	})
	return given, err
}

// Settle gives back what a shard did not use of a round, and tells what a fetch is worth there. It
// may be told twice, and by a later epoch if that has the store of the earlier one.
func (l *Ledger) Settle(ctx context.Context, shard int, epoch uint64, start time.Time,
	s Settled) error {
	if l.PerDay == Unlimited {
		return nil
	}
	return l.change(ctx, func(b *books) bool {
		key := roundOf(shard, start.Unix())
		g, ok := b.Open[key]
		if !ok || g.Epoch > epoch || shard >= len(b.Reports) {
			return false
		}
		delete(b.Open, key)
		b.Spent += min(max(s.Used, 0), g.Fetches)
		s.Granted = g.Fetches
		b.Reports[shard] = s
		return true
	})
}

// Books is the ledger for people.
type Books struct {
	PerDay  float64 `json:"per_day"`
	Spent   int     `json:"spent"`   // fetches of the day, of rounds that are settled
	Granted int     `json:"granted"` // beside that, of rounds that are not
}

// Read returns the ledger.
func (l *Ledger) Read(ctx context.Context) (Books, error) {
	b, _, err := l.read(ctx)
	out := Books{PerDay: l.PerDay, Spent: b.Spent}
	for _, g := range b.Open {
		out.Granted += g.Fetches
	}
	return out, err
}

func (l *Ledger) read(ctx context.Context) (b books, revision uint64, err error) {
	e, _, err := Read[books](ctx, l.KV, ledgerKey)
	return e.Value, e.Revision, err
}

// change replaces the ledger by what a function makes of it, which returns false where it changed
// nothing. It is called again where another node was faster.
func (l *Ledger) change(ctx context.Context, f func(*books) bool) error {
	for {
		b, revision, err := l.read(ctx)
		if err != nil {
			return err
		}
		if !f(&b) {
			return nil
		}
		if _, err := l.KV.Set(ctx, ledgerKey, encode(b), revision); !errors.Is(err, ErrConflict) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

func roundOf(shard int, start int64) string {
	return strconv.Itoa(shard) + "/" + strconv.FormatInt(start, 10)
}

// open begins a round: it divides what the day allows by now and nobody has.
func (b *books) open(at int64, perRound, perDay float64, shards int) {
	b.Entitled = min(b.Entitled+perRound, perDay)
	pool := int(b.Entitled+5e-7) - b.Spent
	for _, g := range b.Open {
		pool -= g.Fetches
	}
	if len(b.Reports) != shards {
		b.Reports = make([]Settled, shards)
	}
	b.Shares = divide(max(pool, 0), demands(b.Reports), int(at/60))
	b.Taken = make([]uint64, shards)
	b.Round = at
}

// demands are the weights by which a round is divided. A shard that left some of its share gets
// what it used, and an eighth more; one that used it up gets more where a fetch is worth more there
// than elsewhere, at most twice as much a round: so prices become one price, that of the whole
// budget. Where others left some it gets twice as much. A shard that told nothing yet counts as the
// mean, and none less than a tenth of that.
func demands(reports []Settled) []float64 {
	w := make([]float64, len(reports))
	prices, bound, sum, told := 0.0, 0, 0.0, 0
	used, granted := 0, 0
	for _, r := range reports {
		used, granted = used+r.Used, granted+r.Granted
		if r.Granted > 0 && r.Used*20 >= r.Granted*19 {
			prices, bound = prices+r.Price, bound+1
		}
	}
	mean := prices / float64(max(bound, 1))
	for i, r := range reports {
		switch {
		case r.Granted <= 0:
			continue
		case r.Used*20 < r.Granted*19:
			w[i] = float64(r.Used)*1.125 + 0.5
		case used*20 < granted*19: // others left some
			w[i] = float64(r.Granted)*2 + 1
		case mean > 0:
			w[i] = float64(r.Granted) * min(max(r.Price/mean, 0.5), 2)
		default:
			w[i] = float64(r.Granted)
		}
		sum, told = sum+w[i], told+1
	}
	usual := 1.0
	if told > 0 {
		usual = sum / float64(told)
	}
	for i, r := range reports {
		if r.Granted <= 0 {
			w[i] = usual
		}
		w[i] = max(w[i], usual/10)
	}
	return w
}

// divide divides whole fetches by weights: largest remainders first, ties in turns.
func divide(pool int, weights []float64, turn int) []int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	shares := make([]int, len(weights))
	rest := make([]int, len(weights))
	left := pool
	for i, w := range weights {
		shares[i] = int(math.Floor(float64(pool) * w / total))
		left -= shares[i]
		rest[i] = i
	}
	part := func(i int) float64 { return float64(pool)*weights[i]/total - float64(shares[i]) }
	slices.SortFunc(rest, func(i, j int) int {
		n := len(rest)
		return cmp.Or(cmp.Compare(math.Round(part(j)*1e6), math.Round(part(i)*1e6)),
			cmp.Compare((i+turn)%n, (j+turn)%n))
	})
	for _, i := range rest[:max(min(left, len(rest)), 0)] {
		shares[i]++
	}
	return shares
}
