package main

import (
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/sitegraph"
)

// step is one visit, in what must not depend on the world.
type step struct {
	round   int
	url     string
	first   bool
	verdict sitegraph.Verdict
	reason  planner.Reason
}

func stepOf(e *cycle.Event) step {
	return step{e.Round.Number, e.Record.URL, e.Visit.First, e.Verdict, e.Visit.Reason}
}

func (s step) String() string {
	return fmt.Sprintf("day %d, %s: %v (%v)", s.round, s.url, s.verdict, s.reason)
}

// sweepCount is a sweep in numbers.
type sweepCount struct {
	Sites   int `json:"sites"`
	Tops    int `json:"tops"`
	Fetched int `json:"fetched"`
	Changed int `json:"changed"`
}

// countSites counts the sites by a method of the pages that a world showed at the base.
func countSites(stage *eval.Stage, method string) (c sweepCount) {
	hasCopy := func(p sitegraph.PageID) bool { return stage.Records[p].State == sitegraph.StateAlive }
	for s := range sitegraph.ServerID(stage.Graph.Servers()) {
		division, _ := stage.Graph.Partition(strings.TrimPrefix(method, "c-then-"), s, hasCopy) // C then B has the sites of B
		c.Sites += len(division.Sites)
		for _, site := range division.Sites {
			c.Tops += len(site.Tops)
		}
	}
	return c
}

// topFirstResult is one method's sweep in both worlds.
type topFirstResult struct {
	Method     string     `json:"method"`
	HTTP       sweepCount `json:"http"`
	Replay     sweepCount `json:"replay"`
	Difference string     `json:"difference"` // "" if all visits agree
}

func (plan demoPlan) compareSweeps(http, replayed journey) []topFirstResult {
	results := make([]topFirstResult, len(plan.sweeps))
	for i, method := range plan.sweeps {
		h, r := http.sweeps[i], replayed.sweeps[i]
		results[i] = topFirstResult{method, h.sweepCount, r.sweepCount, compareSteps(h.steps, r.steps).Difference}
		if results[i].Difference == "" && h.sweepCount != r.sweepCount {
			results[i].Difference = fmt.Sprintf("over HTTP %+v, by replay %+v", h.sweepCount, r.sweepCount)
		}
	}
	return results
}

// agreement compares the visits over HTTP with those of the replay.
type agreement struct {
	Visits     int    `json:"visits"`
	Difference string `json:"difference"` // "" if they agree
}

// compare finds the first difference between two journeys.
func (plan demoPlan) compare(http, replayed journey) agreement {
	var all agreement
	add := func(part string, a agreement) {
		if all.Difference == "" {
			all.Visits += a.Visits
			if a.Difference != "" {
				all.Difference = part + ": " + a.Difference
			}
		}
	}
	add("crawl of the base", compareSteps(http.crawl, replayed.crawl))
	for i, s := range plan.compareSweeps(http, replayed) {
		add("sweep by method "+s.Method, compareSteps(http.sweeps[i].steps, replayed.sweeps[i].steps))
		add("sites of method "+s.Method, agreement{Difference: s.Difference})
	}
	add("weeks with "+plan.policy, compareSteps(http.weeks, replayed.weeks))
	return all
}

func compareSteps(visited, replayed []step) agreement {
	for i := range min(len(visited), len(replayed)) {
		if visited[i] != replayed[i] {
			return agreement{i, fmt.Sprintf("visit %d: over HTTP %v; by replay %v", i+1, visited[i], replayed[i])}
		}
	}
	if len(visited) != len(replayed) {
		return agreement{min(len(visited), len(replayed)), fmt.Sprintf("%d visits over HTTP, %d by replay", len(visited), len(replayed))}
	}
	return agreement{Visits: len(visited)}
}
