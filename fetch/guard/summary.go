package guard

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Summary counts the work of a guard. Bytes are those read from servers.
type Summary struct {
	Seconds  float64          `json:"seconds"`
	Requests int64            `json:"requests"` // permitted, tunnels included
	Tunnels  int64            `json:"tunnels"`
	Bytes    int64            `json:"bytes"`
	Refused  int64            `json:"refused"` // violations, of all limits
	ByLimit  map[string]int64 `json:"by_limit"`
	// Cut counts the violations in the middle of an answer or tunnel.
	Cut       int64   `json:"cut"`
	Forbidden int64   `json:"forbidden"` // refused addresses and ports
	Foreign   int64   `json:"foreign"`   // connections of other clients
	Failed    int64   `json:"failed"`    // no answer of the server, or a part of one
	Stopped   bool    `json:"stopped"`   // everything is shut
	Addresses int     `json:"addresses"` // remembered addresses
	Worst     []Worst `json:"worst"`     // up to ten addresses with the most violations
}

// Worst is an address with violations.
type Worst struct {
	Address string `json:"address"`
	Refused int64  `json:"refused"`
	Stopped bool   `json:"stopped"`
}

// mostWorst is the number of addresses in a summary.
const mostWorst = 10

// Summary returns the counts so far.
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
