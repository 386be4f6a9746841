package planner_test

import (
	"bytes"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// If a first visit was under way when memory was written, and never ended, the next process makes
// it.
func TestFirstVisitUnderWay(t *testing.T) {
	build := func() *planner.Planner {
		g := sitegraph.NewGraph()
		c := planner.NewPages(g)
		for _, url := range []string{"http://h.example/", "http://h.example/a",
			"http://h.example/b"} {
			p := g.AddStart(url)
			c.Remember(&sitegraph.Record{Page: p, URL: url, State: sitegraph.StateNew})
		}
		return planner.New(c, nil, planner.Options{NewShare: 1})
	}
	round := func(n int) planner.Round {
		return planner.Round{Number: n, Start: simtest.Base.Add(planner.Day * 1),
			End: simtest.Base.Add(planner.Day * 2), Budget: 10}
	}
	p := build()
	p.Begin(round(1))
	under, ok := p.Next()
	if !ok {
		t.Fatal("no visit")
	}
	var memory bytes.Buffer
	if err := p.WriteMemory(&memory); err != nil {
		t.Fatal(err)
	}
	q := build()
	if exact, err := q.Recollect(memory.Bytes()); err != nil || !exact {
		t.Fatal(exact, err)
	}
	q.Begin(round(2))
	visits := map[sitegraph.PageID]int{}
	for v, ok := q.Next(); ok; v, ok = q.Next() {
		visits[v.Page]++
	}
	if len(visits) != 3 || visits[under.Page] != 1 {
		t.Errorf("visits %v, want each page once", visits)
	}
}
