package eval

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/crawl"
)

// generatedServers returns trees of pages under index pages. Every page links to neighbours in its
// section and to the top; a tenth changes weekly or faster.
func generatedServers(servers, pagesEach int) []*history.Server {
	rng := rand.New(rand.NewPCG(1, 1))
	var all []*history.Server
	for s := range servers {
		top := fmt.Sprintf("http://s%d.example/", s)
		urls := []string{top}
		for i := 1; i < pagesEach; i++ {
			urls = append(urls, fmt.Sprintf("%ssection%d/page%d.html", top, i/50, i))
		}
		t0 := int64(1_000_000_000 + s*1_000_000)
		var pages []*history.Page
		for i, url := range urls {
			links := []string{top}
			for k := 1; k <= 10; k++ {
				links = append(links, urls[(i*10+k)%len(urls)])
			}
			p := page(url, shows(t0, "0", links...))
			gap := 1000.0 // days between changes
			if rng.IntN(10) == 0 {
				gap = 1 + 6*rng.Float64()
			}
			for at := rng.ExpFloat64() * gap; at < 20*7; at += rng.ExpFloat64() * gap {
				p.Versions = append(p.Versions,
					shows(t0+int64(at*daySeconds), fmt.Sprint(at), links...))
			}
			pages = append(pages, p)
		}
		all = append(all, server(fmt.Sprintf("s%d.example", s), t0, pages...))
	}
	return all
}

// BenchmarkStreamVisit measures a whole visit: plan, fetch from the history, remember, learn,
// measure. The start of each day is divided among the day's visits.
func BenchmarkStreamVisit(b *testing.B) {
	generated := newCorpus(b, generatedServers(10, 1000), Options{Base: 12 * week})
	for _, policy := range []string{"ebayes", "interval", "sites"} {
		for _, corpus := range []string{"generated", "real"} {
			for _, budget := range []float64{0.01, 0.1} {
				b.Run(fmt.Sprintf("corpus=%s/policy=%s/budget=%g", corpus, policy, budget),
					func(b *testing.B) {
						c := generated
						if corpus == "real" {
							c = recorded(b)
						}
						benchmarkStream(b, c,
							StreamOptions{Weeks: 8, Budget: budget, New: 0.25, Seed: 1}, policy)
					})
			}
		}
	}
}

func benchmarkStream(b *testing.B, c *Dataset, o StreamOptions, policy string) {
	truth := c.newTruth(o.Weeks * 7)
	var before, after runtime.MemStats
	var elapsed time.Duration
	var bytes, allocs uint64
	visits := 0
	for b.Loop() {
		b.StopTimer()
		stage := c.replayed()
		stage.Log = func(*crawl.Event) { visits++ }
		runtime.ReadMemStats(&before)
		b.StartTimer()
		start := time.Now()
		if _, err := c.stream(b.Context(), stage, truth, o, policy, nil); err != nil {
			b.Fatal(err)
		}
		elapsed += time.Since(start)
		b.StopTimer()
		runtime.ReadMemStats(&after)
		bytes += after.TotalAlloc - before.TotalAlloc
		allocs += after.Mallocs - before.Mallocs
		b.StartTimer()
	}
	b.ReportMetric(float64(visits)/elapsed.Seconds(), "visits/s")
	b.ReportMetric(float64(bytes)/float64(visits), "B/visit")
	b.ReportMetric(float64(allocs)/float64(visits), "allocs/visit")
}

// BenchmarkSnapshot measures a sweep with its measures.
func BenchmarkSnapshot(b *testing.B) {
	c := newCorpus(b, generatedServers(10, 1000), Options{Base: 12 * week})
	for _, policy := range []string{"breadth-first", "a", "ebayes"} {
		b.Run("pages=1e4/policy="+policy, func(b *testing.B) {
			fetched := 0
			for b.Loop() {
				fetched += snapshot(b, c, SnapshotOptions{Weeks: 4, Seed: 1},
					policy).Results[0].Fetched
			}
			b.ReportMetric(float64(fetched)/b.Elapsed().Seconds(), "visits/s")
		})
	}
}

// BenchmarkNewDataset measures the crawl of the base.
func BenchmarkNewDataset(b *testing.B) {
	servers := generatedServers(10, 1000)
	for b.Loop() {
		newCorpus(b, servers, Options{Base: 12 * week})
	}
}
