package policy

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// large is a corpus of a million pages on a thousand servers, with forty directories each, half a
// year of weekly visits and rates of every size. It is built once for all benchmarks.
var large = sync.OnceValue(func() *largeCorpus {
	const servers, perServer = 1000, 1000
	rng := rand.New(rand.NewPCG(1, 0))
	empty := simtest.HeapBytes()
	g := sitegraph.NewGraph()
	for s := range servers {
		start := fmt.Sprintf("http://www.server%d.example/", s)
		g.AddStart(start)
		pages := make([]sitegraph.PageID, 0, perServer)
		pages = append(pages, g.Add(start))
		links := make([][]sitegraph.PageID, perServer)
		for i := 1; i < perServer; i++ {
			p := g.Add(fmt.Sprintf("%sdirectory%d/page%d.html", start, i%40, i))
			pages = append(pages, p)
			parent := (i - 1) / 5
			links[parent] = append(links[parent], p)
		}
		for i, p := range pages {
			g.SetLinkIDs(p, links[i], nil)
		}
	}
	g.Refresh()
	l := &largeCorpus{graphBytes: simtest.HeapBytes() - empty}
	l.pages = planner.NewPages(g)
	l.memoryBytes = simtest.HeapBytes() - empty - l.graphBytes
	for p := range sitegraph.PageID(g.Pages()) {
		h := sitegraph.Start(simtest.At(-180))
		rate := rng.Float64() * rng.Float64()
		for day := -173; day <= 0; day += 7 {
			h.See(simtest.At(day), rng.Float64() < rate, time.Time{})
		}
		l.pages.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive,
			Tried: simtest.At(0), History: h})
	}
	return l
})

type largeCorpus struct {
	pages                   *planner.Pages
	graphBytes, memoryBytes float64
}

// BenchmarkBegin measures the cost of a round before its first visit: ranking a million pages. Its
// time excludes the first Begin of a policy, which builds tables; its memory includes them.
func BenchmarkBegin(b *testing.B) {
	for _, name := range Names() {
		b.Run(name+"/pages=1e6", func(b *testing.B) {
			l := large()
			n := float64(l.pages.Count())
			before := simtest.HeapBytes()
			policy, err := New(name, Settings{Pages: l.pages, Mode: planner.Stream, Seed: 1,
				PerDay:   10000,
				Oracle:   func(p sitegraph.PageID) bool { return p%5 == 0 },
				TrueRate: func(sitegraph.PageID) float64 { return 0.05 }})
			if err != nil {
				b.Fatal(err)
			}
			plan := planner.New(l.pages, policy, planner.Options{})
			round := planner.Round{Start: simtest.At(0), End: simtest.At(1), Budget: 10000}
			plan.Begin(round)
			policyBytes := simtest.HeapBytes() - before
			for b.Loop() {
				round.Number++
				plan.Begin(round)
			}
			b.ReportMetric(l.graphBytes/n, "graph-B/page")
			b.ReportMetric(l.memoryBytes/n, "corpus-B/page")
			b.ReportMetric(policyBytes/n, "policy-B/page")
		})
	}
}

// BenchmarkNext measures the cost of a visit in a round.
func BenchmarkNext(b *testing.B) {
	for _, name := range Names() {
		b.Run(name+"/pages=1e6", func(b *testing.B) {
			l := large()
			policy, err := New(name, Settings{Pages: l.pages, Mode: planner.Stream, Seed: 1,
				PerDay:   10000,
				Oracle:   func(p sitegraph.PageID) bool { return p%5 == 0 },
				TrueRate: func(sitegraph.PageID) float64 { return 0.05 }})
			if err != nil {
				b.Fatal(err)
			}
			plan := planner.New(l.pages, policy, planner.Options{})
			round := planner.Round{Number: 1, Start: simtest.At(0), End: simtest.At(1),
				Budget: planner.Unlimited}
			plan.Begin(round)
			for b.Loop() {
				if _, ok := plan.Next(); !ok {
					b.StopTimer()
					round.Number++
					plan.Begin(round)
					b.StartTimer()
				}
			}
		})
	}
}
