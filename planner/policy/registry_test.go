package policy

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// docs/reference/policies.md has one line for each published policy, and no others.
func TestOpponentsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	_, sources, found := strings.Cut(string(page), "## Where each published policy comes from")
	if !found {
		t.Fatal("no section about sources")
	}
	lines := map[string]int{}
	for _, m := range regexp.MustCompile(
		"(?m)^\\| `([a-z0-9+-]+)` \\| .+ \\| .+ \\|$").FindAllStringSubmatch(sources, -1) {
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

// noneDue is a queue that hands out nothing.
type noneDue struct{}

func (noneDue) Put(sitegraph.PageID, uint32)              {}
func (noneDue) Take(uint32, []sitegraph.PageID) int       { return 0 }
func (noneDue) Promote([]sitegraph.PageID)                {}
func (noneDue) Answer(sitegraph.PageID)                   {}
func (noneDue) Back(sitegraph.PageID, uint32)             {}
func (noneDue) Message(sitegraph.PageID, planner.Message) {}

// If the queue hands out nothing, no policy visits a page with a copy, and new pages are visited.
func TestNothingDueNothingVisited(t *testing.T) {
	for _, name := range LiveNames() {
		world := simtest.NewWorld(3, 4, 30, true)
		m := simtest.New(t, world, nil, 3, func(m *simtest.Sim) (planner.Policy, error) {
			return New(name, Settings{Pages: m.Pages, Mode: planner.Stream, Seed: 3, PerDay: 20})
		}, planner.Options{NewShare: 0.5, Leftover: true})
		m.Planner.UseQueue(func(func(sitegraph.PageID, planner.Message)) planner.Queue {
			return noneDue{}
		})
		first := 0
		for day := 1; day < 12; day++ {
			for _, v := range m.Day(day, 20) {
				if !v.First {
					t.Fatalf("%s visits %s, which the queue did not hand out", name,
						m.Graph.URL(v.Page))
				}
				first++
			}
			if day == 1 { // nobody visits the pages that link to new ones
				for _, p := range world.Pages {
					m.Graph.MakeStart(m.Link(p.URL))
					m.Planner.Found(m.Graph.Add(p.URL))
				}
			}
		}
		if first == 0 {
			t.Errorf("%s: no new page is visited", name)
		}
	}
}

// Variants of sites without a part are policies of this project.
func TestVariantsAreOurs(t *testing.T) {
	for _, name := range Variants() {
		if Published(name) || Reference(name) || !slices.Contains(Names(), name) {
			t.Errorf("%s: published %v, reference %v", name, Published(name), Reference(name))
		}
	}
}

// The published policies that use claims are those that read feeds or sitemaps.
func TestGoesByClaims(t *testing.T) {
	want := map[string]bool{"norconex": true, "ncis": true}
	for _, name := range Names() {
		if Published(name) && GoesByClaims(name) != want[name] {
			t.Errorf("%s goes by claims: %v", name, GoesByClaims(name))
		}
	}
}
