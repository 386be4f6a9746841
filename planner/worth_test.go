package planner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// certain proposes all pages with copies, with a given probability.
type certain struct {
	doubter
	probability float64
	next        sitegraph.PageID
}

func (c *certain) Begin(planner.Round) { c.next = 0 }

func (c *certain) Next() (planner.Visit, bool) {
	for ; int(c.next) < c.c.Count(); c.next++ {
		if c.c.Refetchable(c.next) {
			v := planner.Visit{Page: c.next, Probability: c.probability, Value: 1000,
				Reason: planner.Because("a test")}
			c.next++
			return v, true
		}
	}
	return planner.Visit{}, false
}

func (c *certain) Probability(sitegraph.PageID, time.Time) float64 { return c.probability }

// Beyond their share new pages precede exactly those refetches that are worth less than meeting a
// page, by weight. The share of the policy's ranking does not matter.
func TestWhicheverIsWorthMore(t *testing.T) {
	for _, c := range []struct {
		probability float64
		weights     []string
		first       int
	}{
		{0.001, nil, 95},
		{0.5, nil, 95},
		{0.95, nil, 25},
		{0.5, []string{"http://h.example/old/=3"}, 25},
		{0.95, []string{"http://h.example/new/=3"}, 95},
	} {
		g := sitegraph.NewGraph()
		pages := planner.NewPages(g)
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for i := range 1000 {
			url, state := fmt.Sprintf("http://h.example/new/%d", i), sitegraph.StateNew
			if i%2 == 0 {
				url, state = fmt.Sprintf("http://h.example/old/%d", i), sitegraph.StateAlive
			}
			r := sitegraph.Record{Page: g.AddStart(url), URL: url, State: state}
			if state == sitegraph.StateAlive {
				r.Tried, r.History = start.Add(-time.Hour), sitegraph.Start(start.Add(-time.Hour))
			}
			pages.Remember(&r)
		}
		if c.weights != nil {
			pages.SetWeights(weightsOf(t, c.weights...))
		}
		p := planner.New(pages, &certain{doubter: doubter{pages}, probability: c.probability},
			planner.Options{NewShare: 0.25, LeastRefetch: planner.FirstWorth, Turns: true})
		p.Begin(planner.Round{Number: 1, Start: start, End: start.Add(time.Hour), Budget: 100})
		first := 0
		for v, ok := p.Next(); ok; v, ok = p.Next() {
			if v.First {
				first++
			}
		}
		if first < c.first-2 || first > c.first+2 {
			t.Errorf("refetches of probability %g, weights %v: %d first visits of 100, want %d",
				c.probability, c.weights, first, c.first)
		}
	}
}
