package budget

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// periods are the lengths of the windows of limits.
var periods = [...]time.Duration{time.Hour, Day}

// amounts are indexed by unit: fetches, bytes.
type amounts [2]int64

func (a amounts) plus(b amounts) amounts { return amounts{a[0] + b[0], a[1] + b[1]} }

// Account counts what is limited together: of a server, or of all servers.
//
//	used     visits that are over, in the window of each period
//	flying   what visits under way may still use that began in the window
//	planned  what visits need that were chosen and have not begun
//	claimed  what the store says was used: never less than used and flying, so that whatever
//	         a crash interrupts is counted
type Account struct {
	name    string // of the server; "": all
	limits  []Limit
	granted []int64 // by limit: what its window allows until the end of this round
	round   int     // the round in which the account was last opened
	start   [len(periods)]int64
	opened  [len(periods)]int // round in which the window was opened
	used    [len(periods)]amounts
	claimed [len(periods)]amounts
	flying  [len(periods)]amounts
	planned amounts
	credit  [2]float64 // by unit: what visits to sources may use in this round; below 0: used ahead
	dirty   bool       // claimed is not in the store yet
}

// NewAccount returns the account of the named server, or of all servers if name is "". It must be
// opened.
func NewAccount(name string, limits []Limit) Account { return Account{name: name, limits: limits} }

// Limited reports whether there are limits at all.
func (b *Account) Limited() bool { return len(b.limits) > 0 }

// unitIndex returns a limit's index in amounts.
func (l Limit) unitIndex() int { return int(l.Unit) - 1 }

func (l Limit) periodIndex() int {
	if l.Per == time.Hour {
		return 0
	}
	return 1
}

// CountsBytes reports whether a limit counts bytes.
func (b *Account) CountsBytes() bool {
	for _, l := range b.limits {
		if l.Unit == InBytes {
			return true
		}
	}
	return false
}

// Quarter returns a fourth of the least limit in bytes.
func (b *Account) Quarter() int64 {
	least := int64(math.MaxInt64)
	for _, l := range b.limits {
		if l.Unit == InBytes {
			least = min(least, int64(l.Amount/4))
		}
	}
	return least
}

// Open begins a round: new windows start empty. Until the end of the round a window allows the
// share of its limit for the time that is then past, rounded up. So a day's budget is not used up
// in its first round, and the rest of a round is left for the next one. A visit under way counts in
// the windows in which it began. back: the clock stepped back since.
func (b *Account) Open(number int, end time.Time, listening float64, back bool) {
	b.round = number
	last := end.Add(-time.Nanosecond)
	for i, period := range periods {
		// A window ahead of the clock stays open: the clock went back, and the use of that window
		// must not be repeated. If it is more than a period ahead, or if the clock is known to have
		// stepped back, the window ends. Otherwise there would be no visits until then.
		start := last.Truncate(period).Unix()
		if start > b.start[i] || start < b.start[i] &&
			(back || start < b.start[i]-int64(period.Seconds())) {
			b.start[i], b.opened[i] = start, number
			b.used[i], b.claimed[i], b.flying[i] = amounts{}, amounts{}, amounts{}
		}
	}
	b.planned = amounts{}
	b.granted = b.granted[:0]
	for _, l := range b.limits {
		past := end.Sub(last.Truncate(l.Per))
		b.granted = append(
			b.granted,
			int64(min(math.Ceil(l.Amount*float64(past)/float64(l.Per)), math.Floor(l.Amount))),
		)
	}
	for unit := range b.credit {
		b.credit[unit] = min(b.credit[unit], 0) +
			listening*float64(max(b.Left(Unit(unit+1), false), 0))
	}
}

// HasCredit reports whether a visit to a source may begin: their share of the rest is not used up,
// also not by an earlier visit beyond it. It returns true for a nil account.
func (b *Account) HasCredit() bool {
	return b == nil || b.credit[0] > 0 && b.credit[1] > 0
}

// Left returns the rest of a unit under all limits, without visits under way and, with planned,
// without planned ones. It is below zero if a limit was lowered.
func (b *Account) Left(of Unit, planned bool) int64 {
	unit := int(of) - 1
	left := int64(math.MaxInt64)
	for i, l := range b.limits {
		if l.unitIndex() == unit {
			period := l.periodIndex()
			left = min(left, b.granted[i]-b.used[period][unit]-b.flying[period][unit])
		}
	}
	if left == math.MaxInt64 {
		return left
	}
	if planned {
		left -= b.planned[unit]
	}
	return left
}

// HasRoom reports whether one more visit of need bytes fits.
func (b *Account) HasRoom(need int64) bool {
	return b.Left(InFetches, true) >= 1 && b.Left(InBytes, true) >= need
}

// ClaimShare is the fraction of the rest that is claimed in the store at a time (1/ClaimShare), so
// that one write serves many visits. A crash loses at most a claim of each account.
const ClaimShare = 16

// Plan reserves the need of chosen visits; negative numbers release it.
func (b *Account) Plan(fetches, bytes int64) { b.planned = b.planned.plus(amounts{fetches, bytes}) }

// UseCredit counts a visit to a source in their share.
func (b *Account) UseCredit(fetches, bytes int64) {
	b.credit[InFetches-1] -= float64(fetches)
	b.credit[InBytes-1] -= float64(bytes)
}

// Take begins a visit that may read some bytes. It reports whether the claim in the store must be
// raised first.
func (b *Account) Take(bytes int64) (raised bool) {
	now := amounts{1, bytes}
	for i := range periods {
		b.flying[i] = b.flying[i].plus(now)
	}
	for i := range periods {
		for unit := range now {
			left := b.Left(Unit(unit+1), false)
			if need := b.used[i][unit] + b.flying[i][unit]; left != math.MaxInt64 &&
				need > b.claimed[i][unit] {
				b.claimed[i][unit] = need + max(left, 0)/ClaimShare
				b.dirty = true
			}
		}
	}
	return b.dirty
}

// Finish counts the bytes that a visit read, of those that it might, and its fetches: one, or none
// yet. round is that in which it began.
func (b *Account) Finish(round int, fetches, might, read int64) {
	for i := range periods {
		if round < b.opened[i] {
			continue // its window is past
		}
		b.flying[i] = b.flying[i].plus(amounts{-1, -might})
		b.used[i] = b.used[i].plus(amounts{fetches, read})
		for unit := range b.used[i] { // more than allowed: a world without bounds
			used := b.used[i][unit] + b.flying[i][unit]
			if used > b.claimed[i][unit] && b.Left(Unit(unit+1), false) != math.MaxInt64 {
				b.claimed[i][unit], b.dirty = used, true
			}
		}
	}
}

// Settle releases unused claims.
func (b *Account) Settle() {
	for i := range periods {
		if want := b.used[i].plus(b.flying[i]); b.claimed[i] != want {
			b.claimed[i], b.dirty = want, true
		}
	}
}

// entry is an account in the form of the store: starts of the windows in unix seconds, and fetches
// and bytes used or claimed in them.
type entry struct {
	Hour   int64   `json:"hour"`
	Day    int64   `json:"day"`
	OfHour amounts `json:"of_hour"`
	OfDay  amounts `json:"of_day"`
}

// Encode returns the account in the form of the store.
func (b *Account) Encode() []byte {
	value, err := json.Marshal(
		entry{Hour: b.start[0], Day: b.start[1], OfHour: b.claimed[0], OfDay: b.claimed[1]},
	)
	if err != nil {
		panic(fmt.Sprintf("budget: account of %q: %v", b.name, err)) // plain numbers always encode
	}
	return value
}

// Decode restores what Encode wrote in an earlier run.
func (b *Account) Decode(value []byte) error {
	var e entry
	if err := json.Unmarshal(value, &e); err != nil {
		return fmt.Errorf("budget of %q: %w", b.name, err)
	}
	b.start = [len(periods)]int64{e.Hour, e.Day}
	b.used = [len(periods)]amounts{e.OfHour, e.OfDay}
	b.claimed = b.used
	b.round = 0 // open it again
	return nil
}

// Setting returns the account's name in a store.
func (b *Account) Setting() string {
	if b.name == "" {
		return "budget"
	}
	return "budget/" + b.name
}

// Round returns the round for which the account was last opened.
func (b *Account) Round() int { return b.round }

// Unsaved reports whether claims changed since they were saved.
func (b *Account) Unsaved() bool { return b.dirty }

// Saved notes that what Encode returned is durable.
func (b *Account) Saved() { b.dirty = false }

// Use is the use of a limit.
type Use struct {
	Server  string // "": all servers together
	Limit   Limit
	Used    int64 // in the hour or day, including visits under way
	Granted int64 // of it until the end of the round
}

func (u Use) String() string {
	return fmt.Sprintf("%s: %s of %s used that are granted until the round's end", u.Limit,
		Amount(float64(u.Used), u.Limit.Unit), Amount(float64(u.Granted), u.Limit.Unit))
}

// Uses returns the use of each limit; nothing before the account is opened for a round, for example
// if a run begins in a round whose budget is used up.
func (b *Account) Uses() (uses []Use) {
	if len(b.granted) == 0 {
		return nil
	}
	for i, l := range b.limits {
		used := b.used[l.periodIndex()][l.unitIndex()] + b.flying[l.periodIndex()][l.unitIndex()] +
			b.planned[l.unitIndex()]
		uses = append(uses, Use{b.name, l, used, b.granted[i]})
	}
	return uses
}

// Name returns that of the server; "": all servers.
func (b *Account) Name() string { return b.name }
