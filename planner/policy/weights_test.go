package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// weighted is a world in which a factor multiplies the weights of directories; 0: no weights.
func weighted(t *testing.T, policy string, seed uint64, factor float64) *simtest.Sim {
	m := newSim(t, simtest.NewWorld(seed, 3, 40, false), nil, policy,
		Settings{Mode: planner.Stream, Seed: seed, PerDay: 9}, planner.Options{})
	if factor == 0 {
		return m
	}
	rules := []preferences.WeightRule{{Prefix: "*", Weight: factor}}
	for s := range 3 {
		rules = append(rules, preferences.WeightRule{Prefix: fmt.Sprintf("http://s%d.example/d%d/",
			s, s), Weight: 3 * factor},
			preferences.WeightRule{Prefix: fmt.Sprintf("http://s%d.example/d3/", s), Weight: 0})
	}
	m.Pages.SetWeights(preferences.NewWeights(rules))
	return m
}

// Weights compare pages: one factor for all of them changes neither visits nor due times. Pages of
// weight 0 are not visited, and heavy pages more often.
func TestWeightsScale(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"ebayes", "sites"} {
		t.Run(policy, func(t *testing.T) { testWeightsScale(t, policy) })
	}
}

func testWeightsScale(t *testing.T, policy string) {
	for seed := range uint64(8) {
		want, plain := weighted(t, policy, seed, 1), weighted(t, policy, seed, 0)
		scaled := []*simtest.Sim{weighted(t, policy, seed, 0.25), weighted(t, policy, seed, 1024)}
		heavy := [2]int{}
		for day := 1; day <= 30; day++ {
			visits := want.Day(day, 9)
			for _, m := range scaled {
				if got := m.URLs(m.Day(day, 9)); !slices.Equal(got, want.URLs(visits)) {
					t.Fatalf("seed %d, day %d: visits %v with scaled weights, want %v",
						seed, day, got, want.URLs(visits))
				}
				for p := range m.Records {
					if !m.Records[p].Due.Equal(want.Records[p].Due) {
						t.Fatalf("seed %d, day %d: %s is due at %v, want %v",
							seed, day, m.Records[p].URL, m.Records[p].Due, want.Records[p].Due)
					}
				}
			}
			for i, urls := range [][]string{want.URLs(visits), plain.URLs(plain.Day(day, 9))} {
				for _, url := range urls {
					if i == 0 && strings.Contains(url, "/d3/") {
						t.Fatalf("seed %d: %s has weight 0 and was visited", seed, url)
					}
					if p, _ := want.Graph.Lookup(url); want.Pages.Weight(p) == 3 {
						heavy[i]++
					}
				}
			}
		}
		if heavy[0] <= heavy[1] {
			t.Errorf("seed %d: %d visits to heavy pages, %d without weights",
				seed, heavy[0], heavy[1])
		}
	}
}

// A page that becomes known later also has its weight.
func TestWeightOfNewPage(t *testing.T) {
	g := sitegraph.NewGraph()
	g.AddStart("http://a.example/")
	c := planner.NewPages(g)
	c.SetWeights(
		preferences.NewWeights([]preferences.WeightRule{{Prefix: "http://a.example/x", Weight: 0}}))
	p := g.Add("http://a.example/x1")
	c.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateNew})
	if c.Weight(p) != 0 || c.Weight(0) != 1 || c.MeanWeight() != 0.5 {
		t.Errorf("weights %g and %g, mean %g", c.Weight(0), c.Weight(p), c.MeanWeight())
	}
	m := planner.New(c, nil, planner.Options{NewShare: 1, Leftover: true})
	m.Begin(planner.Round{Number: 1, Start: simtest.At(0), End: simtest.At(1),
		Budget: planner.Unlimited})
	if v, ok := m.Next(); ok {
		t.Errorf("%s is visited first: %v", g.URL(v.Page), v)
	}
	if why := m.WhyNot(p); why != "its weight is 0" {
		t.Errorf("why not: %q", why)
	}
}
