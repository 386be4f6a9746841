package planner

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// large is a corpus of a million pages on a thousand servers, with forty directories each, half a
// year of weekly visits and rates of every size; built once for all benchmarks.
var large = sync.OnceValue(func() *largeCorpus {
	const servers, perServer = 1000, 1000
	rng := rand.New(rand.NewPCG(1, 0))
	empty := heapBytes()
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
	l := &largeCorpus{graphBytes: heapBytes() - empty}
	l.corpus = NewCorpus(g)
	l.memoryBytes = heapBytes() - empty - l.graphBytes
	for p := range sitegraph.PageID(g.Pages()) {
		h := sitegraph.Start(at(-180))
		rate := rng.Float64() * rng.Float64()
		for day := -173; day <= 0; day += 7 {
			h.See(at(day), rng.Float64() < rate, time.Time{})
		}
		l.corpus.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive, Tried: at(0), History: h})
	}
	return l
})

type largeCorpus struct {
	corpus                  *Corpus
	graphBytes, memoryBytes float64
}

// BenchmarkBegin is what a round costs before its first visit: ranking a million pages. The
// first Begin of a policy, which builds its tables, is not in the time; what they weigh is.
func BenchmarkBegin(b *testing.B) {
	for _, name := range PolicyNames() {
		b.Run(name+"/pages=1e6", func(b *testing.B) {
			l := large()
			n := float64(l.corpus.Pages())
			before := heapBytes()
			policy, err := NewPolicy(name, Settings{Corpus: l.corpus, Mode: Stream, Seed: 1, PerDay: 10000,
				Oracle:   func(p sitegraph.PageID) bool { return p%5 == 0 },
				TrueRate: func(sitegraph.PageID) float64 { return 0.05 }})
			if err != nil {
				b.Fatal(err)
			}
			planner := New(l.corpus, policy, Options{})
			round := Round{Start: at(0), End: at(1), Budget: 10000}
			planner.Begin(round)
			policyBytes := heapBytes() - before
			for b.Loop() {
				round.Number++
				planner.Begin(round)
			}
			b.ReportMetric(l.graphBytes/n, "graph-B/page")
			b.ReportMetric(l.memoryBytes/n, "corpus-B/page")
			b.ReportMetric(policyBytes/n, "policy-B/page")
		})
	}
}

// BenchmarkNext is what a visit costs once a round has begun.
func BenchmarkNext(b *testing.B) {
	for _, name := range PolicyNames() {
		b.Run(name+"/pages=1e6", func(b *testing.B) {
			l := large()
			policy, err := NewPolicy(name, Settings{Corpus: l.corpus, Mode: Stream, Seed: 1, PerDay: 10000,
				Oracle:   func(p sitegraph.PageID) bool { return p%5 == 0 },
				TrueRate: func(sitegraph.PageID) float64 { return 0.05 }})
			if err != nil {
				b.Fatal(err)
			}
			planner := New(l.corpus, policy, Options{})
			round := Round{Number: 1, Start: at(0), End: at(1), Budget: Unlimited}
			planner.Begin(round)
			for b.Loop() {
				if _, ok := planner.Next(); !ok {
					b.StopTimer()
					round.Number++
					planner.Begin(round)
					b.StartTimer()
				}
			}
		})
	}
}
