package guard

import (
	"container/list"
	"time"
)

const (
	// step is the unit in which an hour is counted. The current step and twelve before it always
	// cover an hour.
	step  = 5 * time.Minute
	steps = 13
)

// window counts events of the last hour, rounded up to a step: at least as many as in any hour.
type window struct {
	newest int64 // number of the current step
	of     [steps]int64
}

// at moves the window to now, a time since the ledger was opened.
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

// below returns when the sum falls below a limit if nothing is added.
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

// account counts the requests to an address or a host. Times are since the ledger was opened.
type account struct {
	name    string
	under   int           // requests in flight
	last    time.Duration // start or end of the last request, whichever is later
	asked   bool          // there was a request
	failed  time.Duration // last failure to connect; 0: none
	hour    *hour         // nil for a host, which has no hourly limits
	row     int           // violations since the last permitted request
	refused int64
	stopped bool
	place   *list.Element // in the book
}

// hour counts the requests to an address in the last hour.
type hour struct{ requests, bytes window }

// book holds a limited number of accounts.
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

// touch makes an account the latest, and adds it if it is not in the book.
func (b *book) touch(a *account) {
	if a.place != nil {
		b.used.MoveToFront(a.place)
		return
	}
	a.place = b.used.PushFront(a)
	b.of[a.name] = a
}

// forgetEach is the number of accounts to check for each new one, so that finished ones are dropped
// before room is needed.
const forgetEach = 4

// room drops finished accounts, the least recently used first, and reports whether there is room
// for another one.
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
		case a.stopped || a.under > 0: // not finished soon
			b.used.MoveToFront(last)
		default:
			return len(b.of) < b.most
		}
	}
	return len(b.of) < b.most
}
