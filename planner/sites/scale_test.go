package sites_test

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/planner/sites"
	"github.com/recrawl/recrawl/sitegraph"
)

// scaleWorld is a web of any size that computes past and future on demand. A server has 5000 pages
// in directories. A tenth of the pages changes every 20 days, the others once in 500, and each
// server is rebuilt every 120 days. A visit costs it almost nothing, so that benchmarks measure the
// planner.
type scaleWorld struct {
	pages    *planner.Pages
	planner  *planner.Planner
	forecast bool // asks for the due time of each page, like a run with records on disk
	visits   int
	changed  int
}

const (
	scaleServer  = 5000
	scaleRebuilt = 120 // days
)

func newScaleWorld(pages, perDirectory int, seed uint64, perDay float64) *scaleWorld {
	g := sitegraph.NewGraph()
	for i := range pages {
		s := i / scaleServer
		if i%scaleServer == 0 {
			g.AddStart(fmt.Sprintf("http://s%d-%d.example/", seed, s))
			g.Add(fmt.Sprintf("http://s%d-%d.example/", seed, s))
			continue
		}
		g.Add(fmt.Sprintf("http://s%d-%d.example/d%c/page-%d.html",
			seed, s, 'a'+rune(i%scaleServer/perDirectory), i))
	}
	w := &scaleWorld{pages: planner.NewPages(g)}
	for p := range sitegraph.PageID(pages) {
		w.pages.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive,
			Tried: simtest.At(0), History: sitegraph.Start(simtest.At(0))})
	}
	w.planner = planner.New(w.pages, sites.New(sites.Settings{Pages: w.pages,
		Mode: planner.Stream, Seed: seed, PerDay: perDay}), planner.Options{})
	return w
}

// differs reports whether a page changed after one day and until another.
func (w *scaleWorld) differs(p sitegraph.PageID, from, to int64) bool {
	server := planner.MixHash(uint64(p) / scaleServer)
	phase := int64(server % scaleRebuilt)
	if (to+phase)/scaleRebuilt > (from+phase)/scaleRebuilt {
		return true
	}
	rate := 1.0 / 500
	if planner.MixHash(uint64(p)+1)%10 == 0 {
		rate = 1.0 / 20
	}
	luck := float64(planner.MixHash(uint64(p)<<20^uint64(to))>>11) / (1 << 53)
	return luck < -math.Expm1(-rate*float64(to-from))
}

// day plans a day and makes its visits.
func (w *scaleWorld) day(d, budget int) {
	end := simtest.At(d)
	w.planner.Begin(planner.Round{Number: d, Start: simtest.At(d - 1), End: end, Budget: budget})
	today := int64(end.Unix() / 86400)
	for v, ok := w.planner.Next(); ok; v, ok = w.planner.Next() {
		h := w.pages.Memory(v.Page).History
		changed := w.differs(v.Page, int64(h.Last)/86400, today)
		h.See(end, changed, time.Time{})
		verdict := sitegraph.VerdictUnchanged
		if changed {
			verdict = sitegraph.VerdictChanged
			w.changed++
		}
		w.visits++
		w.planner.Observe(&sitegraph.Record{Page: v.Page, State: sitegraph.StateAlive, Tried: end,
			History: h}, verdict)
		if w.forecast {
			w.planner.Due(v.Page, end)
		}
	}
}

// BenchmarkScale runs the stream protocol without fetching. Two planners share the pages, each on
// its own processor, like nodes of a large crawl. Settings:
//
// RECRAWL_SCALE_PAGES: pages; 20 million take 8 GB. RECRAWL_SCALE_WARM: days before those measured.
// RECRAWL_SCALE_DIRECTORY: pages of a directory; the memory of directories grows by the day.
// RECRAWL_SCALE_FORECAST=1: asks for the due time after each visit, like the crawl loop.
//
// A visit is one decision.
func BenchmarkScale(b *testing.B) {
	given := func(name string, n int) int {
		if s := os.Getenv(name); s != "" {
			var err error
			if n, err = strconv.Atoi(s); err != nil {
				b.Fatal(err)
			}
		}
		return n
	}
	pages, perDirectory, warm, shards := given("RECRAWL_SCALE_PAGES", 100_000),
		given("RECRAWL_SCALE_DIRECTORY", 50), given("RECRAWL_SCALE_WARM", 10), 2
	const budget, days = 0.02, 10 // budget: share of the pages a day
	perShard := pages / shards
	perDay := int(budget * float64(perShard))
	for b.Loop() {
		b.StopTimer()
		before := simtest.HeapBytes()
		worlds := make([]*scaleWorld, shards)
		each := func(f func(i int)) {
			var wait sync.WaitGroup
			for i := range worlds {
				wait.Add(1)
				go func() { defer wait.Done(); f(i) }()
			}
			wait.Wait()
		}
		each(func(i int) {
			worlds[i] = newScaleWorld(perShard, perDirectory, uint64(i), float64(perDay))
			worlds[i].forecast = given("RECRAWL_SCALE_FORECAST", 0) > 0
		})
		outside := simtest.HeapBytes()
		each(func(i int) {
			for d := range warm {
				worlds[i].day(d+1, perDay)
			}
			worlds[i].visits, worlds[i].changed = 0, 0
		})
		runtime.GC()
		b.StartTimer()
		start, used := time.Now(), cpuSeconds()
		each(func(i int) {
			for d := range days {
				worlds[i].day(warm+d+1, perDay)
			}
		})
		elapsed, used := time.Since(start).Seconds(), cpuSeconds()-used
		b.StopTimer()
		visits, changed := 0, 0
		for _, w := range worlds {
			visits, changed = visits+w.visits, changed+w.changed
		}
		after := simtest.HeapBytes()
		b.ReportMetric(float64(visits)/elapsed, "visits/s")
		b.ReportMetric(used*1e6/float64(visits), "cpu-us/visit")
		b.ReportMetric(float64(pages)*days/elapsed, "pages/s")
		b.ReportMetric(float64(changed)/float64(visits), "changed/visit")
		b.ReportMetric((outside-before)/float64(pages), "graph+corpus-B/page")
		b.ReportMetric((after-outside)/float64(pages), "policy-B/page")
		runtime.KeepAlive(worlds)
		b.StartTimer()
	}
}

// cpuSeconds returns the processor time that this process used.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return math.NaN()
	}
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)/1e6
}
