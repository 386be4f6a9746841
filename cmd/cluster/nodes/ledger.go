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

// The ledger has an entry that divides each round among all shards, and for each 64 shards one with
// what they took and used. With 4,096 shards the first has 40 KB and the others 8 KB each: NATS
// takes messages of 1 MiB.
//
// A list of accounts may be that of a moment ago. So a round is divided out of what was never
// divided and what accounts gave back, which only grows within a day: who does not see all of it
// divides less, and the rest comes with a later round.

// division is the entry of a round.
type division struct {
	Day      int64   `json:"day"`  // unix seconds at which it begins
	Book     uint64  `json:"book"` // number of the day: accounts of another one are void
	Turn     uint64  `json:"turn"` // number of the round, over all days
	Start    int64   `json:"start"`
	Entitled float64 `json:"entitled"` // fetches of the day up to the end of the round
	Shares   []int   `json:"shares"`   // of the round, by shard
	Divided  []int   `json:"divided"`  // by account: all its shares of the day
}

// account is the entry of shards, up to AccountShards of them.
type account struct {
	Book    uint64  `json:"book"`
	Turn    uint64  `json:"turn"` // of the last round in which one of them took its share
	Start   int64   `json:"start"`
	Shares  []int   `json:"shares"`  // of that round
	Divided int     `json:"divided"` // all shares of the day, up to that round
	Spent   int     `json:"spent"`   // of the day, as far as it is settled
	Stands  []stand `json:"stands"`  // by shard
}

// stand is how a shard stands.
type stand struct {
	Turn   uint64  `json:"turn"` // of the round of which it took its share last
	Start  int64   `json:"start"`
	Epoch  uint64  `json:"epoch"` // who took it
	Open   int     `json:"open"`  // that share, until it is settled
	Report Settled `json:"report"`
}

// AccountShards bounds the shards of an account.
const AccountShards = 64

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
	at, given := start.Unix(), 0
	err := l.change(ctx, shard, func(a *account) (bool, error) {
		given = 0
		if a.Start != at {
			d, err := l.divided(ctx, at, length)
			if err != nil || d.Start != at { // over for all
				return false, err
			}
			if d.Turn <= a.Turn {
				return false, ErrConflict // one of the two was late
			}
			a.begin(d, shard/AccountShards)
		}
		s := &a.Stands[shard%AccountShards]
		if s.Turn == a.Turn {
			if s.Epoch == epoch {
				given = s.Open
			}
			return false, nil
		}
		given = a.Shares[shard%AccountShards]
		a.Spent += s.Open // nobody settles it any more
		s.Turn, s.Start, s.Epoch, s.Open = a.Turn, at, epoch, given
		return true, nil
	})
	return given, err
}

// Settle gives back what a shard did not use of a round, and tells what a fetch is worth there. It
// may be told twice, and by a later epoch if that has the store of the earlier one. It must be told
// before the shard claims its share of a later round, or the whole share counts as used.
func (l *Ledger) Settle(ctx context.Context, shard int, epoch uint64, start time.Time,
	told Settled) error {
	if l.PerDay == Unlimited {
		return nil
	}
	return l.change(ctx, shard, func(a *account) (bool, error) {
		s := &a.Stands[shard%AccountShards]
		if s.Open == 0 || s.Start != start.Unix() || s.Epoch > epoch {
			return false, nil
		}
		a.Spent += min(max(told.Used, 0), s.Open)
		told.Granted = s.Open
		s.Open, s.Report = 0, told
		return true, nil
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
	out := Books{PerDay: l.PerDay}
	d, _, err := Read[division](ctx, l.KV, ledgerKey)
	if err != nil {
		return out, err
	}
	accounts, err := l.accounts(ctx)
	for _, a := range accounts {
		if a.Book == d.Value.Book {
			out.Spent += a.Spent
			out.Granted += a.open()
		}
	}
	return out, err
}

// accounts lists all accounts, as they were a moment ago.
func (l *Ledger) accounts(ctx context.Context) ([]account, error) {
	all := make([]account, (l.Shards+AccountShards-1)/AccountShards)
	list, err := List[account](ctx, l.KV, accountKey)
	for _, e := range list {
		if n, err := strconv.Atoi(e.Key[len(accountKey):]); err == nil && n < len(all) {
			all[n] = e.Value
		}
	}
	return all, err
}

// change replaces the account of a shard by what a function makes of it, which returns false where
// it changed nothing. It is called again where another node was faster.
func (l *Ledger) change(ctx context.Context, shard int,
	f func(*account) (bool, error)) error {
	key := accountKey + strconv.Itoa(shard/AccountShards)
	for {
		e, _, err := Read[account](ctx, l.KV, key)
		if err != nil {
			return err
		}
		a := e.Value
		if a.Stands == nil {
			a.Stands = make([]stand, min(AccountShards, l.Shards-shard/AccountShards*AccountShards))
		}
		changed, err := f(&a)
		if err == nil && changed {
			_, err = l.KV.Set(ctx, key, Encode(a), e.Revision)
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// divided returns the round that begins then, or a later one. The first who asks divides it.
func (l *Ledger) divided(ctx context.Context, at int64, length time.Duration) (*division, error) {
	for {
		e, _, err := Read[division](ctx, l.KV, ledgerKey)
		if err != nil {
			return nil, err
		}
		d := &e.Value
		// A node whose clock was ahead may have begun a round of the future. That one is given up.
		// Its fetches are in Entitled already, so that none are added for this round.
		back := d.Start-at > int64(length/time.Second)
		if at <= d.Start && !back {
			return d, nil
		}
		accounts, err := l.accounts(ctx)
		if err != nil {
			return nil, err
		}
		if day := at - at%ledgerDay; day > d.Day {
			d.Day, d.Entitled, d.Divided = day, 0, nil
			d.Book++
		} else if back {
			d.Day = day
		}
		perRound := l.PerDay * length.Hours() / 24
		if back {
			perRound = 0
		}
		d.divide(at, perRound, l.PerDay, accounts, l.Shards)
		if _, err = l.KV.Set(ctx, ledgerKey, Encode(d), e.Revision); err == nil {
			return d, nil
		} else if !errors.Is(err, ErrConflict) {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// divide divides what the day allows by now and nobody has.
func (d *division) divide(at int64, perRound, perDay float64, accounts []account, shards int) {
	if len(d.Divided) != len(accounts) {
		d.Divided = make([]int, len(accounts))
	}
	d.Entitled = min(d.Entitled+perRound, perDay)
	pool := int(d.Entitled + 5e-7)
	reports := make([]Settled, shards)
	for i, a := range accounts {
		pool -= d.Divided[i]
		if a.Book == d.Book {
			pool += a.back()
		}
		// Where nobody claims, shares do not come back before one does: such get least.
		idle := a.Turn > 0 && a.Turn+1 < d.Turn
		for n, s := range a.Stands {
			if reports[i*AccountShards+n] = s.Report; idle {
				reports[i*AccountShards+n] = Settled{Granted: max(s.Report.Granted, 1)}
			}
		}
	}
	d.Turn++
	d.Start, d.Shares = at, divide(max(pool, 0), demands(reports), int(at/60))
	for shard, share := range d.Shares {
		d.Divided[shard/AccountShards] += share
	}
}

// begin lets the shards of an account, of which this is the number, take their shares of a round.
// They no longer can of earlier rounds.
func (a *account) begin(d *division, number int) {
	if a.Book != d.Book {
		a.Spent = 0
		for i := range a.Stands {
			a.Stands[i].Open = 0
		}
	}
	first := number * AccountShards
	a.Book, a.Turn, a.Start, a.Divided = d.Book, d.Turn, d.Start, d.Divided[number]
	a.Shares = d.Shares[first : first+len(a.Stands)]
}

// open is what shards took and did not settle.
func (a *account) open() (n int) {
	for _, s := range a.Stands {
		n += s.Open
	}
	return n
}

// back is how much of the shares of the day nobody has, nor can take.
func (a *account) back() int {
	n := a.Divided - a.Spent - a.open()
	for i, s := range a.Stands {
		if s.Turn != a.Turn {
			n -= a.Shares[i]
		}
	}
	return n
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
