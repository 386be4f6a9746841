package crawl_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// gate checks guarantee 3 at the visits of a concurrent loop.
type gate struct {
	*testing.T
	mu        sync.Mutex
	inFlight  int
	most      int
	busy      map[string]bool
	notBefore map[string]time.Time
	delay     time.Duration
	takes     func() time.Duration
	last      time.Time // when the last visit began
	server    string    // server of the last visit
}

func newGate(t *testing.T, delay time.Duration, seed uint64) *gate {
	rng := rand.New(rand.NewPCG(seed, 0))
	return &gate{T: t, busy: map[string]bool{}, notBefore: map[string]time.Time{}, delay: delay,
		takes: func() time.Duration { return time.Duration(rng.Int64N(int64(5 * time.Second))) }}
}

func (g *gate) visit(ctx context.Context, r crawl.Request) error {
	server := sitegraph.ServerName(r.Record.URL)
	g.mu.Lock()
	if g.busy[server] {
		g.Errorf("%s: two visits to one server at a time", r.Record.URL)
	}
	if now := time.Now(); now.Before(g.notBefore[server]) {
		g.Errorf("%s: visited %v too early", r.Record.URL, g.notBefore[server].Sub(now))
	}
	g.busy[server] = true
	g.inFlight++
	g.most = max(g.most, g.inFlight)
	g.last, g.server = time.Now(), server
	wait := g.takes()
	g.mu.Unlock()

	timer := time.NewTimer(wait)
	defer timer.Stop()
	var err error
	select {
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}

	g.mu.Lock()
	defer g.mu.Unlock()
	g.inFlight--
	g.busy[server] = false
	if err == nil {
		g.notBefore[server] = time.Now().Add(g.delay)
	}
	return err
}

// concurrently runs a test in virtual time with a loop of many workers and a gate. The bubble ends
// with its last goroutine.
func concurrently(t *testing.T, servers, perServer int, delay time.Duration, o crawl.Options,
	test func(m *rig, g *gate)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		pages, starts := farm(servers, perServer)
		g := newGate(t, delay, 1)
		w := &web{clock: crawl.WallClock{}, pages: pages, before: g.visit, delay: delay}
		m := newRig(t, w, newDisk(), "ebayes", o)
		m.seed(starts...)
		test(m, g)
	})
}

// roundOf carries out a round that begins now.
func (m *rig) roundOf(ctx context.Context, length time.Duration, budget int) (
	planner.Round, error) {
	m.number++
	now := time.Now()
	r := planner.Round{Number: m.number, Start: now.Add(-time.Nanosecond), End: now.Add(length),
		Budget: budget}
	return r, m.loop.Round(ctx, r)
}

func TestConcurrent(t *testing.T) {
	for _, delay := range []time.Duration{0, 10 * time.Second} {
		concurrently(t, 7, 20, delay, crawl.Options{Workers: 4}, func(m *rig, g *gate) {
			began := time.Now()
			takes := g.takes
			first := map[string]bool{}
			g.takes = func() time.Duration { // a first visit holds a worker for a second only
				if !first[g.server] {
					first[g.server] = true
					return time.Second / 2
				}
				return takes()
			}
			if _, err := m.roundOf(m.Context(), 24*time.Hour, planner.Unlimited); err != nil {
				m.Fatal(err)
			}
			if fetched := m.web.take(); len(fetched) != 140 ||
				len(slices.Compact(sorted(fetched))) != 140 {
				m.Errorf("%d visits, want 140 to as many pages", len(fetched))
			}
			if g.most != 4 {
				m.Errorf("at most %d visits at a time, want 4", g.most)
			}
			if len(m.acked) != 140 || g.inFlight != 0 {
				m.Errorf("%d acknowledged, %d under way", len(m.acked), g.inFlight)
			}
			// A round ends when nothing is left, without sleeping until its end: the 20 visits to a
			// server take 12.5 s each on average.
			if took := time.Since(began); took > 20*20*time.Second {
				m.Errorf("the round took %v", took)
			}
		})
	}
}

// No visit begins after the round's end. Chosen visits that have not begun are made in the next
// round, which keeps the pauses of this one.
func TestConcurrentRoundEnd(t *testing.T) {
	for _, delay := range []time.Duration{0, 40 * time.Second} {
		concurrently(t, 5, 30, delay, crawl.Options{Workers: 3}, func(m *rig, g *gate) {
			visited := map[string]bool{}
			for rounds := 0; len(visited) < 150; rounds++ {
				r, err := m.roundOf(m.Context(), 2*time.Minute, planner.Unlimited)
				if err != nil {
					m.Fatal(err)
				}
				if !g.last.Before(r.End) {
					m.Errorf("a visit began %v after the round's end", g.last.Sub(r.End))
				}
				fetched := m.web.take()
				for i, url := range fetched {
					if slices.Contains(fetched[:i], url) {
						m.Errorf("%s was visited twice in one round", url)
					}
					visited[url] = true
				}
				if rounds > 40 {
					m.Fatalf("%d of 150 pages visited in %d rounds", len(visited), rounds)
				}
			}
		})
	}
}

func TestConcurrentBudget(t *testing.T) {
	concurrently(t, 5, 30, time.Second, crawl.Options{Workers: 4}, func(m *rig, g *gate) {
		if _, err := m.roundOf(m.Context(), time.Hour, 23); err != nil {
			m.Fatal(err)
		}
		if n := len(m.web.take()); n != 23 {
			m.Errorf("%d visits of a budget of 23", n)
		}
	})
}

// Results are acknowledged soon, also if nothing else happens.
func TestConcurrentCommitAfter(t *testing.T) {
	concurrently(t, 2, 1, 0, crawl.Options{Workers: 2, CommitAfter: 5 * time.Second},
		func(m *rig, g *gate) {
			g.takes = func() time.Duration { // one visit takes a second, one an hour
				if g.inFlight == 1 {
					return time.Second
				}
				return time.Hour
			}
			go func() {
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if len(m.acked) != 1 {
					m.Errorf("%d visits acknowledged after 10 s, want the one that is over",
						len(m.acked))
				}
			}()
			if _, err := m.roundOf(m.Context(), 24*time.Hour, planner.Unlimited); err != nil {
				m.Fatal(err)
			}
		})
}

// Promise 5 with visits under way: they end, and earlier results are durable.
func TestConcurrentCancel(t *testing.T) {
	concurrently(t, 5, 30, time.Second, crawl.Options{Workers: 4}, func(m *rig, g *gate) {
		ctx, cancel := context.WithTimeout(m.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		_, err := m.roundOf(ctx, time.Hour, planner.Unlimited)
		if !errors.Is(err, context.DeadlineExceeded) {
			m.Errorf("error %v, want the context's", err)
		}
		if time.Since(began) != time.Minute || g.inFlight != 0 {
			m.Errorf("ended after %v with %d visits under way, want a minute and none",
				time.Since(began), g.inFlight)
		}
		fetched := m.web.take()
		if made := len(m.seen); len(m.acked) != made || made == 0 || made < len(fetched)-4 {
			m.Errorf("%d visits begun, %d made, %d acknowledged", len(fetched), made, len(m.acked))
		}
		// Nothing is lost: visits under way are made again.
		visited := map[string]bool{}
		for _, e := range m.acked {
			visited[e.Record.URL] = true
		}
		if _, err := m.roundOf(m.Context(), 24*time.Hour, planner.Unlimited); err != nil {
			m.Fatal(err)
		}
		for _, url := range m.web.take() {
			visited[url] = true
		}
		if len(visited) != 150 {
			m.Errorf("%d pages visited in the end, want 150", len(visited))
		}
	})
}

func TestConcurrentFetchError(t *testing.T) {
	concurrently(t, 5, 30, time.Second, crawl.Options{Workers: 4}, func(m *rig, g *gate) {
		broken := errors.New("no more sockets")
		m.web.before = func(ctx context.Context, r crawl.Request) error {
			if r.Record.URL == "http://s3.example/p4" {
				return broken
			}
			return g.visit(ctx, r)
		}
		if _, err := m.roundOf(m.Context(), time.Hour, planner.Unlimited); !errors.Is(err, broken) {
			m.Errorf("error %v, want %v", err, broken)
		}
		if g.inFlight != 0 || len(m.acked) != len(m.seen) || len(m.acked) == 0 {
			m.Errorf("%d visits under way, %d made, %d acknowledged",
				g.inFlight, len(m.seen), len(m.acked))
		}
	})
}

// Run makes rounds of hours in virtual time, each with its budget, until the context ends.
func TestConcurrentRun(t *testing.T) {
	concurrently(t, 5, 30, time.Second, crawl.Options{Workers: 3}, func(m *rig, g *gate) {
		ctx, cancel := context.WithTimeout(m.Context(), 10*time.Hour-time.Second)
		defer cancel()
		rounds := 0
		err := m.loop.Run(ctx, 24*7, time.Hour, func(r planner.Round) bool {
			rounds++
			if n := len(m.web.take()); n != 7 {
				m.Errorf("round %d: %d visits, want 7", r.Number, n)
			}
			return true
		})
		if !errors.Is(err, context.DeadlineExceeded) || rounds != 10 {
			m.Errorf("error %v after %d rounds, want the context's after 10", err, rounds)
		}
	})
}

func TestWallClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, start := crawl.WallClock{}, time.Now()
		if err := clock.SleepUntil(t.Context(), start.Add(time.Hour)); err != nil ||
			time.Since(start) != time.Hour {
			t.Errorf("slept %v, error %v", time.Since(start), err)
		}
		if err := clock.SleepUntil(t.Context(), start); err != nil ||
			time.Since(start) != time.Hour {
			t.Errorf("a moment that is past took %v, error %v", time.Since(start)-time.Hour, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := clock.SleepUntil(ctx, start.Add(2*time.Hour)); !errors.Is(err,
			context.DeadlineExceeded) || time.Since(start) != time.Hour+time.Minute {
			t.Errorf("error %v after %v, want the context's after a minute",
				err, time.Since(start)-time.Hour)
		}
		if now := clock.Now(); now.Location() != time.UTC {
			t.Errorf("%v is not UTC", now)
		}
	})
}

func TestVirtualClock(t *testing.T) {
	clock := crawl.NewVirtualClock(base)
	if err := clock.SleepUntil(t.Context(), base.Add(time.Hour)); err != nil ||
		!clock.Now().Equal(base.Add(time.Hour)) {
		t.Errorf("it is %v, error %v", clock.Now(), err)
	}
	if err := clock.SleepUntil(t.Context(), base); err != nil ||
		!clock.Now().Equal(base.Add(time.Hour)) {
		t.Errorf("it went back to %v, error %v", clock.Now(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := clock.SleepUntil(ctx, base); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

// A long wait of a server holds over a restart; a short one is not kept.
func TestWaitOverRestart(t *testing.T) {
	for _, c := range []struct {
		delay time.Duration
		kept  bool
	}{{time.Second, false}, {20 * time.Minute, true}} {
		synctest.Test(t, func(t *testing.T) {
			pages, starts := farm(1, 3)
			d := newDisk()
			start := func() *web {
				w := newWeb(pages)
				w.clock, w.delay = crawl.WallClock{}, c.delay
				m := newRig(t, w, d, "ebayes", crawl.Options{Workers: 2})
				m.seed(starts...)
				now := time.Now()
				if err := m.loop.Round(t.Context(),
					planner.Round{Number: 1, Start: now, End: now.Add(10 * time.Minute),
						Budget: 1}); err != nil {
					t.Fatal(err)
				}
				return w
			}
			if first := start(); len(first.fetched) != 1 {
				t.Fatalf("%d visits, want 1", len(first.fetched))
			}
			time.Sleep(2 * time.Second)
			began := time.Now()
			again := start()
			if asked := len(again.fetched) > 0; asked == c.kept {
				t.Errorf("a wait of %v: asked again after a restart: %v (%v later)",
					c.delay, asked, time.Since(began))
			}
		})
	}
}
