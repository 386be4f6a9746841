package crawl_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// If few descriptors bound the visits under way, the loop makes that many at a time, and reports it
// once.
func TestFewDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const descriptors = 15
		w := newTown(t, 100*time.Millisecond, 900)
		w.refuse = func(crawl.Request, time.Time) (sitegraph.Observation, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			under := 0
			for _, busy := range w.busy {
				if busy {
					under++
				}
			}
			if under/2 >= descriptors { // a server and its address are two descriptors
				return sitegraph.Observation{},
					&crawl.LocalError{Err: errors.New("too many open files")}
			}
			return sitegraph.Observation{}, nil
		}
		told := 0
		o := crawl.Options{Workers: 200, Stalled: func(error) { told++ }}
		w.live(o, "sites", planner.Unlimited, time.Hour, 2*time.Minute, startsOf("s", 200)...)
		if got, most := w.of("s"), descriptors*20*120; got < most/2 {
			t.Errorf("%d visits, want half of the %d that the descriptors allow", got, most)
		}
		if told > 2 {
			t.Errorf("told %d times, want once, and once that it is over", told)
		}
	})
}

// During a fault one visit at a time tests it. Then visits go on, soon as many as before.
func TestOneVisitAfterAStall(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 900)
		began := time.Now()
		faults, soon := 0, 0
		w.refuse = func(crawl.Request, time.Time) (sitegraph.Observation, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			switch after := time.Since(began); {
			case after > time.Minute && after < 6*time.Minute:
				faults++
				return sitegraph.Observation{},
					&crawl.LocalError{Err: errors.New("no name server answers")}
			case after > 8*time.Minute:
				soon++
			}
			return sitegraph.Observation{}, nil
		}
		w.live(crawl.Options{Workers: 64}, "sites", planner.Unlimited, time.Hour, 10*time.Minute,
			startsOf("s", 100)...)
		if faults > 64+16 {
			t.Errorf("%d visits met the fault, want those under way and one for each attempt",
				faults)
		}
		if most := 100 * 120; soon < most*9/10 {
			t.Errorf("%d visits in two minutes after it, of %d", soon, most)
		}
	})
}

// A disk that stays full is reported once in some minutes.
func TestToldOfFullDiskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 900)
		began := time.Now()
		able := func() error {
			if after := time.Since(began); after > time.Minute && after < 13*time.Minute {
				return errors.New("the disk is full")
			}
			return nil
		}
		why, over := 0, 0
		o := crawl.Options{Workers: 8, Able: able, Stalled: func(err error) {
			if err == nil {
				over++
			} else {
				why++
			}
		}}
		w.live(o, "sites", planner.Unlimited, time.Hour, 15*time.Minute, startsOf("s", 5)...)
		if why < 1 || why > 3 || over != 1 {
			t.Errorf("told %d times in 12 minutes that the disk is full, and %d times that it "+
				"is over", why, over)
		}
	})
}
