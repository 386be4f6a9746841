package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// script is a policy that names pages in a given order and records its calls.
type script struct {
	pages []sitegraph.PageID
	log   *[]string
}

func (s *script) Begin(planner.Round)      {}
func (s *script) Offer([]sitegraph.PageID) {}
func (s *script) Next() (planner.Visit, bool) {
	if len(s.pages) == 0 {
		return planner.Visit{}, false
	}
	p := s.pages[0]
	s.pages = s.pages[1:]
	*s.log = append(*s.log, fmt.Sprint("plan ", p))
	return planner.Visit{Page: p}, true
}
func (s *script) Observe(p sitegraph.PageID, v sitegraph.Verdict) {
	*s.log = append(*s.log, fmt.Sprint("learn ", p, " ", v))
}
func (s *script) Due(p sitegraph.PageID, now time.Time) (planner.Due, time.Duration) {
	*s.log = append(*s.log, fmt.Sprint("due ", p))
	return planner.Due{When: now.Add(time.Hour)}, 7 * time.Hour
}

// Promise 3: with one worker each outcome is known before the next choice, and visits follow the
// policy's order.
func TestSequentialOrder(t *testing.T) {
	pages, starts := farm(1, 3)
	w := newWeb(pages)
	m := newRig(t, w, newDisk(), "random", crawl.Options{})
	m.seed(starts...)
	m.day(planner.Unlimited)
	changed := pages["http://s0.example/p1"]
	changed.content = "new"
	pages["http://s0.example/p1"] = changed

	var log []string
	w.before = func(_ context.Context, r crawl.Request) error {
		log = append(log, fmt.Sprint("visit ", r.Record.Page))
		return nil
	}
	m.plan.Policy = &script{pages: []sitegraph.PageID{2, 0, 1}, log: &log}
	m.day(planner.Unlimited)
	want := "plan 2, visit 2, learn 2 changed, due 2, plan 0, visit 0, learn 0 unchanged, due 0, " +
		"plan 1, visit 1, learn 1 unchanged, due 1"
	if got := strings.Join(log, ", "); got != want {
		t.Errorf("steps: %s\nwant:  %s", got, want)
	}
	for _, e := range m.acked[3:] {
		if !e.Record.Due.Equal(e.Observation.Time.Add(time.Hour)) ||
			e.Record.Interval != 7*time.Hour {
			t.Errorf("%s is kept as due at %v with the interval %v, not as the policy wants",
				e.Record.URL, e.Record.Due, e.Record.Interval)
		}
	}
}

// Promise 4: any behaviour of a site is an outcome.
func TestOutcomes(t *testing.T) {
	w := newWeb(map[string]page{
		"http://a.example/":        {content: "a"},
		"http://excluded.example/": {outcome: sitegraph.OutcomeExcluded},
		"http://failing.example/":  {outcome: sitegraph.OutcomeFailed},
		// without a copy to compare
		"http://unchanged.example/": {outcome: sitegraph.OutcomeNotModified},
		"http://moved.example/":     {redirect: "http://a.example/"},
	})
	m := newRig(t, w, newDisk(), "ebayes", crawl.Options{})
	m.seed("http://a.example/", "http://excluded.example/", "http://failing.example/",
		"http://gone.example/", "http://moved.example/", "http://unchanged.example/")
	m.day(planner.Unlimited)
	want := []string{"first http://a.example/", "left http://excluded.example/",
		"unknown http://failing.example/",
		"left http://gone.example/", "left http://moved.example/",
		"unknown http://unchanged.example/"}
	if !slices.Equal(m.seen, want) {
		t.Errorf("seen %q, want %q", m.seen, want)
	}
	// The next day the copy is visited again, and the failed page is tried again.
	if got, want := sorted(m.day(planner.Unlimited)),
		[]string{"http://a.example/", "http://failing.example/",
			"http://unchanged.example/"}; !slices.Equal(got, want) {
		t.Errorf("the next day %q, want %q", got, want)
	}
}

// Events are reported in order, and acknowledged in that order once they are durable: after each
// CommitEvery visits and at the end of a round. The rig checks each acknowledgement.
func TestAcknowledged(t *testing.T) {
	pages, starts := farm(2, 10)
	w := newWeb(pages)
	m := newRig(t, w, newDisk(), "ebayes", crawl.Options{CommitEvery: 3})
	m.seed(starts...)
	begun := 0
	w.before = func(context.Context, crawl.Request) error {
		if waiting := begun - len(m.acked); waiting > 3 {
			t.Errorf("%d visits are not acknowledged, want at most 3", waiting)
		}
		begun++
		return nil
	}
	m.day(planner.Unlimited)
	if len(m.acked) != 20 || len(m.seen) != 20 {
		t.Fatalf("%d outcomes seen and %d acknowledged, want 20", len(m.seen), len(m.acked))
	}
	for i, e := range m.acked {
		if want := fmt.Sprint(e.Verdict, " ", e.Record.URL); m.seen[i] != want {
			t.Errorf("acknowledged %s at place %d, seen was %s", want, i, m.seen[i])
		}
	}
}

// An error of the fetcher is one of the program: the loop stops and keeps finished visits.
func TestFetchErrorStops(t *testing.T) {
	pages, starts := farm(1, 10)
	w := newWeb(pages)
	m := newRig(t, w, newDisk(), "ebayes", crawl.Options{})
	m.seed(starts...)
	broken := errors.New("no more sockets")
	w.before = func(_ context.Context, r crawl.Request) error {
		if len(w.fetched) == 4 {
			return broken
		}
		return nil
	}
	err := m.tryDay(context.Background(), planner.Unlimited)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), w.fetched[3]) {
		t.Errorf("error %v, want %v with the address %s", err, broken, w.fetched[3])
	}
	if len(w.fetched) != 4 || len(m.acked) != 3 {
		t.Errorf("%d visits begun and %d acknowledged, want 4 and 3", len(w.fetched), len(m.acked))
	}
	// Nothing is lost: the page is visited in the next round.
	lost := w.take()[3]
	w.before = nil
	if again := m.day(planner.Unlimited); !slices.Contains(again, lost) {
		t.Errorf("%s is not visited again: %q", lost, again)
	}
}

// Promise 5: a cancelled loop commits its visits.
func TestCancelSequential(t *testing.T) {
	pages, starts := farm(1, 40)
	w := newWeb(pages)
	m := newRig(t, w, newDisk(), "ebayes", crawl.Options{})
	m.seed(starts...)
	ctx, cancel := context.WithCancel(context.Background())
	w.before = func(ctx context.Context, _ crawl.Request) error {
		if len(w.fetched) == 19 {
			cancel()
		}
		return ctx.Err()
	}
	const budget = 32
	if err := m.loop.Run(ctx, budget, 24*time.Hour, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if len(m.acked) != 18 {
		t.Errorf("%d visits acknowledged, want the 18 that were made", len(m.acked))
	}
	// Nineteen visits began. They were reserved by twos, and the unused reservation is free again.
	r, _, err := crawl.Upcoming(m.disk.crash(), budget, 24*time.Hour, base.Add(time.Hour))
	if err != nil || r.Budget != 13 || r.Number != 1 {
		t.Errorf("round %d goes on with %d visits, error %v; want round 1 with 13",
			r.Number, r.Budget, err)
	}
}

// Rounds are aligned to the clock and numbered. An advance of the store follows each. The fraction
// of a fetch is carried over, also over a restart.
func TestRun(t *testing.T) {
	pages, starts := farm(1, 30)
	w := newWeb(pages)
	w.clock = crawl.NewVirtualClock(base.Add(5 * time.Hour))
	d := newDisk()
	m := newRig(t, w, d, "ebayes", crawl.Options{})
	m.seed(starts...)
	var rounds []string
	const budget = 2.5
	for range 3 { // three programs of two rounds each; the second round is the next program's first
		again := newRig(t, w, d, "ebayes", crawl.Options{})
		left := 2
		err := again.loop.Run(context.Background(), budget, 24*time.Hour,
			func(r planner.Round) bool {
				rounds = append(rounds, fmt.Sprintf("%d: day %d, %d of %d",
					r.Number, int(r.End.Sub(base).Hours()/24), len(w.take()), r.Budget))
				left--
				return left > 0
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := "1: day 1, 2 of 2; 2: day 2, 3 of 3; 2: day 2, 0 of 0; 3: day 3, 2 of 2; 3: day 3, 0 " +
		"of 0; 4: day 4, 3 of 3"
	if got := strings.Join(rounds, "; "); got != want {
		t.Errorf("rounds %s\nwant   %s", got, want)
	}
	if want := []time.Time{base.AddDate(0, 0, 1), base.AddDate(0, 0, 2),
		base.AddDate(0, 0, 3)}; !slices.Equal(d.advanced, want) {
		t.Errorf("the store was advanced to %v, want %v", d.advanced, want)
	}
}

// Without a bound a round ends when nothing is left to do.
func TestRunUnlimited(t *testing.T) {
	pages, starts := farm(2, 5)
	w := newWeb(pages)
	m := newRig(t, w, newDisk(), "ebayes", crawl.Options{})
	m.seed(starts...)
	rounds := 0
	const budget = planner.Unlimited
	err := m.loop.Run(context.Background(), budget, 24*time.Hour, func(planner.Round) bool {
		rounds++
		return rounds < 3
	})
	if err != nil || len(m.acked) != 30 {
		t.Errorf("%d visits in 3 rounds, error %v; want 30", len(m.acked), err)
	}
}

// A damaged account stops the program before it spends a budget that it may not have.
func TestRunDamagedAccount(t *testing.T) {
	d := newDisk()
	if err := d.SaveSetting("round", []byte("{")); err != nil {
		t.Fatal(err)
	}
	m := newRig(t, newWeb(nil), d, "ebayes", crawl.Options{})
	const budget = 10
	if err := m.loop.Run(context.Background(), budget, time.Hour, nil); err == nil ||
		!strings.Contains(err.Error(), "account") {
		t.Errorf("error %v, want one about the account", err)
	}
	if _, _, err := crawl.Upcoming(d, budget, time.Hour, base); err == nil {
		t.Error("Upcoming reads what is damaged")
	}
}

// Run does what Upcoming predicts, also with fractions and an unfinished round.
func TestUpcoming(t *testing.T) {
	pages, starts := farm(1, 30)
	w := newWeb(pages)
	m := newRig(t, w, newDisk(), "ebayes", crawl.Options{})
	m.seed(starts...)
	const budget = 2.5
	var foretold planner.Round
	for range 5 {
		current, next, err := crawl.Upcoming(m.disk, budget, 24*time.Hour, w.clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		if foretold.Number > 0 && current != foretold {
			t.Errorf("round %+v, foretold was %+v", current, foretold)
		}
		foretold = next
		more := func(r planner.Round) bool {
			if r != current {
				t.Errorf("Run made round %+v, foretold was %+v", r, current)
			}
			return false
		}
		if err := m.loop.Run(context.Background(), 2.5, 24*time.Hour, more); err != nil {
			t.Fatal(err)
		}
		if again, _, err := crawl.Upcoming(m.disk, budget, 24*time.Hour,
			w.clock.Now()); err != nil || again.Number != current.Number || again.Budget != 0 {
			t.Errorf("after it round %d has %d visits left, error %v; want round %d with none",
				again.Number, again.Budget, err, current.Number)
		}
		if err := w.clock.SleepUntil(context.Background(), current.End); err != nil {
			t.Fatal(err)
		}
	}
}

// Between is called when all is committed, also between the end of a round and the next.
func TestBetween(t *testing.T) {
	for _, workers := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) { testBetween(t, workers) })
	}
}

func testBetween(t *testing.T, workers int) {
	pages, starts := farm(2, 5)
	w := newWeb(pages)
	w.clock = crawl.WallClock{}
	d := newDisk()
	resting, working, failed := 0, 0, false
	over := false
	var m *rig
	m = newRig(t, w, d, "ebayes",
		crawl.Options{Workers: workers, CommitEvery: 2, Between: func() error {
			if over {
				resting++
			} else {
				working++
			}
			if d.durable == nil || len(d.durable.Records()) != len(d.Records()) {
				t.Errorf("%d workers: called with something not committed", workers)
			}
			if got := len(m.seen); got != len(m.acked) {
				t.Errorf("%d workers: called after %d visits, %d acknowledged",
					workers, got, len(m.acked))
			}
			if failed {
				t.Errorf("%d workers: called again after its error", workers)
			}
			if resting > 100 {
				failed = true
				return errors.New("enough")
			}
			return nil
		}})
	m.seed(starts...)
	err := m.loop.Run(context.Background(), planner.Unlimited, 24*time.Hour,
		func(planner.Round) bool { over = true; return true })
	if err == nil || err.Error() != "enough" || working == 0 || len(m.acked) < 10 {
		t.Errorf("%d workers: error %v, %d calls at work, %d visits; want enough, some, 10 or more",
			workers, err, working, len(m.acked))
	}
}
