package estimator

import (
	"math"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// seenTimes returns a history of visits at equal distances, of which the first ones saw a change.
func seenTimes(apart time.Duration, visits, changes int) sitegraph.History {
	at := time.Unix(1_700_000_000, 0)
	h := sitegraph.Start(at)
	for i := range visits {
		at = at.Add(apart)
		h.See(at, i < changes, time.Time{})
	}
	return h
}

// Cho and Garcia-Molina 2003, of ten visits a day apart. Seen returns at most one change a visit.
func TestSeen(t *testing.T) {
	for changes, want := range map[int]float64{0: 0, 1: math.Log(10.5 / 9.5),
		5: math.Log(10.5 / 5.5), 10: math.Log(21)} {
		r := Seen(seenTimes(Day, 10, changes))
		low, high := r.Range()
		if math.Abs(r.PerDay()-min(want, 1)) > 1e-9 || !(low <= want && want < high) ||
			math.IsInf(high, 1) != (want > 1) ||
			(low > 0) != (changes > 0) {
			t.Errorf("%d changes: %v a day, %v to %v, want %v",
				changes, r.PerDay(), low, high, want)
		}
		between := 0.0
		if want > 0 {
			between = 1 / want
		}
		if got := Days(r.Between()); math.Abs(got-between) > 1e-6 {
			t.Errorf("%d changes: %v days between two, want %v", changes, got, between)
		}
	}
}

// In the first minutes of a run with rounds of a minute, a single change makes no rate known. A
// page without a change has the rate 0.
func TestSeenIsNotKnownEarly(t *testing.T) {
	for _, c := range []struct {
		visits, changes int
		known           bool
	}{{0, 0, false}, {1, 0, true}, {1, 1, false}, {2, 1, false}, {3, 2, true}, {80, 0, true}} {
		r := Seen(seenTimes(time.Minute, c.visits, c.changes))
		if r.Known() != c.known {
			t.Errorf("%d changes in %d visits: known %v", c.changes, c.visits, r.Known())
		}
		if fresh := r.Unchanged(time.Minute); math.IsNaN(fresh) == c.known {
			t.Errorf("%d changes in %d visits: fresh %v", c.changes, c.visits, fresh)
		}
		if c.changes == 0 && r.PerDay() != 0 {
			t.Errorf("no change in %d visits: %v a day", c.visits, r.PerDay())
		}
	}
	if low, high := (ChangeRate{}).Range(); low != 0 || high != 0 {
		t.Errorf("of no page: %v to %v", low, high)
	}
}

// The rate of several pages is the sum of theirs. Its interval contains it and is narrower,
// relative to the rate, than those of the pages.
func TestChangeRateAdd(t *testing.T) {
	one := Seen(seenTimes(time.Hour, 40, 8))
	var all ChangeRate
	for range 30 {
		all.Add(one)
	}
	all.Add(Seen(seenTimes(time.Hour, 1, 1))) // counts in the sum, although it is not known alone
	last := Seen(seenTimes(time.Hour, 1, 1)).PerDay()
	if want := 30*one.PerDay() + last; math.Abs(all.PerDay()-want) > 1e-9 || !all.Known() ||
		all.Changes != 241 || all.Revisits != 1201 {
		t.Errorf("%+v, want %v a day", all, want)
	}
	low, high := all.Range()
	l, h := one.Range()
	if !(low < all.PerDay() && all.PerDay() < high) ||
		!((high-low)/all.PerDay() < (h-l)/one.PerDay()/4) {
		t.Errorf("%v to %v of %v; a page %v to %v of %v",
			low, high, all.PerDay(), l, h, one.PerDay())
	}
	var none ChangeRate
	for range 33 {
		none.Add(Seen(seenTimes(time.Minute, 82, 0)))
	}
	if low, high := none.Range(); none.PerDay() != 0 || low != 0 || high > 100 {
		t.Errorf("33 pages that never changed: %v a day, %v to %v", none.PerDay(), low, high)
	}
}
