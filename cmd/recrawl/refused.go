package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner/cycle"
)

// refusedResult says which addresses did not become known, since the program was started.
type refusedResult struct {
	Reasons map[string]int `json:"reasons"`
	Servers map[string]int `json:"servers"` // those with the most
}

func refusedBy(loop *cycle.Loop) refusedResult {
	by, servers := loop.Refused(shownServers)
	r := refusedResult{Reasons: map[string]int{}, Servers: servers}
	for _, x := range by {
		r.Reasons[x.Reason.String()] = x.Count
	}
	return r
}

// tables are what was refused for people; none if nothing was.
func (r *refusedResult) tables() []report.Table {
	if len(r.Reasons) == 0 {
		return nil
	}
	rows := func(of map[string]int) (rows [][]string) {
		for _, name := range slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(of[b]-of[a], cmp.Compare(a, b)) }) {
			rows = append(rows, []string{name, report.Count(of[name])})
		}
		return rows
	}
	return []report.Table{
		{Title: "Addresses not taken in", Header: []string{"why", "addresses"}, Rows: rows(r.Reasons)},
		{Title: "Most of them", Header: []string{"server", "addresses"}, Rows: rows(r.Servers)},
	}
}
