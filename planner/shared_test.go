package planner

import (
	"runtime"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

var hintsBase = time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)

// claimed is a corpus of pages of one server, all visited at hintsBase, and a sitemap read at read.
func claimed(t *testing.T, pages int, read time.Time) (*Corpus, sitegraph.PageID) {
	t.Helper()
	c := NewCorpus(sitegraph.NewGraph())
	source := c.Graph.Add("http://h.example/sitemap.xml")
	c.Remember(&sitegraph.Record{Page: source, State: sitegraph.StateSource, History: sitegraph.Start(read), Tried: read})
	for i := range pages {
		p := c.Graph.Add("http://h.example/" + string(rune('a'+i)))
		c.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive, History: sitegraph.Start(hintsBase), Tried: hintsBase})
	}
	return c, source
}

func firstDifference(a, b []string) (int, bool) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i, false
		}
	}
	return min(len(a), len(b)), len(a) == len(b)
}

func heapBytes() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
