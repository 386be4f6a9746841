package demo

import (
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// step is one visit, in the parts that must not depend on the world.
type step struct {
	round   int
	url     string
	first   bool
	verdict sitegraph.Verdict
	reason  planner.Reason
}

func stepOf(e *crawl.Event) step {
	return step{e.Round.Number, e.Record.URL, e.Visit.First, e.Verdict, e.Visit.Reason}
}

func (s step) String() string {
	return fmt.Sprintf("day %d, %s: %v (%v)", s.round, s.url, s.verdict, s.reason)
}

// SweepCount has the numbers of a sweep.
type SweepCount struct {
	Sites   int `json:"sites"`
	Tops    int `json:"tops"`
	Fetched int `json:"fetched"`
	Changed int `json:"changed"`
}

// countSites counts the sites of a method over the pages of a world at the base.
func countSites(stage *eval.Stage, method string) (c SweepCount) {
	hasCopy := func(p sitegraph.PageID) bool {
		return stage.Records[p].State == sitegraph.StateAlive
	}
	for s := range sitegraph.ServerID(stage.Graph.Servers()) {
		method := strings.TrimPrefix(method, "c-then-") // C then B has the sites of B
		division, _ := stage.Graph.Partition(method, s, hasCopy)
		c.Sites += len(division.Sites)
		for _, site := range division.Sites {
			c.Tops += len(site.Tops)
		}
	}
	return c
}

// TopFirst is the sweep of one method in both worlds.
type TopFirst struct {
	Method     string     `json:"method"`
	HTTP       SweepCount `json:"http"`
	Replay     SweepCount `json:"replay"`
	Difference string     `json:"difference"` // "" if all visits agree
}

func (p plan) compareSweeps(http, replayed journey) []TopFirst {
	results := make([]TopFirst, len(p.sweeps))
	for i, method := range p.sweeps {
		h, r := http.sweeps[i], replayed.sweeps[i]
		results[i] = TopFirst{method, h.SweepCount, r.SweepCount,
			compareSteps(h.steps, r.steps).Difference}
		if results[i].Difference == "" && h.SweepCount != r.SweepCount {
			results[i].Difference = fmt.Sprintf("over HTTP %+v, by replay %+v",
				h.SweepCount, r.SweepCount)
		}
	}
	return results
}

// Agreement compares the visits over HTTP with those of the replay.
type Agreement struct {
	Visits     int    `json:"visits"`
	Difference string `json:"difference"` // "" if they agree
}

// compare finds the first difference between two journeys.
func (p plan) compare(http, replayed journey) Agreement {
	var all Agreement
	add := func(part string, a Agreement) {
		if all.Difference == "" {
			all.Visits += a.Visits
			if a.Difference != "" {
				all.Difference = part + ": " + a.Difference
			}
		}
	}
	add("crawl of the base", compareSteps(http.crawl, replayed.crawl))
	for i, s := range p.compareSweeps(http, replayed) {
		add("sweep by method "+s.Method,
			compareSteps(http.sweeps[i].steps, replayed.sweeps[i].steps))
		add("sites of method "+s.Method, Agreement{Difference: s.Difference})
	}
	add("weeks with "+p.policy, compareSteps(http.weeks, replayed.weeks))
	return all
}

func compareSteps(visited, replayed []step) Agreement {
	for i := range min(len(visited), len(replayed)) {
		if visited[i] != replayed[i] {
			difference := fmt.Sprintf("visit %d: over HTTP %v; by replay %v",
				i+1, visited[i], replayed[i])
			return Agreement{Visits: i, Difference: difference}
		}
	}
	if len(visited) != len(replayed) {
		return Agreement{
			Visits: min(len(visited), len(replayed)),
			Difference: fmt.Sprintf("%d visits over HTTP, %d by replay",
				len(visited), len(replayed)),
		}
	}
	return Agreement{Visits: len(visited)}
}
