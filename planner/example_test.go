package planner_test

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// Three pages have different pasts, and the budget is two visits. The start page is the top of the
// site, so it precedes the page that is likelier to have changed.
func Example() {
	today := time.Date(2004, 3, 31, 0, 0, 0, 0, time.UTC)
	graph := sitegraph.NewGraph()
	start := graph.AddStart("http://example.com/")
	graph.SetLinks(start, []string{"http://example.com/news", "http://example.com/about"}, nil)

	pages := planner.NewPages(graph)
	for url, changedEvery := range map[string]int{"http://example.com/": 10,
		"http://example.com/news": 2, "http://example.com/about": 100} {
		page, _ := graph.Lookup(url)
		history := sitegraph.Start(today.AddDate(0, 0, -30))
		for day := 2; day <= 28; day += 2 {
			history.See(today.AddDate(0, 0, day-30), day%changedEvery == 0, time.Time{})
		}
		pages.Remember(&sitegraph.Record{Page: page, URL: url, State: sitegraph.StateAlive,
			History: history})
	}

	policy, err := policy.New(policy.Default, policy.Settings{Pages: pages, Mode: planner.Stream})
	if err != nil {
		panic(err)
	}
	p := planner.New(pages, policy, planner.Options{NewShare: 0.25})
	p.Begin(planner.Round{Number: 1, Start: today, End: today.AddDate(0, 0, 1), Budget: 2})
	for visit, ok := p.Next(); ok; visit, ok = p.Next() {
		fmt.Println(graph.URL(visit.Page))
	}
	// Output:
	// http://example.com/
	// http://example.com/news
}
