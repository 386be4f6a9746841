package guard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
)

// Summary is what a guard did. Bytes are those read from servers.
type Summary struct {
	Seconds  float64          `json:"seconds"`
	Requests int64            `json:"requests"` // let through, tunnels included
	Tunnels  int64            `json:"tunnels"`
	Bytes    int64            `json:"bytes"`
	Refused  int64            `json:"refused"` // violations, of all limits
	ByLimit  map[string]int64 `json:"by_limit"`
	// of the violations, those in the middle of an answer or tunnel
	Cut       int64   `json:"cut"`
	Forbidden int64   `json:"forbidden"` // to addresses and ports that are not let through
	Foreign   int64   `json:"foreign"`   // connections of clients that are not named
	Failed    int64   `json:"failed"`    // without an answer of the server, or a whole one
	Stopped   bool    `json:"stopped"`   // everything is shut
	Addresses int     `json:"addresses"` // remembered
	Worst     []Worst `json:"worst"`     // of those, up to ten with most violations
}

// Worst is an address with violations.
type Worst struct {
	Address string `json:"address"`
	Refused int64  `json:"refused"`
	Stopped bool   `json:"stopped"`
}

// mostWorst is how many addresses a summary lists.
const mostWorst = 10

// Summary returns what was done so far.
func (g *Guard) Summary() Summary {
	l := g.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Summary{
		Seconds: g.now().Round(time.Millisecond).Seconds(), Requests: l.count.requests,
		Tunnels: l.count.tunnels, Bytes: l.count.bytes,
		Refused: l.all.refused, ByLimit: maps.Clone(l.count.refused), Cut: g.cut.Load(),
		Forbidden: g.forbidden.Load(),
		Foreign:   g.foreign.Load(), Failed: g.failed.Load(), Stopped: l.all.stopped,
		Addresses: len(l.addresses.of), Worst: []Worst{},
	}
	for _, a := range l.addresses.of {
		if a.refused > 0 {
			s.Worst = append(s.Worst, Worst{a.name, a.refused, a.stopped})
		}
	}
	slices.SortFunc(s.Worst, func(a, b Worst) int {
		return cmp.Or(cmp.Compare(b.Refused, a.Refused), cmp.Compare(a.Address, b.Address))
	})
	s.Worst = s.Worst[:min(len(s.Worst), mostWorst)]
	return s
}

// Finding says in a sentence what was let through and what was not.
func (s *Summary) Finding() string {
	text := fmt.Sprintf("%d let through, %d refused or cut, in %v.",
		s.Requests, s.Refused, time.Duration(s.Seconds*float64(time.Second)).Round(time.Second))
	if s.Stopped {
		text += " Everything was shut."
	}
	return text
}

// Tables are the summary for people.
func (s *Summary) Tables() []report.Table {
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
