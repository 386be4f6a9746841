package sitegraph

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
)

// benchShapes are servers with 30 pages a directory, and the bad case of one page a directory.
var benchShapes = []struct {
	name        string
	pagesPerDir int
}{{"directory=30", 30}, {"directory=1", 1}}

func shapeURL(page, pagesPerDir int) string {
	return fmt.Sprintf("http://www.example.com/section-%07d/page-%07d.html", page/pagesPerDir, page)
}

// BenchmarkMemory reports the memory of a page without its address, and that of a link. It reports
// both again after each page has had its links replaced five times.
func BenchmarkMemory(b *testing.B) {
	sizes := []int{1e6}
	if os.Getenv("RECRAWL_LONG") != "" {
		sizes = append(sizes, 5e6)
	}
	for _, pages := range sizes {
		for _, shape := range benchShapes {
			b.Run(fmt.Sprintf("pages=%d/%s", pages, shape.name), func(b *testing.B) {
				for b.Loop() {
					reportMemory(b, pages, shape.pagesPerDir)
				}
			})
		}
	}
}

func reportMemory(b *testing.B, pages, pagesPerDir int) {
	const linksPerPage = 10
	rng := rand.New(rand.NewPCG(1, 4))
	address, total := 0, 0
	before := heapBytes()
	g := NewGraph()
	for i := range pages {
		url := shapeURL(i, pagesPerDir)
		address += len(url)
		g.Add(url)
	}
	withPages := heapBytes()
	links := make([]int, pages)
	for i := range pages {
		links[i] = rng.IntN(2 * linksPerPage)
		total += links[i]
	}
	base := heapBytes()
	relink := func(p int) {
		ids := make([]PageID, links[p])
		for i := range ids {
			ids[i] = PageID(rng.IntN(pages))
		}
		g.SetLinkIDs(PageID(p), ids, nil)
	}
	for i := range pages {
		relink(i)
	}
	withLinks := heapBytes()
	for range 5 * pages {
		relink(rng.IntN(pages))
	}
	replaced := heapBytes()
	b.ReportMetric(float64(withPages-before-uint64(address))/float64(pages), "B/page")
	b.ReportMetric(float64(withLinks-base)/float64(total), "B/link")
	b.ReportMetric(float64(replaced-base)/float64(total), "replaced-B/link")
	runtime.KeepAlive(g)
	runtime.KeepAlive(links)
}

func BenchmarkAdd(b *testing.B) {
	const pages = 200000
	for _, shape := range benchShapes {
		b.Run(fmt.Sprintf("pages=%d/%s", pages, shape.name), func(b *testing.B) {
			urls := make([]string, pages)
			for i := range urls {
				urls[i] = shapeURL(i, shape.pagesPerDir)
			}
			for b.Loop() {
				g := NewGraph()
				for _, url := range urls {
					g.Add(url)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pages), "ns/page")
		})
	}
}

func BenchmarkLookup(b *testing.B) {
	g := benchPages()
	rng := rand.New(rand.NewPCG(1, 5))
	known, unknown := make([]string, 100000), make([]string, 100000)
	for i := range known {
		known[i] = string([]byte(g.URL(PageID(rng.IntN(benchPageCount)))))
		unknown[i] = known[i] + "x"
	}
	for _, c := range []struct {
		name string
		urls []string
	}{{"known", known}, {"unknown", unknown}} {
		b.Run(c.name, func(b *testing.B) {
			i, found := 0, 0
			for b.Loop() {
				if _, ok := g.Lookup(c.urls[i%len(c.urls)]); ok {
					found++
				}
				i++
			}
			if (found > 0) != (c.name == "known") {
				b.Fatal(found)
			}
		})
	}
}

// BenchmarkSetLinks replaces the links of a page of a big server with 40 others.
func BenchmarkSetLinks(b *testing.B) {
	g := benchPages()
	rng := rand.New(rand.NewPCG(1, 6))
	lists, ids := make([][]string, 1000), make([][]PageID, 1000)
	for i := range lists {
		for range 40 {
			p := PageID(rng.IntN(benchPageCount))
			lists[i] = append(lists[i], string([]byte(g.URL(p))))
			ids[i] = append(ids[i], p)
		}
	}
	b.Run("addresses", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			g.SetLinks(PageID(rng.IntN(benchPageCount)), lists[i%len(lists)], nil)
			i++
		}
	})
	b.Run("numbers", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			g.SetLinkIDs(PageID(rng.IntN(benchPageCount)),
				append([]PageID(nil), ids[i%len(lists)]...), nil)
			i++
		}
	})
}

func BenchmarkRefresh(b *testing.B) {
	g := benchGraph(b)
	change := [2][]PageID{append([]PageID(nil), g.Links(0)...),
		append([]PageID(nil), g.Links(1)...)}
	i := 0
	for b.Loop() {
		i++
		g.SetLinkIDs(0, change[i%2], nil)
		g.Refresh()
	}
}

func BenchmarkClone(b *testing.B) {
	g := benchGraph(b)
	b.ReportAllocs()
	for b.Loop() {
		g.Clone()
	}
}
