package present

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner/cycle"
)

// noVanished is that before a run ends.
func noVanished() vanished { return vanished{Directories: map[string]time.Time{}} }

// refused says which addresses did not become known, since the program was started.
type refused struct {
	Reasons map[string]int `json:"reasons"`
	Servers map[string]int `json:"servers"` // those with the most
}

// vanished says which directories are not asked for, because their pages were gone.
type vanished struct {
	All         int                  `json:"all"`
	Directories map[string]time.Time `json:"directories"` // of these some, and until when
}

func vanishedOf(loop *cycle.Loop) (v vanished) {
	v.Directories, v.All = loop.Vanished(shownServers)
	return v
}

// tables are none if nothing has vanished.
func (v *vanished) tables() []report.Table {
	if v.All == 0 {
		return nil
	}
	t := report.Table{Title: "Directories not asked for, as their pages are gone: " + report.Count(v.All),
		Header: []string{"directory", "until"}}
	for _, dir := range slices.Sorted(maps.Keys(v.Directories)) {
		t.Rows = append(t.Rows, []string{dir, v.Directories[dir].UTC().Format("2006-01-02 15:04")})
	}
	return []report.Table{t}
}

func refusedBy(loop *cycle.Loop) refused {
	by, servers := loop.Refused(shownServers)
	r := refused{Reasons: map[string]int{}, Servers: servers}
	for _, x := range by {
		r.Reasons[x.Reason.String()] = x.Count
	}
	return r
}

// tables are none if nothing was refused.
func (r *refused) tables() []report.Table {
	if len(r.Reasons) == 0 {
		return nil
	}
	return []report.Table{
		{Title: "Addresses not taken in", Header: []string{"why", "addresses"}, Rows: mostFirst(r.Reasons)},
		{Title: "Most of them", Header: []string{"server", "addresses"}, Rows: mostFirst(r.Servers)},
	}
}

// mostFirst are rows of names and counts.
func mostFirst(counts map[string]int) (rows [][]string) {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	for _, name := range names {
		rows = append(rows, []string{name, report.Count(counts[name])})
	}
	return rows
}
