package guard

import (
	"container/list"
	"time"
)

const (
	// An hour is counted in steps. Those that are kept cover it wherever it begins: the step
	// under way and twelve before it.
	step  = 5 * time.Minute
	steps = 13
)

// window counts what happened in the last hour, rounded up to a step: never less than in any hour.
type window struct {
	newest int64 // number of the step under way
	of     [steps]int64
}

// at moves the window to a moment, which is a time since the ledger was opened.
func (w *window) at(now time.Duration) {
	n := int64(now / step)
	for k := max(w.newest+1, n-steps+1); k <= n; k++ {
		w.of[k%steps] = 0
	}
	w.newest = max(w.newest, n)
}

func (w *window) add(now time.Duration, n int64) {
	w.at(now)
	w.of[w.newest%steps] += n
}

func (w *window) sum(now time.Duration) (sum int64) {
	w.at(now)
	for _, n := range w.of {
		sum += n
	}
	return sum
}

// below returns when the sum is less than a limit, if nothing is added.
func (w *window) below(now time.Duration, limit int64) time.Duration {
	sum := w.sum(now)
	for k := max(w.newest-steps+1, 0); k <= w.newest; k++ {
		if sum < limit {
			break
		}
		if sum -= w.of[k%steps]; sum < limit {
			return time.Duration(k+steps) * step
		}
	}
	return now
}

// account is what was asked of an address or a host. Times are since the ledger was opened.
type account struct {
	name    string
	under   int           // requests under way
	last    time.Duration // start or end of the last one, whichever is later
	asked   bool          // there was one
	failed  time.Duration // when it could not be connected to last; 0: never
	hour    *hour         // nil: of a host, which has no such limits
	row     int           // violations since the last request that was let through
	refused int64
	stopped bool
	place   *list.Element // in the book
}

// hour is what was asked of an address in the last hour.
type hour struct{ requests, bytes window }

// book remembers accounts, up to a number.
type book struct {
	most int
	of   map[string]*account
	used *list.List // the latest first
}

func newBook(most int) book {
	return book{most: most, of: map[string]*account{}, used: list.New()}
}

// get returns an account, or nil.
func (b *book) get(name string) *account { return b.of[name] }

// touch makes an account the latest. One that is not in the book is put in.
func (b *book) touch(a *account) {
	if a.place != nil {
		b.used.MoveToFront(a.place)
		return
	}
	a.place = b.used.PushFront(a)
	b.of[a.name] = a
}

// forgetEach is how many accounts are looked at for each new one: what is over is forgotten sooner
// than room is needed.
const forgetEach = 4

// room forgets accounts on which nothing depends, the least recently used first, and reports
// whether there is room for one more.
func (b *book) room(over func(*account) bool) bool {
	for range forgetEach {
		last := b.used.Back()
		if last == nil {
			break
		}
		switch a := last.Value.(*account); {
		case over(a):
			b.used.Remove(last)
			delete(b.of, a.name)
		case a.stopped || a.under > 0: // its end is not near
			b.used.MoveToFront(last)
		default:
			return len(b.of) < b.most
		}
	}
	return len(b.of) < b.most
}
