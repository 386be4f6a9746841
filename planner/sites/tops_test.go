package sites

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// While the top of its site is due and not yet visited in the round, no member is visited, for its
// worth or as a sample. That holds whether outcomes come at once or later.
func TestTopsFirst(t *testing.T) {
	tops, late, members := 0, 0, 0
	for seed := range uint64(6) {
		m := newSim(t, seed, 4, 100, 60, true)
		m.Lag = int(seed%3) * 5
		seen := map[sitegraph.PageID]bool{} // tops that were visited in the round
		m.OnVisit = func(v planner.Visit) {
			of := policyOf(m)
			top := of.groups.sites[of.groups.pages[v.Page].site].top
			switch {
			case v.First || top == sitegraph.NoPage:
			case top == v.Page:
				if tops++; seen[top] { // later outcomes made it due again
					late++
				}
			case of.groups.pages[v.Page].traits&isTop == 0:
				members++
				seen[top] = true
				if of.isDue(top) {
					t.Errorf("seed %d: %s is visited before the top of its site, %s, which is due",
						seed, m.Graph.URL(v.Page), m.Graph.URL(top))
				}
			}
		}
		for day := 1; day < simtest.Days; day++ {
			clear(seen)
			m.Day(day, 60)
		}
	}
	if tops < 1000 || members < 1000 || late > tops/10 {
		t.Errorf("of %d visits to tops %d come after members, of which there are %d", tops, late,
			members)
	}
}

// If the pages of a site change with its top, a changed top brings its members into the same round,
// and an unchanged one puts others first.
func TestTopMovesMembersAtOnce(t *testing.T) {
	const sitesOf, size, budget, learnt = 12, 10, 30, 40
	w := simtest.NewWorld(1, 1, 1, false)
	root := w.Of["http://s0.example/"]
	root.Changes = nil
	for i := range sitesOf {
		top := w.Add(1, fmt.Sprintf("http://s0.example/d%d/", i), false)
		root.Children = append(root.Children, top)
		var days []float64
		for d, rng := 0.0, rand.New(rand.NewPCG(2, uint64(i))); d < simtest.Days; {
			d += 1 + float64(rng.IntN(20))
			days = append(days, d-0.5)
		}
		top.Changes = days
		for k := range size - 1 {
			p := w.Add(1, fmt.Sprintf("http://s0.example/d%d/p%d", i, k), false)
			p.Changes = days
			top.Children = append(top.Children, p)
		}
	}
	m := simtest.New(t, w, nil, 1, func(m *simtest.Sim) (planner.Policy, error) {
		return New(Settings{Pages: m.Pages, Mode: planner.Stream, Seed: 1, PerDay: budget}), nil
	}, planner.Options{})
	changed, followed, same, idle := 0, 0, 0, 0
	for day := 1; day < simtest.Days; day++ {
		before := map[sitegraph.PageID]bool{} // by top: whether it had changed
		m.OnVisit = func(v planner.Visit) {
			of := policyOf(m)
			top := of.groups.sites[of.groups.pages[v.Page].site].top
			if top == v.Page {
				before[top] = m.Differs(top)
				return
			}
			if did, ok := before[top]; ok && day > learnt {
				if did {
					followed++
				} else {
					idle++
				}
			}
		}
		m.Day(day, budget)
		for _, did := range before {
			if day <= learnt {
				continue
			}
			if did {
				changed++
			} else {
				same++
			}
		}
	}
	if followed < 3*changed || idle > same || changed < 10 || same < 10 {
		t.Errorf("%d members were visited after %d tops that had changed, of %d each; %d after "+
			"%d tops that had not", followed, changed, size-1, idle, same)
	}
}
