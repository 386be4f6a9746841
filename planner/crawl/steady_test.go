package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

const year = 365 * 24 * time.Hour

// steps is a system clock that is set while the monotonic clock goes on.
type steps struct{ off atomic.Int64 }

// Now returns a time with an offset, and a monotonic reading without. Package time offers no way to
// make one, and a bubble has no monotonic readings, so Now writes the fields that time.Time
// documents.
func (s *steps) Now() (t time.Time) {
	now := time.Now()
	off := now.Add(time.Duration(s.off.Load()))
	*(*struct {
		wall      uint64
		monotonic int64
		zone      *time.Location
	})(unsafe.Pointer(&t)) = struct {
		wall      uint64
		monotonic int64
		zone      *time.Location
	}{
		1<<63 | uint64(off.Unix()-year1885)<<30 | uint64(off.Nanosecond()),
		now.UnixNano() - inBubble, time.Local,
	}
	return t
}

var (
	year1885 = time.Date(1885, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	inBubble = time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
)

func (s *steps) clock(tell func(error)) *crawl.SteadyClock {
	began := time.Now()
	return crawl.NewSteadyClockOf(s.Now, func() time.Duration { return time.Since(began) }, tell)
}

func TestSteadyClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s steps
		var told []string
		c := s.clock(func(err error) { told = append(told, err.Error()) })
		pass := func(d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second) {
				c.Now()
			}
		}
		expect := func(name string, off time.Duration, backs, messages int) {
			t.Helper()
			if got := c.Now().Sub(time.Now().Round(0)); got != off || c.Backs() != backs ||
				len(told) != messages {
				t.Errorf("%s: %v ahead, %d steps back, told %q", name, got, c.Backs(), told)
			}
			told = nil
		}
		before := c.Now()
		pass(time.Minute)
		expect("nothing happens", 0, 0, 0)
		s.off.Store(int64(year))
		pass(14 * time.Second)
		expect("a year ahead for a moment", 0, 0, 1)
		s.off.Store(0)
		pass(time.Hour)
		expect("and right again", 0, 0, 0)
		s.off.Store(int64(time.Second))
		pass(time.Minute)
		expect("a little ahead", time.Second, 0, 0)
		s.off.Store(int64(-time.Hour))
		pass(time.Minute)
		expect("an hour back", time.Second, 0, 1)
		pass(2 * time.Minute)
		expect("and it stays so", -time.Hour, 1, 1)
		s.off.Store(int64(8 * time.Hour))
		pass(3 * time.Minute)
		expect("it was asleep", 8*time.Hour, 1, 2)
		if got := c.Now().Sub(before); got > 2*time.Hour {
			t.Errorf("%v passed by the monotonic clock", got)
		}
		for i := range 100 { // each step lasts less than two minutes
			s.off.Store(int64(time.Duration(i+10) * time.Hour))
			pass(time.Minute)
		}
		expect("it does not settle", 8*time.Hour, 1, 1)
	})
}

// Steps of the clock during a run stop nothing: neither rounds, limits, waits of servers nor pages
// visited before. No server is asked too early, and each step uses at most one budget twice.
func TestClockSteps(t *testing.T) {
	type span struct {
		off  time.Duration
		for_ time.Duration
	}
	for _, spans := range [][]span{
		{{0, 3 * time.Hour}, {year, 14 * time.Second}, {0, 4 * time.Hour}},
		{{0, 3*time.Hour + 30*time.Minute}, {-time.Hour, 6 * time.Hour}},
		{{0, 3*time.Hour + 30*time.Minute}, {-10 * time.Minute, 6 * time.Hour}},
		{{0, 3 * time.Hour}, {year, 30 * time.Minute}, {0, 6 * time.Hour}},
		{{year, 3 * time.Hour}, {0, 6 * time.Hour}},
		{{0, 3 * time.Hour}, {-year, time.Hour}, {0, 6 * time.Hour}},
		{{0, 3 * time.Hour}, {8 * time.Hour, 6 * time.Hour}},
		{{5 * time.Hour, 3 * time.Hour}, {0, 6 * time.Hour}},
	} {
		t.Run(fmt.Sprint(spans), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const each = 25 // fetches an hour
				var s steps
				s.off.Store(int64(spans[0].off))
				pages, starts := farm(2, 20)
				limit := budget.Limit{Amount: each, Unit: budget.InFetches, Per: time.Hour}
				p := &purse{T: t, limits: budget.Limits{All: []budget.Limit{limit},
					Servers: []budget.ServerLimit{{Pattern: "*", Limit: limit}}}}
				g := newGate(t, 20*time.Second, 1)
				w := &web{clock: s.clock(func(error) {}), pages: pages, before: g.visit,
					delay: 20 * time.Second}
				var visits []time.Time
				m := newMeteredRig(t, w, newDisk(), p, crawl.Options{Workers: 2,
					Pause: 20 * time.Second, Between: func() error { return nil },
					Seen: func(e *crawl.Event) {
						if e.Verdict != sitegraph.VerdictUnknown {
							visits = append(visits, time.Now())
						}
					}})
				p.limits, p.used = budget.Limits{}, map[string]float64{} // steps are unknown to it
				m.seed(starts...)
				ctx, cancel := context.WithCancel(t.Context())
				over := make(chan error)
				began := time.Now()
				go func() { over <- m.loop.Run(ctx, 24*each, time.Hour, nil) }()
				for _, span := range spans {
					s.off.Store(int64(span.off))
					time.Sleep(span.for_)
				}
				cancel()
				if err := <-over; !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				hours := make([]int, int(time.Since(began).Hours())+1)
				for _, at := range visits {
					hours[int(at.Sub(began).Hours())]++
				}
				last := hours[len(hours)-4 : len(hours)-1]
				for i, n := range hours {
					if n > 2*each+2 {
						t.Errorf("%d visits in hour %d", n, i)
					}
				}
				for _, n := range last {
					if n < each/2 {
						t.Errorf("after the steps %v visits in the hours, all: %v", last, hours)
						break
					}
				}
			})
		})
	}
}

func TestSteadyClockSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crawl.NewSteadyClock(func(error) {})
		began := time.Now()
		if err := c.SleepUntil(t.Context(), c.Now().Add(time.Hour)); err != nil ||
			time.Since(began) != time.Hour {
			t.Errorf("slept %v: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := c.SleepUntil(ctx, c.Now().Add(time.Hour)); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}
