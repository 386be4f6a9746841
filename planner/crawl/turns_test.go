package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// town is a web of servers of many kinds in virtual time. It checks that no server and no address
// is asked twice at a time, or without its pause.
type town struct {
	*testing.T
	pause   time.Duration
	perSite int
	takes   func(server string) time.Duration
	finds   func(server string) time.Duration                                   // time of a look-up; nil: none
	address func(server string) string                                          // nil: each its own
	answer  func(server string, o *sitegraph.Observation)                       // changes the answer; nil: as it is
	refuse  func(r crawl.Request, now time.Time) (sitegraph.Observation, error) // nil: none

	mu     sync.Mutex
	asked  map[string]bool
	busy   map[string]bool
	until  map[string]time.Time
	visits map[string]int
}

func newTown(t *testing.T, pause time.Duration, perSite int) *town {
	return &town{T: t, pause: pause, perSite: perSite, takes: func(string) time.Duration {
		return 50 * time.Millisecond
	},
		asked: map[string]bool{}, busy: map[string]bool{}, until: map[string]time.Time{},
		visits: map[string]int{}}
}

func (w *town) place(server string) string {
	if w.address == nil {
		return server
	}
	return w.address(server)
}

func (w *town) Locate(ctx context.Context, url string) string {
	if w.finds != nil {
		select {
		case <-time.After(w.finds(sitegraph.ServerName(url))):
		case <-ctx.Done():
		}
	}
	return w.place(sitegraph.ServerName(url))
}

func (w *town) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	if w.refuse != nil {
		if o, err := w.refuse(r, time.Now()); err != nil {
			return o, err
		}
	}
	server := sitegraph.ServerName(r.Record.URL)
	keys := []string{server, "at " + w.place(server)}
	w.mu.Lock()
	for _, k := range keys {
		if w.busy[k] || time.Now().Before(w.until[k]) {
			w.Errorf("%s: %s is asked too early: busy %v, %v before its time",
				r.Record.URL, k, w.busy[k], time.Until(w.until[k]))
		}
		w.busy[k] = true
	}
	w.visits[server]++
	w.mu.Unlock()
	began := time.Now()
	select {
	case <-time.After(w.takes(server)):
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for _, k := range keys {
		w.busy[k], w.until[k] = false, now.Add(w.pause)
	}
	o := sitegraph.Observation{URL: r.Record.URL, Time: now, Outcome: sitegraph.OutcomeFetched,
		Status: 200, LinksKnown: true, FramesKnown: true,
		NotBefore: now.Add(w.pause), Elapsed: now.Sub(began), Trouble: sitegraph.TroubleNone}
	o.Digests.Bytes = sitegraph.DigestOf([]byte(r.Record.URL))
	if u, _ := url.Parse(r.Record.URL); u.Path == "/" {
		for i := range w.perSite - 1 {
			o.Links = append(o.Links, fmt.Sprintf("%sp%d", r.Record.URL, i))
		}
	}
	if w.answer != nil {
		w.answer(server, &o)
	}
	w.until[server] = o.NotBefore
	return o, ctx.Err()
}

// of returns the visits to servers whose names have a prefix.
func (w *town) of(prefix string) (visits int) {
	for server, n := range w.visits {
		if strings.HasPrefix(server, prefix) {
			visits += n
		}
	}
	return visits
}

// live runs a loop for some time, like recrawl run, in rounds of a length.
func (w *town) live(o crawl.Options, policy string, perDay float64, round, length time.Duration,
	starts ...string) *rig {
	m := newLive(w.T, w, history.NewMemoryStore(), policy, perDay, o)
	m.seed(starts...)
	ctx, cancel := context.WithTimeout(w.Context(), length)
	defer cancel()
	if err := m.loop.Run(ctx, perDay, round, nil); !errors.Is(err, context.DeadlineExceeded) {
		w.Errorf("the loop ended: %v", err)
	}
	return m
}

func newLive(t *testing.T, w *town, d crawl.Store, name string, perDay float64,
	o crawl.Options) *rig {
	t.Helper()
	m := &rig{T: t, clock: crawl.WallClock{}, pages: planner.NewPages(sitegraph.NewGraph())}
	if d, ok := d.(*disk); ok {
		m.pages = d.restore()
	}
	p, err := policy.New(name, policy.Settings{Pages: m.pages, Mode: planner.Stream, Seed: 1,
		PerDay: perDay})
	if err != nil {
		t.Fatal(err)
	}
	m.plan = planner.New(m.pages, p,
		planner.Options{NewShare: 0.25, Leftover: true, LeastRefetch: planner.FirstWorth,
			Turns: true})
	o.Planner, o.Fetcher, o.Store, o.Clock, o.Discover, o.Pause, o.Forecast = m.plan, w, d, m.clock,
		true, w.pause, true
	m.loop = crawl.New(o)
	return m
}

func startsOf(kind string, n int) (starts []string) {
	for i := range n {
		starts = append(starts, fmt.Sprintf("http://%s%d.example/", kind, i))
	}
	return starts
}

// With a large budget all servers are asked as often as politeness allows, beyond any bound on
// chosen visits.
func TestAllServersAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		servers int
		pause   time.Duration
		perDay  float64
		round   time.Duration
		policy  string
	}{
		{30, 10 * time.Second, planner.Unlimited, time.Hour, "sites"},
		{200, 10 * time.Second, 1e7, time.Hour, "sites"},
		{200, 10 * time.Second, 1e7, 24 * time.Hour, "sites"},
		{200, 10 * time.Second, planner.Unlimited, time.Hour, "ebayes"},
		{1000, 50 * time.Second, planner.Unlimited, 24 * time.Hour, "sites"},
		{2000, 100 * time.Second, 1e6, time.Hour, "sites"},
	} {
		if testing.Short() && (c.servers > 30 || c.round > time.Hour || c.policy != "sites") {
			continue
		}
		t.Run(fmt.Sprintf("servers=%d/round=%v/%s", c.servers, c.round, c.policy),
			func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newTown(t, c.pause, 300)
					const length = 12 * time.Minute
					w.live(crawl.Options{Workers: 64}, c.policy, c.perDay, c.round, length,
						startsOf("s", c.servers)...)
					polite := float64(c.servers) * float64(length) / float64(c.pause)
					if got := float64(w.of("s")); got < 0.9*polite {
						t.Errorf("%.0f visits, %.2f of the %.0f that politeness allows; want 0.9",
							got, got/polite, polite)
					}
				})
			})
	}
}

// Many servers at one address wait there, and delay no others.
func TestSharedAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 900)
		w.address = func(server string) string {
			if strings.HasPrefix(server, "shared") {
				return "one"
			}
			return server
		}
		w.takes = func(server string) time.Duration {
			if w.place(server) == "one" {
				return 20 * time.Second
			}
			return 50 * time.Millisecond
		}
		w.live(crawl.Options{Workers: 16}, "sites", planner.Unlimited, time.Hour, 10*time.Minute,
			append(startsOf("shared", 256), startsOf("honest", 20)...)...)
		if got, most := w.of("honest"), 20*600; float64(got) < 0.9*float64(most) {
			t.Errorf("%d visits to honest servers of %d", got, most)
		}
		if got := w.of("shared"); got < 20 {
			t.Errorf("%d visits to the shared address in 600 s, of 28", got)
		}
	})
}

// A visit that must wait, for example for a Crawl-delay after robots.txt, holds no worker and uses
// no fetch.
func TestWaitHoldsNoWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 900)
		w.refuse = func(r crawl.Request, now time.Time) (sitegraph.Observation, error) {
			server := sitegraph.ServerName(r.Record.URL)
			w.mu.Lock()
			defer w.mu.Unlock()
			if !strings.HasPrefix(server, "delaying") || w.asked[server] {
				return sitegraph.Observation{}, nil
			}
			w.asked[server] = true
			w.until[server] = now.Add(300 * time.Second)
			return sitegraph.Observation{Transferred: 100},
				&crawl.Wait{Until: now.Add(300 * time.Second)}
		}
		w.answer = func(server string, o *sitegraph.Observation) {
			if strings.HasPrefix(server, "delaying") {
				o.NotBefore = o.Time.Add(300 * time.Second)
			}
		}
		const budget = 12_000
		m := w.live(crawl.Options{Workers: 8}, "sites", 24*budget, time.Hour, 10*time.Minute,
			append(startsOf("delaying", 70), startsOf("honest", 20)...)...)
		honest, delaying := w.of("honest"), w.of("delaying")
		if most := 20 * 600; float64(honest) < 0.9*float64(min(most, budget)) {
			t.Errorf("%d visits to honest servers of %d", honest, most)
		}
		if delaying < 70 || delaying > 140 {
			t.Errorf("%d visits to 70 servers with a delay of 300 s in 600 s, want 1 or 2 each",
				delaying)
		}
		// those under way at the end go back to the planner
		if made := m.plan.Made(); made < honest+delaying-8 {
			t.Errorf("%d visits were counted, %d made", made, honest+delaying)
		}
		if honest+delaying > budget {
			t.Errorf("%d visits of a budget of %d", honest+delaying, budget)
		}
	})
}

// Slow servers never hold all workers.
func TestSlowServers(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 10*time.Second, 900)
		w.takes = func(server string) time.Duration {
			if strings.HasPrefix(server, "slow") {
				return 30 * time.Second
			}
			return 50 * time.Millisecond
		}
		const length = 20 * time.Minute
		w.live(crawl.Options{Workers: 16}, "sites", planner.Unlimited, time.Hour, length,
			append(startsOf("slow", 100), startsOf("honest", 100)...)...)
		if got, most := w.of("honest"), 100*120; float64(got) < 0.9*float64(most) {
			t.Errorf("%d visits to honest servers of %d", got, most)
		}
		if w.of("slow") < 200 {
			t.Errorf("%d visits to slow servers", w.of("slow"))
		}
	})
}

// A server in trouble is asked less and less often, also after a restart, and as before once it is
// well.
func TestSlowdown(t *testing.T) {
	needsNoRace(t)
	for _, trouble := range []sitegraph.Trouble{sitegraph.TroubleBusy, sitegraph.TroubleFailing} {
		synctest.Test(t, func(t *testing.T) {
			w := newTown(t, time.Second, 900)
			began := time.Now()
			w.answer = func(_ string, o *sitegraph.Observation) {
				if after := time.Since(began); after > 2*time.Minute && after < 2*time.Hour {
					o.Outcome, o.Status, o.LinksKnown, o.Trouble = sitegraph.OutcomeFailed, 503,
						false, trouble
				}
			}
			d := newDisk()
			run := func(length time.Duration) int {
				m := newLive(t, w, d, "sites", planner.Unlimited, crawl.Options{Workers: 4})
				m.seed(startsOf("s", 1)...)
				before := w.of("s")
				ctx, cancel := context.WithTimeout(t.Context(), length)
				defer cancel()
				if err := m.loop.Run(ctx, planner.Unlimited, time.Hour, nil); !errors.Is(err,
					context.DeadlineExceeded) {
					t.Fatal(err)
				}
				time.Sleep(w.pause) // as long as a restarted program waits
				return w.of("s") - before
			}
			if well := run(2 * time.Minute); well < 108 {
				t.Errorf("%d visits in two minutes while the server is well", well)
			}
			if first, then := run(30*time.Minute), run(30*time.Minute); first > 20 || then > 4 {
				t.Errorf("%v: %d visits in the first half hour of trouble, %d in the second, "+
					"after a restart", trouble, first, then)
			}
			time.Sleep(time.Until(began.Add(2 * time.Hour)))
			if again := run(3 * time.Hour); again < 500 {
				t.Errorf("%v: %d visits in three hours when it was well again", trouble, again)
			}
		})
	}
}

// A fault of this machine is no outcome of a page: the loop reports it, waits and goes on.
func TestLocalFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 30)
		began := time.Now()
		noFiles := errors.New("too many open files")
		w.refuse = func(crawl.Request, time.Time) (sitegraph.Observation, error) {
			if after := time.Since(began); after > time.Minute && after < 6*time.Minute {
				return sitegraph.Observation{}, &crawl.LocalError{Err: noFiles}
			}
			return sitegraph.Observation{}, nil
		}
		var told []error
		full := errors.New("the disk is full")
		able := func() error {
			if after := time.Since(began); after > 10*time.Minute && after < 12*time.Minute {
				if w.of("s") > 0 && after > 10*time.Minute+2*time.Second {
					w.visits = map[string]int{}
				}
				return full
			}
			return nil
		}
		m := w.live(crawl.Options{Workers: 8, Able: able, Stalled: func(why error) {
			told = append(told, why)
		}},
			"sites", planner.Unlimited, 5*time.Minute, 14*time.Minute, startsOf("s", 5)...)
		for p := range sitegraph.PageID(m.pages.Count()) {
			if n := m.pages.Memory(p).Errors; n > 0 {
				t.Errorf("%s is blamed %d times", m.pages.Graph.URL(p), n)
			}
		}
		saw := map[error]int{}
		for _, why := range told {
			saw[why]++
		}
		if saw[noFiles] == 0 || saw[noFiles] > 20 || saw[full] == 0 || saw[full] > 10 ||
			saw[nil] != 2 {
			t.Errorf("told %v", told)
		}
		if w.of("s") == 0 {
			t.Error("no visit after the disk had room again")
		}
	})
}

// A server with endless links takes no more first visits than any other.
func TestTrapStarvesNobody(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 900)
		w.answer = func(server string, o *sitegraph.Observation) {
			if strings.HasPrefix(server, "trap") {
				for i := range 1000 {
					o.Links = append(o.Links, fmt.Sprintf("%s%d/", o.URL, i))
				}
			}
		}
		const budget = 600
		w.live(crawl.Options{Workers: 8}, "sites", 24*budget, time.Hour, time.Hour-time.Second,
			"http://trap.example/", "http://honest.example/")
		if honest, trap := w.of("honest"), w.of("trap"); honest < 250 || trap > 350 {
			t.Errorf("of %d visits %d went to the trap and %d to the honest server",
				budget, trap, honest)
		}
	})
}

// In a new crawl visits go to new pages, not to copies that are minutes old.
func TestColdCrawl(t *testing.T) {
	for _, policy := range []string{"sites", "ebayes", "breadth-first"} {
		synctest.Test(t, func(t *testing.T) {
			w := newTown(t, time.Second, 1200)
			again := 0
			w.refuse = func(r crawl.Request, now time.Time) (sitegraph.Observation, error) {
				if r.Record.State == sitegraph.StateAlive && now.Sub(r.Record.Tried) < 2*time.Hour {
					again++
				}
				return sitegraph.Observation{}, nil
			}
			w.live(crawl.Options{Workers: 8}, policy, 24*140, time.Hour, 4*time.Hour+30*time.Minute,
				startsOf("s", 1)...)
			if n := w.of("s"); n < 600 || again > n/20 {
				t.Errorf("%s: of %d visits in five rounds %d went to copies of the last two "+
					"hours, while new pages waited", policy, n, again)
			}
		})
	}
}

// If the budget is less than politeness allows, the best visits get it, even if all are at one
// server.
func TestScarceBudgetGoesByValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, 10*time.Second, 200)
		m := newLive(t, w, history.NewMemoryStore(), "ebayes", 24*400, crawl.Options{Workers: 8})
		m.seed(append(startsOf("quiet", 20), startsOf("busy", 1)...)...)
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		// All pages are known and fetched once, and those of one server have changed.
		if err := m.loop.Run(ctx, planner.Unlimited, 24*time.Hour, func(planner.Round) bool {
			return false
		}); err != nil {
			t.Fatal(err)
		}
		for p := range sitegraph.PageID(m.pages.Count()) {
			if mem := m.pages.Memory(p); strings.Contains(m.pages.Graph.URL(p), "busy") {
				mem.History.Changes, mem.History.Visits = 20, 21
			}
		}
		w.visits = map[string]int{}
		now := time.Now()
		r := planner.Round{Number: 99, Start: now.Add(24 * time.Hour),
			End: now.Add(25 * time.Hour), Budget: 250}
		time.Sleep(24 * time.Hour)
		if err := m.loop.Round(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if busy, quiet := w.of("busy"), w.of("quiet"); busy < 195 || busy+quiet != 250 {
			t.Errorf("%d visits to the server that changes, which has 200 pages, and %d to "+
				"others; want 200 and 50", busy, quiet)
		}
	})
}
