package present

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch/guard"
)

// GuardFinding says in a sentence how many requests the guard let through and refused.
func GuardFinding(s *guard.Summary) string {
	text := fmt.Sprintf("%d let through, %d refused or cut, in %v.",
		s.Requests, s.Refused, time.Duration(s.Seconds*float64(time.Second)).Round(time.Second))
	if s.Stopped {
		text += " Everything was shut."
	}
	return text
}

// GuardTables returns the summary for people.
func GuardTables(s *guard.Summary) []report.Table {
	rows := [][]string{
		{"let through", fmt.Sprint(s.Requests)}, {"of these tunnels", fmt.Sprint(s.Tunnels)},
		{"bytes read", fmt.Sprint(s.Bytes)},
		{"without a whole answer", fmt.Sprint(s.Failed)},
		{"forbidden address or port", fmt.Sprint(s.Forbidden)},
		{"connections of strangers", fmt.Sprint(s.Foreign)}, {"violations", fmt.Sprint(s.Refused)}}
	for _, limit := range slices.Sorted(maps.Keys(s.ByLimit)) {
		rows = append(rows, []string{"of limit " + limit, fmt.Sprint(s.ByLimit[limit])})
	}
	if s.Stopped {
		rows = append(rows, []string{"everything was shut", "yes"})
	}
	all := []report.Table{{Title: "Requests through the guard", Header: []string{"what", "number"},
		Rows: rows}}
	if len(s.Worst) > 0 {
		worst := report.Table{Title: "Addresses with most violations",
			Header: []string{"address", "violations", "shut"}}
		for _, a := range s.Worst {
			shut := ""
			if a.Stopped {
				shut = "yes"
			}
			worst.Rows = append(worst.Rows, []string{a.Address, fmt.Sprint(a.Refused), shut})
		}
		all = append(all, worst)
	}
	return all
}
