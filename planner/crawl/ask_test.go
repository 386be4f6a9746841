package crawl_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// The page that a user asks for is the next visit of its server, before visits chosen earlier. That
// holds if it was chosen, is new, its server has no room left, or it is asked for once more. A page
// under way is visited again.
func TestAskGoesFirst(t *testing.T) {
	for _, perDay := range []float64{planner.Unlimited, 5000} {
		t.Run(fmt.Sprint("budget=", perDay), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const pause = 10 * time.Second
				w := newTown(t, pause, 300)
				var mu sync.Mutex
				visited := map[string][]time.Time{} // when each visit began
				woken := make(chan struct{}, 1)
				var wish []string
				ask := func(urls ...string) {
					mu.Lock()
					defer mu.Unlock()
					wish = urls
					woken <- struct{}{}
				}
				w.refuse = func(r crawl.Request, now time.Time) (sitegraph.Observation, error) {
					mu.Lock()
					defer mu.Unlock()
					visited[r.Record.URL] = append(visited[r.Record.URL], now)
					return sitegraph.Observation{}, nil
				}
				w.takes = func(string) time.Duration { return 2 * time.Second }
				var m *rig
				var last string
				soon := func(begun time.Time, url string, most time.Duration) {
					mu.Lock()
					defer mu.Unlock()
					for _, at := range visited[url] {
						if !at.Before(begun) {
							if took := at.Sub(begun); took > most {
								t.Errorf("%s was visited after %v, want %v", url, took, most)
							}
							return
						}
					}
					t.Errorf("%s was not visited", url)
				}
				go func() {
					time.Sleep(5*time.Minute + 300*time.Millisecond)
					begun := time.Now()
					ask("http://s0.example/p250", "http://s0.example/unheard",
						"http://s0.example/p251")
					time.Sleep(2 * time.Minute)
					const turn = pause + 2*time.Second
					soon(begun, "http://s0.example/p250", turn)
					soon(begun, "http://s0.example/unheard", 2*turn)
					soon(begun, "http://s0.example/p251", 3*turn)
					for mu.Lock(); last == ""; mu.Lock() { // wait until one is under way
						for url, times := range visited {
							if time.Since(times[len(times)-1]) < time.Second &&
								sitegraph.ServerName(url) == "s1.example" {
								last = url
							}
						}
						mu.Unlock()
						time.Sleep(100 * time.Millisecond)
					}
					url := last
					mu.Unlock()
					begun = time.Now()
					ask(url)
					time.Sleep(time.Minute)
					soon(begun, url, turn+2*time.Second)
				}()
				o := crawl.Options{Workers: 8, Woken: woken, Attentive: true}
				o.Between = func() error {
					mu.Lock()
					urls := wish
					wish = nil
					mu.Unlock()
					if urls == nil {
						return nil
					}
					asked, err := m.loop.Ask(false, urls...)
					if asked != len(urls) {
						t.Errorf("%d of %q are asked for", asked, urls)
					}
					return err
				}
				m = newLive(t, w, newDisk(), "sites", perDay, o)
				m.seed(startsOf("s", 3)...)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				_ = m.loop.Run(ctx, perDay, 24*time.Hour, nil) // ends with ctx
				if last == "" {
					t.Error("no page was under way")
				}
			})
		})
	}
}

// After a user asks for a feed, pages that it claims to be new or changed are visited at once,
// before pages that wait longer. A scheduled read of a feed has no such privilege.
func TestAskedFeed(t *testing.T) {
	n := newNewsroom()
	n.named = []string{aFeed}
	n.pages[front] = "top"
	for i := range 60 {
		url := fmt.Sprintf("%sold%d", front, i)
		n.pages[url] = "old"
		n.links[front] = append(n.links[front], url)
	}
	n.say(aFeed, sitegraph.Claim{URL: front + "old0", Modified: base})
	d := newDesk(n)
	if err := d.loop.Seed(front); err != nil {
		t.Fatal(err)
	}
	d.budget = 12
	for range 2 {
		d.next(t)
	}
	visited := d.asked
	n.pages[front+"new"] = "new"
	n.say(aFeed, sitegraph.Claim{URL: front + "new", Modified: d.now()},
		sitegraph.Claim{URL: front + "old0", Modified: base})
	if asked, err := d.loop.Ask(false, aFeed); asked != 1 || err != nil {
		t.Fatal(asked, err)
	}
	d.budget = 4
	if got := d.next(t); !strings.Contains(got+" ", "/feed? ") ||
		!strings.Contains(got+" ", "/new ") {
		t.Errorf("visited %s, after %v; want the feed, and what is new in it", got, visited)
	}
	n.say(aFeed, sitegraph.Claim{URL: front + "next", Modified: d.now()})
	n.pages[front+"next"] = "next"
	for range 3 {
		if got := d.next(t); strings.Contains(got+" ", "/next ") {
			t.Errorf("visited %s, though nobody asked for the feed", got)
		}
	}
}
