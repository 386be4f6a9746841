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

// Unlimited as a budget sets no limit.
const Unlimited = -1

// The ledger has an entry that divides each round among all shards, and one for each 64 shards with
// their claims and use. With 4,096 shards the first has 40 KB and the others 8 KB each: NATS takes
// messages of 1 MiB.
//
// A list of accounts may be of a moment ago. So a round is divided out of fetches that were never
// divided, and those that accounts gave back, which only grow within a day. A node that does not
// see all of it divides less, and the rest comes in a later round.

// division is the entry of a round.
type division struct {
	Day      int64   `json:"day"`  // start in unix seconds
	Book     uint64  `json:"book"` // number of the day: accounts of other days are void
	Turn     uint64  `json:"turn"` // number of the round, over all days
	Start    int64   `json:"start"`
	Entitled float64 `json:"entitled"` // fetches of the day up to the end of the round
	Shares   []int   `json:"shares"`   // for the round, by shard
	Divided  []int   `json:"divided"`  // by account: all its shares of the day
}

// account is the entry of at most AccountShards shards.
type account struct {
	Book    uint64  `json:"book"`
	Turn    uint64  `json:"turn"` // the last round in which one of them claimed its share
	Start   int64   `json:"start"`
	Shares  []int   `json:"shares"`  // of that round
	Divided int     `json:"divided"` // all shares of the day, up to that round
	Spent   int     `json:"spent"`   // of the day, as far as settled
	Stands  []stand `json:"stands"`  // by shard
}

// stand is the state of a shard.
type stand struct {
	Turn   uint64  `json:"turn"` // of the last round with a claimed share
	Start  int64   `json:"start"`
	Epoch  uint64  `json:"epoch"` // epoch that claimed it
	Open   int     `json:"open"`  // that share, until it is settled
	Report Settled `json:"report"`
}

// AccountShards is the most shards of an account.
const AccountShards = 64

// Settled is a shard's report about an ended round.
type Settled struct {
	Granted int     `json:"granted"`
	Used    int     `json:"used"`
	Price   float64 `json:"price"` // worth of its last visit; 0: its budget was not used up
	Pages   int     `json:"pages"`
}

// Ledger divides the budget of a day over rounds and shards.
type Ledger struct {
	KV     KV
	Shards int
	PerDay float64
}

const ledgerDay = int64(24 * time.Hour / time.Second)

// Claim returns the fetches of a shard in a round that begins at start and lasts length. It returns
// the same to an epoch that asks again, and 0 if an earlier epoch claimed in this round, because
// its use is unknown. Each shard claims its share once a round.
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

// Settle gives back the unused fetches of a round, and reports the price of a fetch. It may be
// called twice, and by a later epoch with the store of the earlier one. It must come before the
// shard's claim in a later round, or the whole share counts as used.
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
	Spent   int     `json:"spent"`   // fetches of the day, in settled rounds
	Granted int     `json:"granted"` // those of other rounds
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

// accounts returns all accounts, as of a moment ago.
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

// change replaces the account of a shard by the result of a function, which returns false without a
// change. The function is called again if another node was faster.
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

// divided returns the round that begins at a time, or a later one. The first caller divides it.
func (l *Ledger) divided(ctx context.Context, at int64, length time.Duration) (*division, error) {
	for {
		e, _, err := Read[division](ctx, l.KV, ledgerKey)
		if err != nil {
			return nil, err
		}
		d := &e.Value
		// A node whose clock was ahead may have started a round of the future. That one is given
		// up. Its fetches are already in Entitled, so none are added for this round.
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

// divide divides the fetches that the day permits so far and nobody has.
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
		// If nobody claims, shares do not come back before somebody does: such accounts get least.
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

// begin lets the shards of the account with this number claim their shares of a round, and no
// longer those of earlier rounds.
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

// open returns the claimed fetches that are not settled.
func (a *account) open() (n int) {
	for _, s := range a.Stands {
		n += s.Open
	}
	return n
}

// back returns the fetches of the day's shares that nobody has or can claim.
func (a *account) back() int {
	n := a.Divided - a.Spent - a.open()
	for i, s := range a.Stands {
		if s.Turn != a.Turn {
			n -= a.Shares[i]
		}
	}
	return n
}

// demands returns the weights to divide a round. A shard that left a part of its share gets its use
// and an eighth more. One that used all of it gets more if its price is above that of others, at
// most twice as much a round. So all prices become one: that of the whole budget. If others left
// fetches it gets twice as much. A shard without a report counts as the mean, and none less than a
// tenth of that.
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

// divide divides whole fetches by weights: largest remainders first, ties in turn.
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
