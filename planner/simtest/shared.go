package simtest

import (
	"runtime"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

var ClaimsBase = time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)

// Claimed returns a corpus of pages of one server, all visited at ClaimsBase, and a sitemap read at
// read.
func Claimed(t *testing.T, pages int, read time.Time) (*planner.Pages, sitegraph.PageID) {
	t.Helper()
	c := planner.NewPages(sitegraph.NewGraph())
	source := c.Graph.Add("http://h.example/sitemap.xml")
	c.Remember(&sitegraph.Record{
		Page:    source,
		State:   sitegraph.StateSource,
		History: sitegraph.Start(read),
		Tried:   read,
	})
	for i := range pages {
		p := c.Graph.Add("http://h.example/" + string(rune('a'+i)))
		c.Remember(&sitegraph.Record{
			Page:    p,
			State:   sitegraph.StateAlive,
			History: sitegraph.Start(ClaimsBase),
			Tried:   ClaimsBase,
		})
	}
	return c, source
}

func FirstDifference(a, b []string) (int, bool) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i, false
		}
	}
	return min(len(a), len(b)), len(a) == len(b)
}

func HeapBytes() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
