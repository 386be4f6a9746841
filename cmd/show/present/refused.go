package present

import (
	"cmp"
	"maps"
	"slices"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// refused counts the addresses that the bounds on discovery kept out since the program began.
type refused struct {
	Reasons map[string]int `json:"reasons"`
	Servers map[string]int `json:"servers"` // servers with the most of them
}

func refusedBy(loop *crawl.Loop) refused {
	by, servers := loop.Refused(shownServers)
	r := refused{Reasons: map[string]int{}, Servers: servers}
	for _, x := range by {
		r.Reasons[x.Reason.String()] = x.Count
	}
	return r
}

// tables returns the tables; none if nothing was refused.
func (r *refused) tables() []report.Table {
	if len(r.Reasons) == 0 {
		return nil
	}
	return []report.Table{
		{Title: "Addresses not taken in", Header: []string{"why", "addresses"},
			Rows: mostFirst(r.Reasons)},
		{Title: "Most of them", Header: []string{"server", "addresses"},
			Rows: mostFirst(r.Servers)},
	}
}

// mostFirst returns rows of names and counts, the largest count first.
func mostFirst(counts map[string]int) (rows [][]string) {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	for _, name := range names {
		rows = append(rows, []string{name, words.Count(counts[name])})
	}
	return rows
}
