package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// honest returns the visits to honest servers by minute.
func (w *town) honest() map[int]int {
	began, by := time.Now(), map[int]int{}
	w.refuse = func(r crawl.Request, now time.Time) (sitegraph.Observation, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if strings.HasPrefix(sitegraph.ServerName(r.Record.URL), "honest") {
			by[int(now.Sub(began)/time.Minute)]++
		}
		return sitegraph.Observation{}, nil
	}
	return by
}

// silence is the outcome at a silent server: its robots.txt cannot be read.
func silence(server string, o *sitegraph.Observation) {
	if strings.HasPrefix(server, "silent") {
		o.Outcome, o.Status, o.Elapsed, o.LinksKnown = sitegraph.OutcomeFailed, 0, 0, false
		o.Trouble = sitegraph.TroubleFailing
	}
}

// Unknown servers that do not answer delay no others, in any round.
func TestSilentServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 900)
		w.takes = func(server string) time.Duration {
			if strings.HasPrefix(server, "silent") {
				return 15 * time.Second
			}
			return 50 * time.Millisecond
		}
		w.answer = silence
		honest := w.honest()
		starts := append(startsOf("silent", 1500), startsOf("honest", 20)...)
		w.live(crawl.Options{Workers: 64}, "sites", planner.Unlimited, 2*time.Minute, 6*time.Minute,
			starts...)
		for minute := 1; minute < 6; minute++ {
			if most := 20 * 60; honest[minute] < most*9/10 {
				t.Errorf("minute %d: %d visits to honest servers, of %d",
					minute, honest[minute], most)
			}
		}
		if n := w.of("silent"); n < 1500 {
			t.Errorf("%d visits to 1500 silent servers, want one each at least", n)
		}
	})
}

// Names whose name servers are silent delay no other servers.
func TestSilentNames(t *testing.T) {
	needsNoRace(t)
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 900)
		w.finds = func(server string) time.Duration {
			if strings.HasPrefix(server, "silent") {
				return 10 * time.Second
			}
			return time.Millisecond
		}
		honest := w.honest()
		w.answer = silence
		w.takes = func(server string) time.Duration {
			return max(w.finds(server), 50*time.Millisecond)
		}
		starts := append(startsOf("silent", 1500), startsOf("honest", 20)...)
		w.live(crawl.Options{Workers: 64}, "sites", planner.Unlimited, 2*time.Minute, 6*time.Minute,
			starts...)
		for minute := 1; minute < 6; minute++ {
			if most := 20 * 60; honest[minute] < most*9/10 {
				t.Errorf("minute %d: %d visits to honest servers, of %d",
					minute, honest[minute], most)
			}
		}
	})
}

// Visits that take long go on when a round ends, and count in the round in which they began.
func TestRoundEndStopsNobody(t *testing.T) {
	needsNoRace(t)
	for _, perDay := range []float64{planner.Unlimited, 300 * 24 * 120} {
		synctest.Test(t, func(t *testing.T) {
			w := newTown(t, time.Second, 900)
			w.takes = func(server string) time.Duration {
				if strings.HasPrefix(server, "slow") {
					return 12 * time.Second
				}
				return 50 * time.Millisecond
			}
			carried := 0
			rounds := map[int]int{}
			seen := func(e *crawl.Event) {
				rounds[e.Round.Number]++
				began := e.Observation.Time.Add(-e.Observation.Elapsed)
				if began.Before(e.Round.Start) || !began.Before(e.Round.End) {
					t.Errorf("%s began at %v and counts to the round from %v to %v",
						e.Record.URL, began, e.Round.Start, e.Round.End)
				}
				if !e.Observation.Time.Before(e.Round.End) {
					carried++
				}
			}
			w.live(crawl.Options{Workers: 16, Seen: seen}, "sites", perDay, 30*time.Second,
				5*time.Minute,
				append(startsOf("slow", 5), startsOf("honest", 20)...)...)
			most := 20 * 300
			if perDay != planner.Unlimited {
				most = 300 * 10 / 2 // the budget ends before the round
			}
			if got := w.of("honest"); got < most*85/100 {
				t.Errorf("%d visits to honest servers of %d", got, most)
			}
			if carried == 0 && perDay == planner.Unlimited {
				t.Error("no visit went on in the next round")
			}
			for number, n := range rounds {
				if perDay != planner.Unlimited && n > 300 {
					t.Errorf("round %d: %d visits of a budget of 300", number, n)
				}
			}
		})
	}
}

// If politeness limits the crawl, changing pages are refetched although new ones wait.
func TestRefetchesWhileNewPagesWait(t *testing.T) {
	for _, policy := range []string{"ebayes", "interval"} {
		synctest.Test(t, func(t *testing.T) {
			w := newTown(t, 10*time.Second, 900)
			again, all := 0, 0
			w.refuse = func(r crawl.Request, _ time.Time) (sitegraph.Observation, error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if all++; r.Record.State == sitegraph.StateAlive {
					again++
				}
				return sitegraph.Observation{}, nil
			}
			w.answer = func(server string, o *sitegraph.Observation) {
				// all pages change all the time
				o.Digests.Bytes = sitegraph.DigestOf([]byte(o.Time.String()))
			}
			m := newLive(t, w, newDisk(), policy, 1e7, crawl.Options{Workers: 4})
			m.seed(startsOf("s", 3)...)
			run := func(length time.Duration) {
				ctx, cancel := context.WithTimeout(t.Context(), length)
				defer cancel()
				if err := m.loop.Run(ctx, 1e7, 10*time.Minute, nil); !errors.Is(err,
					context.DeadlineExceeded) {
					t.Fatal(err)
				}
			}
			run(10 * time.Minute)
			for p := range sitegraph.PageID(m.pages.Count()) { // and changed at each visit
				if mem := m.pages.Memory(p); mem.State == sitegraph.StateAlive {
					mem.History.Changes, mem.History.Visits = 20, 21
				}
			}
			again, all = 0, 0
			time.Sleep(w.pause)
			run(time.Hour)
			if m.plan.Waiting() == 0 {
				t.Fatal("no new page waits")
			}
			if again < all/10 || all-again < all/5 {
				t.Errorf("%s: of %d visits %d are to pages with a copy, which all change",
					policy, all, again)
			}
		})
	}
}

// A new crawl refetches some known pages although new pages are worth more. So it learns which
// pages change before it has met all others, and refetches those, whether politeness or the budget
// limits it.
func TestLearnsWhatChangesWhileNewPagesWait(t *testing.T) {
	t.Parallel()
	needsNoRace(t)
	for _, perDay := range []float64{1e7, 24 * 200} {
		synctest.Test(t, func(t *testing.T) {
			w := newTown(t, 10*time.Second, 1)
			w.answer = func(_ string, o *sitegraph.Observation) {
				switch u, _ := url.Parse(o.URL); {
				case u.Path == "/":
					for i := range 300 {
						o.Links = append(o.Links, fmt.Sprintf("%snews/%d", o.URL, i))
					}
					for i := range 4000 {
						o.Links = append(o.Links, fmt.Sprintf("%sold/%d", o.URL, i))
					}
				case strings.HasPrefix(u.Path, "/news/"):
					// these change all the time
					o.Digests.Bytes = sitegraph.DigestOf([]byte(o.Time.String()))
				}
			}
			again, all := 0, 0
			seen := func(e *crawl.Event) {
				if e.Round.Number <= 4 {
					return
				}
				if all++; !e.Visit.First && strings.Contains(e.Record.URL, "/news/") {
					again++
				}
			}
			m := newLive(t, w, newDisk(), "sites", perDay, crawl.Options{Workers: 4, Seen: seen})
			m.seed(startsOf("s", 1)...)
			ctx, cancel := context.WithTimeout(t.Context(), 9*time.Hour)
			defer cancel()
			if err := m.loop.Run(ctx, perDay, time.Hour, nil); !errors.Is(err,
				context.DeadlineExceeded) {
				t.Fatal(err)
			}
			if m.plan.Waiting() == 0 {
				t.Fatal("no new page waits")
			}
			if again < all/2 { // meeting a page is worth 0.9 changes
				t.Errorf("%v a day: of %d visits %d are to known pages that change all the time",
					perDay, all, again)
			}
		})
	}
}

// If robots.txt cannot be read under one scheme, for example because a port is closed, pages under
// the other scheme go on. Blocked pages are visited in this round once robots.txt can be read.
func TestSchemeBarred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 1)
		began, until := time.Now(), time.Now().Add(5*time.Minute)
		secure, plain := 0, map[int]int{}
		w.refuse = func(r crawl.Request, now time.Time) (sitegraph.Observation, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if !strings.HasPrefix(r.Record.URL, "https:") {
				plain[int(now.Sub(began)/time.Minute)]++
				return sitegraph.Observation{}, nil
			}
			if now.Before(until) {
				return sitegraph.Observation{Outcome: sitegraph.OutcomeFailed},
					&crawl.Wait{Until: until, Scheme: true}
			}
			secure++
			return sitegraph.Observation{}, nil
		}
		w.answer = func(_ string, o *sitegraph.Observation) {
			if strings.HasSuffix(o.URL, ".example/") {
				for i := range 400 {
					o.Links = append(o.Links, fmt.Sprintf("%sp%d", o.URL, i))
					if i < 100 {
						o.Links = append(o.Links, fmt.Sprintf("https%ss%d",
							strings.TrimPrefix(o.URL, "http"), i))
					}
				}
			}
		}
		w.live(crawl.Options{Workers: 4}, "sites", planner.Unlimited, time.Hour, 12*time.Minute,
			startsOf("s", 1)...)
		for minute := range 5 {
			if plain[minute] < 50 {
				t.Errorf("minute %d: %d visits under http, of 57", minute, plain[minute])
			}
		}
		if secure < 90 {
			t.Errorf("%d visits under https after it had come back, of 100 pages", secure)
		}
	})
}

// A Crawl-delay before the first visit holds even if the program is killed before that visit.
func TestDelayOverAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t, time.Second, 30)
		until := time.Now().Add(5 * time.Minute)
		asked := 0
		w.refuse = func(crawl.Request, time.Time) (sitegraph.Observation, error) {
			if asked++; time.Now().Before(until) {
				return sitegraph.Observation{Transferred: 100}, &crawl.Wait{Until: until}
			}
			return sitegraph.Observation{}, nil
		}
		run := func(d *disk, length time.Duration) (crashed *disk) {
			began := time.Now()
			kill := func() error {
				if time.Since(began) < length { // work at the very end is lost
					crashed = d.crash()
				}
				return nil
			}
			m := newLive(t, w, d, "sites", planner.Unlimited,
				crawl.Options{Workers: 4, Between: kill})
			m.seed(startsOf("s", 1)...)
			ctx, cancel := context.WithTimeout(t.Context(), length)
			defer cancel()
			if err := m.loop.Run(ctx, planner.Unlimited, time.Hour, nil); !errors.Is(err,
				context.DeadlineExceeded) {
				t.Fatal(err)
			}
			return crashed
		}
		d := run(newDisk(), 10*time.Second)
		if asked != 1 {
			t.Fatalf("asked %d times", asked)
		}
		if run(d, time.Minute); asked != 1 {
			t.Errorf("asked %d times again after a kill, within the delay", asked-1)
		}
	})
}
