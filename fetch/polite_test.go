package fetch

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestPoliteness visits two servers at one address and one at another, as fast as the client
// allows, and checks the times of requests at the servers.
func TestPoliteness(t *testing.T) {
	w := newWeb(t, "a.example", "127.0.0.1", "b.example", "127.0.0.1", "c.example", "127.0.0.2")
	w.handle("a.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(rw, "User-agent: *\nCrawl-delay: 40")
	})
	w.page("/", "x")
	c := w.client(nil)
	for range 3 {
		for _, host := range []string{"a", "b", "c"} {
			w.get(c, "http://"+host+".example/")
		}
	}
	if len(w.requests) != 12 {
		t.Fatalf("%d requests, want 12", len(w.requests))
	}
	last := map[string]time.Time{}
	for i, r := range w.requests {
		for _, key := range []string{r.host, r.addr} {
			want := 10 * time.Second
			if key == "a.example" {
				want = 40 * time.Second
			}
			if prev, ok := last[key]; ok && r.at.Sub(prev) < want {
				t.Errorf("request %d (%s%s): %v after the last to %s",
					i, r.host, r.path, r.at.Sub(prev), key)
			}
			last[key] = r.at
		}
	}
}

// TestPolitenessOfManyCallers lets many impolite callers visit three servers at two addresses at
// once. Run it with -race.
func TestPolitenessOfManyCallers(t *testing.T) {
	const interval = 3 * time.Millisecond
	w := newWeb(t, "a.example", "127.0.0.1", "b.example", "127.0.0.1", "c.example", "127.0.0.2")
	var mu sync.Mutex
	active, last := map[string]int{}, map[string]time.Time{}
	w.handle("/", func(rw http.ResponseWriter, r *http.Request) {
		keys := []string{r.Host, w.hosts[r.Host].String()}
		mu.Lock()
		for _, k := range keys {
			if active[k]++; active[k] > 1 {
				t.Errorf("%d requests at a time for %s", active[k], k)
			}
			if since := time.Since(last[k]); since < interval {
				t.Errorf("%s asked %v after the last request", k, since)
			}
		}
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		for _, k := range keys {
			active[k]--
			last[k] = time.Now()
		}
	})
	c := w.client(func(o *Options) { o.Interval, o.Clock = interval, WallClock{} })
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 6 {
				host := "abc"[(i+j)%3 : (i+j)%3+1]
				if _, err := c.Visit(t.Context(),
					sitegraph.Record{URL: fmt.Sprintf("http://%s.example/%d",
						host, j)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(w.requests) != 48+3 {
		t.Errorf("%d requests, want 48 pages and 3 robots.txt", len(w.requests))
	}
}

func TestCrawlDelayIsTold(t *testing.T) {
	for given, want := range map[string]time.Duration{"30": 30 * time.Second, "1": 10 * time.Second,
		"1e300": 300 * time.Second} {
		w := newWeb(t, "h.example", "127.0.0.1")
		w.handle("h.example/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(rw, "User-agent: *\nCrawl-delay: "+given)
		})
		w.page("h.example/", "x")
		if o := w.get(w.client(nil), home); o.NotBefore.Sub(o.Time) != want {
			t.Errorf("Crawl-delay %s: wait %v, want %v", given, o.NotBefore.Sub(o.Time), want)
		}
	}
}

func TestNoInterval(t *testing.T) {
	w := newWeb(t, "h.example", "127.0.0.1")
	w.page("h.example/", "x")
	c := w.client(func(o *Options) { o.Interval = NoInterval })
	began := w.clock.Now()
	for range 3 {
		if o := w.get(c, home); o.Outcome != sitegraph.OutcomeFetched {
			t.Errorf("%v %q", o.Outcome, o.Detail)
		}
	}
	if w.clock.Now() != began {
		t.Errorf("waited %v", w.clock.Now().Sub(began))
	}
	if got := w.paths(); !slices.Equal(got, []string{"/robots.txt", "/", "/", "/"}) {
		t.Errorf("asked for %v", got)
	}
}
