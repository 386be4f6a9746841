package planner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

func TestWeights(t *testing.T) {
	var rules []WeightRule
	for _, text := range []string{"https://Example.com/news/=3", "https://example.com/news/old=0", "https://example.com/news/a.html$=7", "*=0.5", "https://example.com/q?a=b=4"} {
		r, err := ParseWeight(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	w := NewWeights(rules)
	for url, want := range map[string]float64{
		"https://example.com/":               0.5,
		"https://example.com/news/":          3,
		"https://example.com/news/b":         3,
		"https://example.com/news/old/b":     0,
		"https://example.com/news/older":     0,
		"https://example.com/news/a.html":    7,
		"https://example.com/news/a.html?x":  3,
		"https://example.com/q?a=b":          4,
		"http://example.com/news/":           0.5,
		"https://other.example/":             0.5,
		"https://example.com/news/a.html/$b": 3,
	} {
		if got := w.Of(url); got != want {
			t.Errorf("%s weighs %g, want %g", url, got, want)
		}
	}
	for _, text := range []string{"", "3", "https://example.com/", "https://example.com/=", "https://example.com/=-1", "https://example.com/=NaN", "https://example.com/=Inf", "news=3", "ftp://a.com/=1"} {
		if r, err := ParseWeight(text); err == nil || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%q is read as %+v, %v", text, r, err)
		}
	}
}

// weighted is a world in which weights of directories are multiplied by a factor; 0: no weights.
func weighted(t *testing.T, policy string, seed uint64, factor float64) *sim {
	m := newSim(t, newWorld(seed, 3, 40, false), nil, policy, Settings{Mode: Stream, Seed: seed, PerDay: 9}, Options{})
	if factor == 0 {
		return m
	}
	rules := []WeightRule{{"*", factor}}
	for s := range 3 {
		rules = append(rules, WeightRule{fmt.Sprintf("http://s%d.example/d%d/", s, s), 3 * factor},
			WeightRule{fmt.Sprintf("http://s%d.example/d3/", s), 0})
	}
	m.corpus.SetWeights(NewWeights(rules))
	return m
}

// Weights say how pages compare: all of them times one factor change nothing, neither what is
// visited nor when it is due. Pages of weight 0 are left alone, heavy ones visited more.
func TestWeightsScale(t *testing.T) {
	for _, policy := range []string{"ebayes", "value"} {
		t.Run(policy, func(t *testing.T) { testWeightsScale(t, policy) })
	}
}

func testWeightsScale(t *testing.T, policy string) {
	for seed := range uint64(8) {
		want, plain := weighted(t, policy, seed, 1), weighted(t, policy, seed, 0)
		scaled := []*sim{weighted(t, policy, seed, 0.25), weighted(t, policy, seed, 1024)}
		heavy := [2]int{}
		for day := 1; day <= 30; day++ {
			visits := want.day(day, 9)
			for _, m := range scaled {
				if got := m.urls(m.day(day, 9)); !slices.Equal(got, want.urls(visits)) {
					t.Fatalf("seed %d, day %d: visits %v with scaled weights, want %v", seed, day, got, want.urls(visits))
				}
				for p := range m.records {
					if !m.records[p].Due.Equal(want.records[p].Due) {
						t.Fatalf("seed %d, day %d: %s is due at %v, want %v", seed, day, m.records[p].URL, m.records[p].Due, want.records[p].Due)
					}
				}
			}
			for i, urls := range [][]string{want.urls(visits), plain.urls(plain.day(day, 9))} {
				for _, url := range urls {
					if i == 0 && strings.Contains(url, "/d3/") {
						t.Fatalf("seed %d: %s has weight 0 and was visited", seed, url)
					}
					if p, _ := want.graph.Lookup(url); want.corpus.Weight(p) == 3 {
						heavy[i]++
					}
				}
			}
		}
		if heavy[0] <= heavy[1] {
			t.Errorf("seed %d: %d visits to heavy pages, %d without weights", seed, heavy[0], heavy[1])
		}
	}
}

// A page that becomes known later has its weight too.
func TestWeightOfNewPage(t *testing.T) {
	g := sitegraph.NewGraph()
	g.AddStart("http://a.example/")
	c := NewCorpus(g)
	c.SetWeights(NewWeights([]WeightRule{{"http://a.example/x", 0}}))
	p := g.Add("http://a.example/x1")
	c.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateNew})
	if c.Weight(p) != 0 || c.Weight(0) != 1 || c.MeanWeight() != 0.5 {
		t.Errorf("weights %g and %g, mean %g", c.Weight(0), c.Weight(p), c.MeanWeight())
	}
	m := New(c, nil, Options{NewShare: 1, Leftover: true})
	m.Begin(Round{Number: 1, Start: at(0), End: at(1), Budget: Unlimited})
	if v, ok := m.Next(); ok {
		t.Errorf("%s is visited first: %v", g.URL(v.Page), v)
	}
	if why := m.WhyNot(p); why != "its weight is 0" {
		t.Errorf("why not: %q", why)
	}
}
