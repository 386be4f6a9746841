package policy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// eachPolicy runs a test for seeds, policies and modes. The name of a failing subtest is the
// argument of -run that repeats it. Variants of sites differ by one part: without RECRAWL_LONG each
// has a fifth of the seeds, and its neighbours have the others. With RECRAWL_LONG there are three
// times as many seeds.
func eachPolicy(t *testing.T, seeds uint64, test func(t *testing.T, policy string, s Settings)) {
	long := os.Getenv("RECRAWL_LONG") != ""
	if long {
		seeds *= 3
	}
	for seed := range seeds {
		for i, policy := range testedPolicies() {
			if isVariant(policy) && seed%5 != uint64(i)%5 && !long {
				continue
			}
			for name, mode := range map[string]planner.Mode{"sweep": planner.Sweep,
				"stream": planner.Stream} {
				t.Run(fmt.Sprintf("seed=%d/%s/%s", seed, policy, name), func(t *testing.T) {
					test(t, policy, Settings{Mode: mode, Seed: seed, PerDay: 20})
				})
			}
		}
	}
}

// testedPolicies returns all policies; in short tests without variants of sites.
func testedPolicies() []string {
	return slices.DeleteFunc(Names(), func(policy string) bool {
		return testing.Short() && isVariant(policy)
	})
}

func isVariant(policy string) bool { return WithoutPart(policy) != "" }

// Guarantees 1 to 3 hold in random webs with random budgets, shares and settings. sim.check checks
// each visit.
func TestPlannerProperties(t *testing.T) {
	t.Parallel()
	eachPolicy(t, 10, func(t *testing.T, policy string, s Settings) {
		rng := rand.New(rand.NewPCG(s.Seed, 2))
		w := simtest.NewWorld(s.Seed, 1+rng.IntN(3), 20+rng.IntN(40), true)
		o := planner.Options{NewShare: []float64{0, 0.1, 0.25, 1}[rng.IntN(4)],
			Leftover: rng.IntN(2) == 0}
		if rng.IntN(2) == 0 {
			o.Skip = func(p sitegraph.PageID) bool { return p%7 == 3 }
		}
		m := newSim(t, w, rng, policy, s, o)
		m.Lag = []int{0, 0, 5}[rng.IntN(3)]
		m.GiveBack = []float64{0, 0, 0.2}[rng.IntN(3)]
		share := 0.0 // of first visits, all days so far
		total := 0
		m.OnVisit = func(v planner.Visit) {
			if v.First && o.Leftover && float64(total+m.FirstVisits+1) > share+1e-5 &&
				m.GiveBack == 0 {
				checkLeftover(m, v)
			}
		}
		for day := 1; day <= 25; day++ {
			budget := rng.IntN(30)
			if rng.IntN(12) == 0 {
				budget = planner.Unlimited
			}
			ofDay := float64(budget) * o.NewShare
			share += ofDay
			visits := m.Day(day, budget)
			checkFull(m, day, budget, len(visits))
			if budget == planner.Unlimited {
				share, total = 0, 0 // less than one is carried over
				continue
			}
			if !o.Leftover && m.FirstVisits > int(math.Ceil(ofDay+1e-5)) && m.GiveBack == 0 {
				t.Fatalf("day %d: %d first visits, the share of %g allows %g",
					day, m.FirstVisits, o.NewShare, ofDay)
			}
			total += m.FirstVisits
			if !o.Leftover && m.GiveBack == 0 && float64(total) > share+1 {
				t.Fatalf("day %d: %d first visits so far, the shares add up to %g",
					day, total, share)
			}
		}
	})
}

// checkLeftover checks that a first visit beyond its share means that the policy proposes no page.
func checkLeftover(m *simtest.Sim, v planner.Visit) {
	m.Helper()
	if m.Sweeps { // which may skip pages on purpose
		return
	}
	if waiting := m.Refetchable(); len(waiting) > 0 && m.Planner.NewLeft() == 0 {
		m.Fatalf("first visit to %s beyond the share, while %d pages could be fetched again",
			m.Graph.URL(v.Page), len(waiting))
	}
}

// checkFull checks that a round which ended before its budget has no worthwhile visit left.
func checkFull(m *simtest.Sim, day, budget, visited int) {
	m.Helper()
	if v, ok := m.Planner.Next(); ok {
		m.Fatalf("day %d: another visit to %s after the round's end", day, m.Graph.URL(v.Page))
	}
	if budget != planner.Unlimited && m.Planner.Left() != budget-visited {
		m.Fatalf("day %d: %d visits left of %d after %d", day, m.Planner.Left(), budget, visited)
	}
	if visited == budget || m.Sweeps {
		return
	}
	if pages := m.Refetchable(); len(pages) > 0 {
		m.Fatalf("day %d: %d visits of %d, though %d pages could be fetched again",
			day, visited, budget, len(pages))
	}
}

// Promise 4: the same seed gives the same visits, whatever the order of discovery.
func TestPlannerSeeds(t *testing.T) {
	t.Parallel()
	different := map[string]bool{}
	eachPolicy(t, 6, func(t *testing.T, policy string, s Settings) {
		run := func(order uint64, s Settings) []string {
			var all []string
			w := simtest.NewWorld(s.Seed%6, 3, 30, true)
			m := newSim(t, w, rand.New(rand.NewPCG(order, 0)), policy, s,
				planner.Options{NewShare: 0.25, Leftover: true})
			for day := 1; day <= 12; day++ {
				for _, url := range m.URLs(m.Day(day, 13)) {
					all = append(all, fmt.Sprint(day, " ", url))
				}
			}
			return all
		}
		want := run(1, s)
		if i, same := simtest.FirstDifference(want, run(1, s)); !same {
			t.Errorf("the same seed and corpus differ from visit %d on", i)
		}
		if i, same := simtest.FirstDifference(want, run(2, s)); !same {
			t.Errorf("pages that became known in another order are visited in another order from "+
				"visit %d on", i)
		}
		s.Seed += 6 // the same world
		if _, same := simtest.FirstDifference(want, run(1, s)); !same {
			different[policy] = true
		}
	})
	for _, policy := range testedPolicies() {
		if !different[policy] {
			t.Errorf("%s: another seed never made a difference", policy)
		}
	}
}

// A sweep ends. Without a budget it has then visited all pages once; methods A to C have visited
// tops, and the members of changed ones.
func TestSweepEnds(t *testing.T) {
	t.Parallel()
	for _, policy := range Names() {
		spared := 0
		stops := methods[policy].by != "" || strings.Contains(policy, "+") // leaves sites alone
		for seed := range uint64(10) {
			w := simtest.NewWorld(seed, 2, 40, false)
			m := newSim(t, w, nil, policy, Settings{Mode: planner.Sweep, Seed: seed},
				planner.Options{})
			visits := m.Day(2, planner.Unlimited)
			if !stops && len(visits) != len(w.Pages) {
				t.Errorf("seed %d: %s made %d visits to %d pages",
					seed, policy, len(visits), len(w.Pages))
			}
			spared += len(w.Pages) - len(visits)
		}
		if stops && spared == 0 {
			t.Errorf("%s visited all pages of ten worlds, want some sites left alone", policy)
		}
	}
}

// startsAnew reports whether a policy knows more than the records: its place in a cycle through
// pages, tops, groups or servers, which it begins anew after a restart. It also reports sites,
// since histories have by week what it learns of a page's groups by day; sa, whose steps depend on
// the order of visits; and allocations, which move due times in steps.
func startsAnew(policy string) bool {
	switch policy {
	case "breadth-first", "calendar-weekly", "calendar-monthly", "firecrawl-daily", "cho-greedy",
		"cho-adaptive", "tan-mitra", "sa", "freshness",
		"true-freshness", "lambdacrawl", "binary-lambdacrawl":
		return true
	}
	return Own(policy) || methods[policy].by != "" || strings.HasPrefix(policy, "server-")
}

// A policy rebuilt from the records continues where the old one stopped. Method A has its own
// tests.
func TestRestart(t *testing.T) {
	for seed := range uint64(8) {
		for _, policy := range Names() {
			if startsAnew(policy) {
				continue
			}
			w := simtest.NewWorld(seed, 2, 40, false)
			s := Settings{Mode: planner.Stream, Seed: seed, PerDay: 9}
			steady, crashing := newSim(t, w, nil, policy, s, planner.Options{}),
				newSim(t, w, nil, policy, s, planner.Options{})
			for day := 1; day <= 15; day++ {
				crashing.Restart()
				want, got := steady.URLs(steady.Day(day, 9)), crashing.URLs(crashing.Day(day, 9))
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, %s, day %d: visits %v after a restart, want %v",
						seed, policy, day, got, want)
				}
			}
		}
	}
}

// Promise 5 and names: policies that may know the future, and refused ones.
func TestNewPolicy(t *testing.T) {
	pages := planner.NewPages(sitegraph.NewGraph())
	for _, c := range []struct {
		name string
		s    Settings
		want string
	}{
		{"astrology", Settings{Pages: pages, Mode: planner.Stream},
			"want one that recrawl policies lists"},
		{"clairvoyant", Settings{Pages: pages, Mode: planner.Stream}, "evaluations only"},
		{"value", Settings{Pages: pages, Mode: planner.Stream},
			"want sites, which has taken its place"},
		{"ebayes", Settings{Pages: pages}, "neither sweep nor stream"},
	} {
		if p, err := New(c.name, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: policy %v, error %v; want it to say %q", c.name, p, err, c.want)
		}
	}
	for _, of := range All() {
		name := of.Name
		knows := name == "clairvoyant" || strings.HasPrefix(name, "server-true") ||
			strings.HasPrefix(name, "true-")
		if of.About == "" || of.Kind == "" || Reference(name) != knows || Published(name) && knows {
			t.Errorf("%+v: reference %v, published %v", of, Reference(name), Published(name))
		}
	}
	if !slices.Contains(Names(), Default) {
		t.Errorf("the default policy %q does not exist", Default)
	}
}
