package policy

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/value"
	"github.com/recrawl/recrawl/sitegraph"
)

// The page about the opponents has one line for each, and none for others.
func TestOpponentsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for _, m := range regexp.MustCompile(
		"(?m)^\\| `([a-z0-9+-]+)` \\| .+ \\| .+ \\|$").FindAllStringSubmatch(string(page), -1) {
		lines[m[1]]++
		if !Published(m[1]) {
			t.Errorf("%s has a line and is no published policy", m[1])
		}
	}
	for _, name := range Names() {
		if Published(name) && !strings.Contains(name, "+") && lines[name] != 1 {
			t.Errorf("%s has %d lines, want one", name, lines[name])
		}
	}
}

// Policies that rank by their own Due must be asked after each outcome, and nobody else; of pages
// without a copy it is asked always.
func TestGoesByDue(t *testing.T) {
	byDue := map[string]bool{"interval": true, "nutch": true, "stormcrawler": true,
		"norconex": true, "commoncrawl": false, "ncis": false, "lln": false, "sa": false,
		"longevity": false, "value": false, "ebayes": false, "uniform": false, "a": false,
		"cho-greedy": false}
	for _, name := range Names() {
		g := sitegraph.NewGraph()
		corpus := planner.NewCorpus(g)
		states := []sitegraph.State{sitegraph.StateAlive, sitegraph.StateNew, sitegraph.StateGone,
			sitegraph.StateSource}
		for i, state := range states {
			corpus.Remember(&sitegraph.Record{Page: g.Add(fmt.Sprintf("http://a.example/%d", i)),
				State: state})
		}
		policy, err := New(name, Settings{Corpus: corpus, Mode: planner.Stream,
			Oracle: func(sitegraph.PageID) bool {
				return true
			}, TrueRate: func(sitegraph.PageID) float64 { return 1 }})
		if err != nil {
			t.Fatal(err)
		}
		p := planner.New(corpus, policy, planner.Options{})
		got := p.GoesByDue(0)
		if want, known := byDue[name]; known && got != want {
			t.Errorf("%s goes by its due times: %v, want %v", name, got, want)
		}
		if _, due := policy.(*dueDriven); due != got {
			t.Errorf("%s goes by its due times: %v", name, got)
		}
		for i := range states[1:] {
			if !p.GoesByDue(sitegraph.PageID(i + 1)) {
				t.Errorf("%s: %v is not asked for", name, states[i+1])
			}
		}
	}
}

// Variants of value without a kind of evidence are policies of ours.
func TestAblationsAreOurs(t *testing.T) {
	for _, name := range value.Ablations() {
		if Published(name) || Reference(name) || !slices.Contains(Names(), name) {
			t.Errorf("%s: published %v, reference %v", name, Published(name), Reference(name))
		}
	}
}

// Who goes by claims: of the published ones those that read feeds or sitemaps.
func TestGoesByClaims(t *testing.T) {
	want := map[string]bool{"norconex": true, "ncis": true}
	for _, name := range Names() {
		if Published(name) && GoesByClaims(name) != want[name] {
			t.Errorf("%s goes by claims: %v", name, GoesByClaims(name))
		}
	}
}
