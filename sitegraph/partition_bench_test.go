package sitegraph

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// BenchmarkPartitionA measures a new snapshot of one page on a big server: the depths of all its
// pages, then its sites. It also reports the memory of a page and of a link.
func BenchmarkPartitionA(b *testing.B) {
	const pages, pagesPerDir = benchPageCount, benchDirectory
	b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
		before := heapBytes()
		g := benchPages()
		withPages := heapBytes()
		total := benchLinks(g)
		withLinks := heapBytes()
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

// The big server has 300,000 pages in directories of 30. Each area, with a name of letters, has 30
// directories. A page has 20 to 60 links, half of them inside its directory.
const benchPageCount, benchDirectory, benchArea = 300000, 30, 900

func benchPages() *Graph {
	g := NewGraph()
	for i := range benchPageCount {
		area := i / benchArea
		g.Add(fmt.Sprintf("http://www.example.com/area-%c%c/section-%d/page-%d.html",
			'a'+area/26, 'a'+area%26, i/benchDirectory, i))
	}
	return g
}

// benchLinks links the pages and returns the number of links.
func benchLinks(g *Graph) (total int) {
	const linksPerPage = 40
	rng := rand.New(rand.NewPCG(1, 2))
	g.AddStart(g.URL(0))
	for i := range benchPageCount {
		links := make([]PageID, 0, linksPerPage)
		for range linksPerPage/2 + rng.IntN(linksPerPage) {
			to := rng.IntN(benchPageCount)
			if rng.IntN(2) == 0 {
				to = i/benchDirectory*benchDirectory + rng.IntN(benchDirectory)
			}
			links = append(links, PageID(to))
		}
		total += len(links)
		g.SetLinkIDs(PageID(i), append([]PageID(nil), links...), nil)
	}
	g.Refresh()
	return total
}

func benchGraph(b *testing.B) *Graph {
	g := benchPages()
	benchLinks(g)
	b.ResetTimer()
	return g
}

// BenchmarkPartition measures time and allocations of the methods that number pages by address.
func BenchmarkPartition(b *testing.B) {
	g := benchGraph(b)
	for _, method := range []string{"server", "prefix", "shape", "community"} {
		b.Run(method, func(b *testing.B) {
			b.ReportAllocs()
			sites := 0
			for b.Loop() {
				p, _ := g.Partition(method, 0, nil)
				sites = len(p.Sites)
			}
			b.ReportMetric(float64(g.Pages())*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
			b.ReportMetric(float64(sites), "sites")
		})
	}
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
