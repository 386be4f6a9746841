package planner

import (
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// Pages that are scored at once get the same scores as one by one, to the bit, whatever evidence is denied.
func TestRateAll(t *testing.T) {
	for _, policy := range append(Ablations(), "value") {
		for _, mode := range []Mode{Sweep, Stream} {
			m := newSim(t, newWorld(5, 4, 60, true), nil, policy, Settings{Mode: mode, Seed: 2, PerDay: 20}, Options{})
			for day := 1; day <= 12; day++ {
				m.day(day, 20)
			}
			v := m.planner.Policy.(*value)
			shared := 0
			for s := range sitegraph.ServerID(m.graph.Servers()) {
				pages := m.graph.ServerPages(s)
				for n := 1; len(pages) > 0; n = n%len(v.batch.pages) + 1 {
					var b batch
					for ; b.n < min(n, len(pages)); b.add(pages[b.n]) {
						if b.n > 0 && v.kin.alike(pages[b.n], pages[b.n-1]) {
							shared++
						}
					}
					pages = pages[b.n:]
					v.rateAll(&b)
					for _, p := range b.all() {
						got := v.scores[p]
						v.rate(p)
						if want := v.scores[p]; got != want {
							t.Fatalf("%s, %s: %v at once, %v alone", policy, m.graph.URL(p), got, want)
						}
					}
				}
			}
			if shared == 0 {
				t.Errorf("%s: no page shares what its groups tell with the one before", policy)
			}
		}
	}
}
