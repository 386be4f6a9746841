package sitegraph

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// BenchmarkPartitionA measures a new snapshot of one page on a big server: depths of all
// its pages, then its sites. It also reports what a page and a link take in memory.
func BenchmarkPartitionA(b *testing.B) {
	const pages, linksPerPage, pagesPerDir = 300000, 40, 30
	b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
		before := heapBytes()
		g, rng := NewGraph(), rand.New(rand.NewPCG(1, 2))
		for i := range pages {
			g.Add(fmt.Sprintf("http://www.example.com/section-%d/page-%d.html", i/pagesPerDir, i))
		}
		withPages := heapBytes()
		g.AddStart(g.URL(0))
		total := 0
		for i := range pages {
			links := make([]PageID, 0, linksPerPage)
			for range linksPerPage/2 + rng.IntN(linksPerPage) {
				to := rng.IntN(pages)
				if rng.IntN(2) == 0 { // half of the links stay in the directory
					to = i/pagesPerDir*pagesPerDir + rng.IntN(pagesPerDir)
				}
				links = append(links, PageID(to))
			}
			total += len(links)
			g.SetLinkIDs(PageID(i), append([]PageID(nil), links...), nil)
		}
		withLinks := heapBytes()
		g.Refresh()
		sites, change := 0, [2][]PageID{g.Links(0), g.Links(1)}
		i := 0
		for b.Loop() {
			i++
			g.SetLinkIDs(0, change[i%2], nil)
			g.Refresh()
			sites = len(g.PartitionA(0, nil).Sites)
		}
		if sites != pages/pagesPerDir {
			b.Fatalf("%d sites, want %d", sites, pages/pagesPerDir)
		}
		b.ReportMetric(float64(withPages-before)/pages, "B/page")
		b.ReportMetric(float64(withLinks-withPages)/float64(total), "B/link")
		b.ReportMetric(float64(total)/pages, "links/page")
		runtime.KeepAlive(g)
	})
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
