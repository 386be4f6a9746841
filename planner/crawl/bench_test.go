package crawl_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// recorded answers at once, like a replayed history: page p changes every p%50+1 rounds.
type recorded struct {
	links [][]string // by page
}

func (f *recorded) Fetch(_ context.Context, r crawl.Request) (sitegraph.Observation, error) {
	p := int(r.Record.Page)
	version := r.Round.Number / (p%50 + 1)
	o := sitegraph.Observation{URL: r.Record.URL, Time: r.Round.End,
		Outcome: sitegraph.OutcomeFetched, Status: 200, Links: f.links[p], LinksKnown: true}
	o.Digests.Bytes = sitegraph.Digest{byte(p), byte(p >> 8), byte(p >> 16), byte(version),
		byte(version >> 8), 1}
	return o, nil
}

// BenchmarkVisit runs the loop without network and disk. One operation is a round of 1/10 of the
// pages.
func BenchmarkVisit(b *testing.B) {
	for _, policy := range []string{"a", "interval", "ebayes"} {
		for _, workers := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/workers=%d/pages=1e4", policy, workers), func(b *testing.B) {
				benchmarkVisit(b, policy, workers, 100, 100)
			})
		}
	}
}

func benchmarkVisit(b *testing.B, name string, workers, servers, perServer int) {
	graph, store, fetcher := sitegraph.NewGraph(), history.NewMemoryStore(), &recorded{}
	pages := planner.NewPages(graph)
	p, err := policy.New(name, policy.Settings{Pages: pages, Mode: planner.Stream, Seed: 1,
		PerDay: float64(servers * perServer / 10)})
	if err != nil {
		b.Fatal(err)
	}
	// Rounds are long enough to end by their budget. Outcomes carry the end of the round, as in a
	// replay.
	const length = 24 * time.Hour
	start := time.Now()
	loop := crawl.New(crawl.Options{Planner: planner.New(pages, p,
		planner.Options{NewShare: 0.25, Leftover: true}),
		Fetcher: fetcher, Store: store, Clock: crawl.WallClock{}, Workers: workers, Discover: true,
		Acknowledged: func([]crawl.Event) {}})
	number := 0
	round := func(budget int) {
		number++
		r := planner.Round{Number: number, Start: start.Add(time.Duration(number-1) * length),
			End: start.Add(time.Duration(number) * length), Budget: budget}
		if err := loop.Round(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
	for s := range servers {
		var urls []string
		for i := range perServer {
			urls = append(urls, fmt.Sprintf("http://www.server%d.example/directory%d/page%d.html",
				s, i%8, i))
		}
		for i := range perServer { // page numbers are known, since all pages are start pages
			if err := loop.Seed(urls[i]); err != nil {
				b.Fatal(err)
			}
			fetcher.links = append(fetcher.links, urls[:10])
		}
	}
	for range 2 {
		round(planner.Unlimited) // first copies, and one revisit of each
	}
	visits, perRound := 0, servers*perServer/10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		round(perRound)
		visits += perRound
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(visits)/b.Elapsed().Seconds(), "visits/s")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(visits), "B/visit")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(visits), "allocs/visit")
}
