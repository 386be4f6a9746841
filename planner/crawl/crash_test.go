package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// Promise 4: a store that fails at any call stops the loop with its error. The loop calls it no
// more and acknowledges nothing after (the rig checks).
func TestStoreFailure(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			kinds := 0
			for n := 1; ; n++ {
				d := newDisk()
				d.failAt = n
				var err error
				synctest.Test(t, func(t *testing.T) { err = threeRounds(t, d, workers) })
				if !d.failed {
					if err != nil {
						t.Fatalf("error %v without a failure", err)
					}
					break
				}
				kinds++
				if !errors.Is(err, errStore) {
					t.Errorf("call %d failed and the loop returned %v", n, err)
				}
				if len(d.after) > 0 {
					t.Errorf("call %d failed and %v followed", n, d.after)
				}
			}
			if kinds < 60 {
				t.Errorf("the store failed at %d calls, want more of them tested", kinds)
			}
		})
	}
}

// threeRounds discovers and refetches pages in three short rounds. A page leaves and returns, and a
// start page moves.
func threeRounds(t *testing.T, d *disk, workers int) error {
	pages, starts := farm(2, 5)
	w := &web{clock: crawl.WallClock{}, pages: pages,
		before: func(ctx context.Context, _ crawl.Request) error {
			time.Sleep(time.Second)
			return ctx.Err()
		}}
	m := newRig(t, w, d, "ebayes", crawl.Options{Workers: workers, CommitEvery: 3})
	if err := m.loop.Seed(starts...); err != nil {
		return err
	}
	round := 0
	return m.loop.Run(t.Context(), 24*12, time.Hour, func(planner.Round) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		round++
		start, leaves := pages[starts[0]], "http://s0.example/p1"
		switch round {
		case 1:
			delete(pages, leaves)
			start.links = start.links[:1]
			pages[starts[1]] = page{redirect: "http://s1.example/home"}
		case 2:
			pages[leaves] = page{content: "back"}
			start.links = append(start.links[:1:1], leaves, "http://s0.example/more")
		}
		start.content += "!"
		pages[starts[0]] = start
		return round < 3
	})
}

// crashed is the panic of a fetcher: the program dies, and uncommitted work is lost.
type crashed struct{}

// Guarantees 1 and 2: whatever the crashes in a round, no more visits begin than were granted, and
// acknowledged visits are stored. Each crash loses at most 1/16 of the grant, or one visit.
func TestBudgetAcrossCrashes(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 0))
		granted := 5 + rng.IntN(200)
		part := min(max(granted/16, 1), 64)
		d := newDisk()
		pages, starts := farm(4, 100)
		begun, crashes := 0, 0
		acked := map[string]sitegraph.Record{}
		for done := false; !done; {
			w := newWeb(pages)
			w.clock = crawl.NewVirtualClock(base.Add(time.Hour))
			m := newRig(t, w, d, "ebayes", crawl.Options{CommitEvery: 1 + rng.IntN(20)})
			for url, r := range acked {
				m.checkDurable(d, r.Page, &r)
				if r.URL != url {
					t.Fatalf("seed %d: page %d was %s", seed, r.Page, url)
				}
			}
			until := rng.IntN(granted)
			w.before = func(context.Context, crawl.Request) error {
				if len(w.fetched) > until && crashes < 10 {
					panic(crashed{})
				}
				return nil
			}
			m.seed(starts...)
			done = m.runUntilCrash(float64(granted))
			begun += len(w.fetched)
			for _, e := range m.acked {
				acked[e.Record.URL] = e.Record
			}
			if !done {
				crashes++
			}
			d = d.crash()
		}
		if begun > granted {
			t.Errorf("seed %d: %d visits begun of %d granted, over %d crashes",
				seed, begun, granted, crashes)
		}
		if begun < granted-crashes*part {
			t.Errorf("seed %d: only %d visits begun of %d granted, over %d crashes that may lose "+
				"%d each", seed, begun, granted, crashes, part)
		}
		if t.Failed() {
			t.Fatalf("repeat: go test -run TestBudgetAcrossCrashes ./planner/crawl with seed %d",
				seed)
		}
	}
}

// runUntilCrash carries out one round of a day; false if the program crashed in it.
func (m *rig) runUntilCrash(perDay float64) (done bool) {
	m.Helper()
	defer func() {
		if thrown := recover(); thrown != nil && thrown != (crashed{}) {
			panic(thrown)
		}
	}()
	err := m.loop.Run(context.Background(), perDay, 24*time.Hour, func(planner.Round) bool {
		return false
	})
	if err != nil {
		m.Fatal(err)
	}
	return true
}

// The budget of a UTC day holds even if the length of rounds, the budget and the clock change from
// run to run.
func TestBudgetOfADay(t *testing.T) {
	d := newDisk()
	pages, starts := farm(4, 100)
	used := 0
	for i, c := range []struct {
		hour   int // of the clock
		perDay float64
		length time.Duration
	}{
		{1, 20, 24 * time.Hour}, {2, 20, 6 * time.Hour}, {7, 20, time.Hour},
		{3, 20, 12 * time.Hour},
		{8, 20, 24 * time.Hour}, {9, 5, 24 * time.Hour}, {13, 20, 6 * time.Hour},
	} {
		w := newWeb(pages)
		w.clock = crawl.NewVirtualClock(
			base.Truncate(24 * time.Hour).Add(time.Duration(c.hour) * time.Hour))
		m := newRig(t, w, d, "ebayes", crawl.Options{})
		m.seed(starts...)
		err := m.loop.Run(context.Background(), c.perDay, c.length, func(planner.Round) bool {
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
		if used += len(w.fetched); used > 20 {
			t.Errorf("run %d: %d visits on a day of 20", i, used)
		}
	}
	if used < 15 {
		t.Errorf("only %d visits on a day of 20", used)
	}
}

// A lowered budget holds at once, also in the round under way.
func TestLoweredBudget(t *testing.T) {
	d := newDisk()
	pages, starts := farm(4, 100)
	// a higher budget waits for the next round
	for i, c := range []struct{ perDay, want float64 }{{3, 3}, {30, 0}, {2, 0}} {
		w := newWeb(pages)
		w.clock = crawl.NewVirtualClock(base.Add(time.Hour))
		m := newRig(t, w, d, "ebayes", crawl.Options{})
		m.seed(starts...)
		if err := m.loop.Run(context.Background(), c.perDay, 24*time.Hour,
			func(planner.Round) bool { return false }); err != nil {
			t.Fatal(err)
		}
		if len(w.fetched) != int(c.want) {
			t.Errorf("run %d with %v a day: %d visits, want %v",
				i, c.perDay, len(w.fetched), c.want)
		}
	}
}

// After two crashes no page was visited again whose visit was acknowledged.
func TestNoVisitTwiceAcrossCrashes(t *testing.T) {
	pages, starts := farm(1, 50)
	d := newDisk()
	visited := map[string]bool{}
	for run := range 3 {
		w := newWeb(pages)
		w.clock = crawl.NewVirtualClock(base.Add(time.Duration(run) * time.Minute))
		m := newRig(t, w, d, "ebayes", crawl.Options{CommitEvery: 1})
		w.before = func(context.Context, crawl.Request) error {
			if run < 2 && len(w.fetched) == 12 {
				panic(crashed{})
			}
			return nil
		}
		m.seed(starts...)
		m.runUntilCrash(1000)
		for _, e := range m.acked {
			if visited[e.Record.URL] {
				t.Errorf("run %d: %s was visited and acknowledged before", run, e.Record.URL)
			}
			visited[e.Record.URL] = true
		}
		d = d.crash()
	}
	if len(visited) != 50 {
		t.Errorf("%d pages visited, want 50", len(visited))
	}
}

// keeping is a fetcher that learns something of each server once.
type keeping struct {
	web
	known map[string]bool // servers, in the memory of the Keeper
	fresh []string        // not saved yet
	asked int             // how often it learnt
}

func (k *keeping) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	server := sitegraph.ServerName(r.Record.URL)
	if !k.known[server] {
		k.known[server] = true
		k.fresh = append(k.fresh, server)
		k.asked++
	}
	return k.web.Fetch(ctx, r)
}

func (k *keeping) Recall(url string, setting func(string) ([]byte, bool, error)) error {
	server := sitegraph.ServerName(url)
	value, ok, err := setting("known/" + server)
	k.known[server] = k.known[server] || ok && string(value) == "yes"
	return err
}

func (k *keeping) Keep(save func(string, []byte) error) error {
	for _, server := range k.fresh {
		if err := save("known/"+server, []byte("yes")); err != nil {
			return err
		}
	}
	k.fresh = nil
	return nil
}

// A fetcher's knowledge of servers is durable with the visits that found it.
func TestKeeperOutlivesCrash(t *testing.T) {
	pages, starts := farm(3, 4)
	d := newDisk()
	k := &keeping{known: map[string]bool{}}
	k.web.pages = pages
	for crash := range 3 {
		k.known, k.fresh = map[string]bool{}, nil
		clock := crawl.NewVirtualClock(base.Add(time.Duration(crash) * 48 * time.Hour))
		k.web.clock = clock
		m := newRig(t, &k.web, d, "uniform", crawl.Options{})
		m.loop.Fetcher = k
		m.seed(starts...)
		m.day(planner.Unlimited)
		d = d.crash()
	}
	if k.asked != 3 {
		t.Errorf("of three servers %d had to be learnt over two crashes", k.asked)
	}
}
