package dashboard

import (
	"context"
	"errors"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/eval/scale"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

var (
	largePages   = flag.Int("pages", 300_000, "pages of TestLarge")
	largeServers = flag.Int("servers", 30_000, "and its servers")
	largeTimes   = flag.Int("times", 20, "how often it loads each page")
	largeStore   = flag.String("store", "",
		"where its store is built, and used again if it is there")
)

// later is a clock that begins when the store of a large web was closed, and runs like the wall's.
type later struct{ offset time.Duration }

func (c later) Now() time.Time { return time.Now().Add(c.offset) }

func (c later) SleepUntil(ctx context.Context, t time.Time) error {
	return crawl.WallClock{}.SleepUntil(ctx, t.Add(-c.offset))
}

// TestLarge loads every page of the dashboard of a large web many times, while the loop makes
// visits without a pause. It prints how long that took: its own time, and the time as scaled for
// the machine. It takes minutes, and runs only with RECRAWL_LONG=1:
//
//	RECRAWL_LONG=1 go test ./cmd/show/dashboard -run TestLarge -v -args -pages 5000000 -servers 100000
func TestLarge(t *testing.T) {
	if os.Getenv("RECRAWL_LONG") == "" {
		t.Skip("RECRAWL_LONG=1 runs it")
	}
	web, dir := scale.NewWeb(*largePages, *largeServers, 20, 1), *largeStore
	if dir == "" {
		dir = filepath.Join(t.TempDir(), "store")
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		began := time.Now()
		if err := scale.Build(t.Context(), dir, web, func(int, int) {}); err != nil {
			t.Fatal(err)
		}
		t.Logf("built %s in %v", web, time.Since(began).Round(time.Second))
	}
	store, err := satstore.Open(dir, satstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, err := arena.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	corpus := planner.NewPages(sitegraph.NewGraphIn(file))
	if err := store.Restore(corpus.Graph, corpus.Remember); err != nil {
		t.Fatal(err)
	}
	perDay := 12 * float64(web.Pages) // more than the loop can visit: it is never idle
	ranking, err := policy.New(policy.Default, policy.Settings{Pages: corpus, Mode: planner.Stream,
		PerDay: perDay})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := view.OpenRules(store, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	live := planner.LiveOptions()
	live.Name, live.NewShare, live.Skip = policy.Default, 0.25, rules.Skip(corpus.Graph)
	plan := planner.New(corpus, ranking, live)
	clock := later{time.Until(scale.Start.Add(time.Hour))}
	run := present.NewRun()
	desk := view.New(view.Options{Planner: plan, Store: store, Rules: rules, Run: run, Data: dir,
		Policy: policy.Default, PerDay: perDay, Round: time.Hour, Workers: 64})
	loop := crawl.New(crawl.Options{Planner: plan, Fetcher: scale.Fetcher{Web: web, Clock: clock},
		Store: store, Clock: clock, Workers: 64,
		Discover: true, Forecast: true, Attentive: true, Seen: func(e *crawl.Event) {
			run.See(e)
			desk.See(e)
		}, Peek: desk.Peek()})
	desk.Attach(loop)
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- loop.Run(ctx, perDay, time.Hour, nil) }()
	s := serve(t, desk, dir, "127.0.0.1:0", nil)
	for first := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if now, err := desk.Now(t.Context()); err == nil && now.Total.Visits > 0 &&
			now.Surveyed.Year() > 2000 {
			t.Logf("the first visits and the first survey were there after %v; the survey took %v",
				time.Since(first).Round(time.Millisecond),
				desk.Surveyed().Took.Round(time.Millisecond))
			break
		}
	}
	visits := func() int64 { total, _ := desk.Totals(); return total.Visits }
	largest := desk.Servers(view.ServersQuery{Sort: "pages", Descending: true, Limit: 1}).Servers[0]
	pages, err := desk.Pages(t.Context(), largest.Name, "", "changes", true, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	page := "?url=" + url.QueryEscape(pages.Pages[0].URL)
	small := desk.Servers(view.ServersQuery{Sort: "server", Limit: 1000}).Servers
	t.Logf("the largest server has %d pages", largest.Pages)
	for _, path := range []string{"/", "/freshness", "/due", "/servers",
		"/servers?sort=fresh&order=asc", "/servers?q=9", "/servers/" + small[len(small)-1].Name,
		"/servers/" + largest.Name,
		"/page" + page, "/plan", "/hints", "/journal", "/metrics", "/api/v1/now",
		"/servers/" + small[len(small)-1].Name + "/sites", "/servers/" + largest.Name + "/pages",
		"/servers/" + largest.Name + "/sites", "/page/estimates" + page} {
		times := make([]time.Duration, *largeTimes)
		before := visits()
		for i := range times {
			at := time.Now()
			if answer, text := do(t, "GET", s.at(path), ""); answer.StatusCode != 200 {
				t.Errorf("%s: %d %.200s", path, answer.StatusCode, text)
			}
			times[i] = time.Since(at)
		}
		slices.Sort(times)
		t.Logf("%-40.40s median %8.1f ms, 95 %% %8.1f ms, longest %8.1f ms; %d visits meanwhile",
			path, ms(times[len(times)/2]), ms(times[len(times)*95/100]), ms(times[len(times)-1]),
			visits()-before)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("heap %d MB; %d visits in all", memory.HeapAlloc>>20, visits())
	stop()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	desk.Close()
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "dashboard.json")); err != nil {
		t.Error(err)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
