package budget

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// periods of the windows that limits are counted in.
var periods = [...]time.Duration{time.Hour, Day}

// amounts are by unit: fetches, bytes.
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
	granted []int64 // by limit: what its window allows up to the end of this round
	round   int     // in which the book was opened last
	start   [len(periods)]int64
	opened  [len(periods)]int // round in which the window was
	used    [len(periods)]amounts
	claimed [len(periods)]amounts
	flying  [len(periods)]amounts
	planned amounts
	credit  [2]float64 // by unit: what visits to sources may use in this round; below 0: used ahead
	dirty   bool       // claimed is not in the store yet
}

// NewAccount returns one for a server, or for all servers with the name "". It must be opened.
func NewAccount(name string, limits []Limit) Account { return Account{name: name, limits: limits} }

// Limited reports whether there are limits at all.
func (b *Account) Limited() bool { return len(b.limits) > 0 }

// unitIndex is a limit's place in amounts.
func (l Limit) unitIndex() int { return int(l.Unit) - 1 }

func (l Limit) periodIndex() int {
	if l.Per == time.Hour {
		return 0
	}
	return 1
}

// CountsBytes reports whether some limit is one of bytes.
func (b *Account) CountsBytes() bool {
	for _, l := range b.limits {
		if l.Unit == InBytes {
			return true
		}
	}
	return false
}

// Quarter is a fourth of the least limit in bytes.
func (b *Account) Quarter() int64 {
	least := int64(math.MaxInt64)
	for _, l := range b.limits {
		if l.Unit == InBytes {
			least = min(least, int64(l.Amount/4))
		}
	}
	return least
}

// Open begins a round: new windows start empty. A window allows up to the end of the round
// what its limit allows for the time that is then past, rounded up: so that a day's budget
// is not used up in its first round, and what a round leaves is there for the next one. A visit
// under way counts to the windows in which it began. back: the clock stepped back since.
func (b *Account) Open(number int, end time.Time, listening float64, back bool) {
	b.round = number
	last := end.Add(-time.Nanosecond)
	for i, period := range periods {
		// A window that lies ahead stays open: the clock went back, and what was used then
		// must not be used again. If it lies more than a period ahead, the clock was wrong then,
		// or it is known to have stepped back, else there would be no visits until then.
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

// HasCredit reports whether a visit to a source may begin: their share of what is left is not used,
// nor what an earlier visit took beyond it. True of a nil account.
func (b *Account) HasCredit() bool {
	return b == nil || b.credit[0] > 0 && b.credit[1] > 0
}

// Left is what a unit has left: under all its limits, beyond what flies and, if asked so, what
// is planned. Less than zero where a limit was lowered.
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

// HasRoom reports whether one more visit of so many bytes fits.
func (b *Account) HasRoom(need int64) bool {
	return b.Left(InFetches, true) >= 1 && b.Left(InBytes, true) >= need
}

// ClaimShare is which part of what is left is claimed in the store at a time, so that one
// write serves many visits. A crash loses at most a claim of each book.
const ClaimShare = 16

// Plan sets aside what visits need that were chosen, or with negative numbers takes it back.
func (b *Account) Plan(fetches, bytes int64) { b.planned = b.planned.plus(amounts{fetches, bytes}) }

// UseCredit counts a visit to a source against their share.
func (b *Account) UseCredit(fetches, bytes int64) {
	b.credit[InFetches-1] -= float64(fetches)
	b.credit[InBytes-1] -= float64(bytes)
}

// Take lets a visit begin that may read so many bytes. It reports whether the claim in the
// store must be raised first.
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

// Finish is told what a visit that began in a round has read of what it might, and how many fetches
// that was: one, or none yet.
func (b *Account) Finish(round int, fetches, might, read int64) {
	for i := range periods {
		if round < b.opened[i] {
			continue // its window is past
		}
		b.flying[i] = b.flying[i].plus(amounts{-1, -might})
		b.used[i] = b.used[i].plus(amounts{fetches, read})
		for unit := range b.used[i] { // more than it might: a world that goes by no bound
			used := b.used[i][unit] + b.flying[i][unit]
			if used > b.claimed[i][unit] && b.Left(Unit(unit+1), false) != math.MaxInt64 {
				b.claimed[i][unit], b.dirty = used, true
			}
		}
	}
}

// Settle gives back what was claimed and not used.
func (b *Account) Settle() {
	for i := range periods {
		if want := b.used[i].plus(b.flying[i]); b.claimed[i] != want {
			b.claimed[i], b.dirty = want, true
		}
	}
}

// entry is an account as the store keeps it: starts of the windows in unix seconds, and fetches
// and bytes used or claimed in them.
type entry struct {
	Hour   int64   `json:"hour"`
	Day    int64   `json:"day"`
	OfHour amounts `json:"of_hour"`
	OfDay  amounts `json:"of_day"`
}

// Encode is the account as a store keeps it.
func (b *Account) Encode() []byte {
	value, err := json.Marshal(
		entry{Hour: b.start[0], Day: b.start[1], OfHour: b.claimed[0], OfDay: b.claimed[1]},
	)
	if err != nil {
		panic(fmt.Sprintf("budget: account of %q: %v", b.name, err)) // plain numbers
	}
	return value
}

// Decode takes over what Encode wrote in an earlier run.
func (b *Account) Decode(value []byte) error {
	var e entry
	if err := json.Unmarshal(value, &e); err != nil {
		return fmt.Errorf("budget of %q: %w", b.name, err)
	}
	b.start = [len(periods)]int64{e.Hour, e.Day}
	b.used = [len(periods)]amounts{e.OfHour, e.OfDay}
	b.claimed = b.used
	b.round = 0 // open it anew
	return nil
}

// Setting is the account's name in a store.
func (b *Account) Setting() string {
	if b.name == "" {
		return "budget"
	}
	return "budget/" + b.name
}

// Round is the number with which the account was opened last.
func (b *Account) Round() int { return b.round }

// Unsaved reports whether claims changed since they were saved.
func (b *Account) Unsaved() bool { return b.dirty }

// Saved notes that what Encode returned is durable.
func (b *Account) Saved() { b.dirty = false }

// Use is how much of a limit is used.
type Use struct {
	Server  string // "": all servers together
	Limit   Limit
	Used    int64 // in the hour or day, visits under way included
	Granted int64 // of it up to the end of the round
}

func (u Use) String() string {
	return fmt.Sprintf("%s: %s of %s used that are granted until the round's end", u.Limit,
		Amount(float64(u.Used), u.Limit.Unit), Amount(float64(u.Granted), u.Limit.Unit))
}

// Uses says how much of each limit is used; nothing before the account is opened for a round, for
// example if a run begins in a round whose budget is used up.
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

// Name is that of the server; "": all servers.
func (b *Account) Name() string { return b.name }
