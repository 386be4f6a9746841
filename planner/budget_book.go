package planner

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

// book is the account of what is limited together: a server, or all servers.
//
//	used     visits that are over, in the window of each period
//	flying   what visits under way may still use
//	planned  what visits need that were chosen and have not begun
//	claimed  what the store says was used: never less than used and flying, so that whatever
//	         a crash interrupts is counted
type book struct {
	name    string // of the server; "": all
	limits  []Limit
	granted []int64 // by limit: what its window allows up to the end of this round
	round   int     // in which the book was opened last
	touched int     // round in which a visit began last
	start   [len(periods)]int64
	used    [len(periods)]amounts
	claimed [len(periods)]amounts
	flying  amounts
	planned amounts
	credit  [2]float64 // by unit: what visits to sources may use in this round; below 0: used ahead
	dirty   bool       // claimed is not in the store yet
	shelf
}

// unitIndex is a limit's place in amounts.
func (l Limit) unitIndex() int { return int(l.Unit) - 1 }

func (l Limit) periodIndex() int {
	if l.Per == time.Hour {
		return 0
	}
	return 1
}

// countsBytes reports whether some limit is one of bytes.
func (b *book) countsBytes() bool {
	for _, l := range b.limits {
		if l.Unit == InBytes {
			return true
		}
	}
	return false
}

// quarter is a fourth of the least limit in bytes.
func (b *book) quarter() int64 {
	least := int64(math.MaxInt64)
	for _, l := range b.limits {
		if l.Unit == InBytes {
			least = min(least, int64(l.Amount/4))
		}
	}
	return least
}

// open begins a round: new windows start empty. A window allows up to the end of the round
// what its limit allows for the time that is then past, rounded up: so that a day's budget
// is not used up in its first round, and what a round leaves is there for the next one.
func (b *book) open(number int, end time.Time, listening float64) {
	b.round = number
	last := end.Add(-time.Nanosecond)
	for i, period := range periods {
		// A window that lies ahead stays open: the clock went back, and what was used then
		// must not be used again.
		if start := last.Truncate(period).Unix(); start > b.start[i] {
			b.start[i], b.used[i], b.claimed[i] = start, amounts{}, b.flying
		}
	}
	b.planned = amounts{}
	b.granted = b.granted[:0]
	for _, l := range b.limits {
		past := end.Sub(last.Truncate(l.Per))
		b.granted = append(b.granted, int64(min(math.Ceil(l.Amount*float64(past)/float64(l.Per)), math.Floor(l.Amount))))
	}
	for unit := range b.credit {
		b.credit[unit] = min(b.credit[unit], 0) + listening*float64(max(b.left(unit, false), 0))
	}
}

// mayListen reports whether a visit to a source may begin: their share of what is left is not used, nor
// what an earlier visit took beyond it. True of a nil book.
func (b *book) mayListen() bool {
	return b == nil || b.credit[0] > 0 && b.credit[1] > 0
}

// left is what a unit has left: under all its limits, beyond what flies and, if asked so, what
// is planned. Less than zero where a limit was lowered.
func (b *book) left(unit int, planned bool) int64 {
	left := int64(math.MaxInt64)
	for i, l := range b.limits {
		if l.unitIndex() == unit {
			left = min(left, b.granted[i]-b.used[l.periodIndex()][unit])
		}
	}
	if left == math.MaxInt64 {
		return left
	}
	left -= b.flying[unit]
	if planned {
		left -= b.planned[unit]
	}
	return left
}

// hasRoom reports whether one more visit of so many bytes fits.
func (b *book) hasRoom(need int64) bool {
	return b.left(0, true) >= 1 && b.left(1, true) >= need
}

// claimShare is which part of what is left is claimed in the store at a time, so that one
// write serves many visits. A crash loses at most a claim of each book.
const claimShare = 16

// take lets a visit begin that may read so many bytes. It reports whether the claim in the
// store must be raised first.
func (b *book) take(bytes int64) (raised bool) {
	now := amounts{1, bytes}
	b.flying = b.flying.plus(now)
	for i := range periods {
		for unit := range now {
			left := b.left(unit, false)
			if need := b.used[i][unit] + b.flying[unit]; left != math.MaxInt64 && need > b.claimed[i][unit] {
				b.claimed[i][unit] = need + max(left, 0)/claimShare
				b.dirty = true
			}
		}
	}
	return b.dirty
}

// finish is told what a visit has read of what it might, and how many fetches that was: one, or none yet.
func (b *book) finish(fetches, might, read int64) {
	b.flying[0]--
	b.flying[1] -= might
	for i := range periods {
		b.used[i] = b.used[i].plus(amounts{fetches, read})
		for unit := range b.used[i] { // more than it might: a world that goes by no bound
			used := b.used[i][unit] + b.flying[unit]
			if used > b.claimed[i][unit] && b.left(unit, false) != math.MaxInt64 {
				b.claimed[i][unit], b.dirty = used, true
			}
		}
	}
}

// settle gives back what was claimed and not used.
func (b *book) settle() {
	for i := range periods {
		if want := b.used[i].plus(b.flying); b.claimed[i] != want {
			b.claimed[i], b.dirty = want, true
		}
	}
}

// bookEntry is a book as the store keeps it: starts of the windows in unix seconds, and fetches
// and bytes used or claimed in them.
type bookEntry struct {
	Hour   int64   `json:"hour"`
	Day    int64   `json:"day"`
	OfHour amounts `json:"of_hour"`
	OfDay  amounts `json:"of_day"`
}

func (b *book) encode() []byte {
	value, err := json.Marshal(bookEntry{Hour: b.start[0], Day: b.start[1], OfHour: b.claimed[0], OfDay: b.claimed[1]})
	if err != nil {
		panic(fmt.Sprintf("planner: book of %q: %v", b.name, err)) // plain numbers
	}
	return value
}

func (b *book) decode(value []byte) error {
	var e bookEntry
	if err := json.Unmarshal(value, &e); err != nil {
		return fmt.Errorf("budget of %q: %w", b.name, err)
	}
	b.start = [len(periods)]int64{e.Hour, e.Day}
	b.used = [len(periods)]amounts{e.OfHour, e.OfDay}
	b.claimed = b.used
	return nil
}

// setting is the book's name in a store.
func (b *book) setting() string {
	if b.name == "" {
		return "budget"
	}
	return "budget/" + b.name
}
