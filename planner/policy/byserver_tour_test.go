package policy

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// A week is seven days, whatever the length of rounds: no page is visited twice before its policy
// has visited all others, and after a week it begins anew.
func TestAWeekIsAWeek(t *testing.T) {
	for _, policy := range []string{"server-sample", "server-previous", "cho-greedy",
		"cho-adaptive", "tan-mitra"} {
		for _, length := range []time.Duration{time.Hour, 6 * time.Hour, planner.Day} {
			rounds := int(week / length)
			w := newSampledServers(t, policy, Settings{Mode: planner.Stream, Seed: 1,
				PerDay: float64(planner.Day / length)}, 2*rounds, 0, 0.5)
			visited := map[sitegraph.PageID]int{}
			started := 0 // rounds of the second week that began with a sample
			for n := 1; n < 2*rounds; n++ {
				end := simtest.Base.Add(time.Duration(n) * length)
				w.planner.Begin(planner.Round{Number: n + 1000, Start: end.Add(-length), End: end,
					Budget: 1})
				v, ok := w.planner.Next()
				if !ok {
					t.Fatalf("%s, rounds of %v: no visit in round %d", policy, length, n)
				}
				m := w.pages.Memory(v.Page)
				m.History.Last, m.Tried = sitegraph.Unix32(end), sitegraph.Unix32(end)
				w.planner.Policy.Observe(v.Page, sitegraph.VerdictUnchanged)
				if n < rounds {
					visited[v.Page]++
				} else if v.Reason.String()[:6] == "sample" && n == rounds {
					started++
				}
			}
			// server-sample visits the page of its sample once more.
			if twice := rounds - 1 - len(visited); twice > 1 || twice > 0 &&
				policy != "server-sample" {
				t.Errorf("%s, rounds of %v: %d pages in %d visits of a week", policy, length,
					len(visited), rounds-1)
			}
			if policy != "server-previous" && started != 1 {
				t.Errorf("%s, rounds of %v: the second week does not begin with a sample", policy,
					length)
			}
		}
	}
}

// In a stream, a method inside a server visits the tops of its sites, then in the same round the
// members of those whose top changed, and then the oldest copies. Members that a round does not
// reach are visited in the next one.
func TestMethodsInsideServers(t *testing.T) {
	for _, c := range []struct {
		policy, changed string
		budgets         []int
		tops            string // first pages
		all             string // pages visited, sorted
	}{
		{"server-previous+a", "A", []int{4, 2}, "ADGR", "ABCDGR"},
		{"server-previous+a", "A", []int{6}, "ADGR", "ABCDGR"}, // in the same round
		{"server-previous+a", "AD", []int{5, 3}, "ADGR", "ABCDEFGR"},
		{"server-previous+a", "", []int{9}, "ADGR", "ABCDEFGHR"},
		{"server-previous+c", "", []int{1}, "R", "R"},
		{"server-previous+c", "R", []int{3}, "ADR", "ADR"},
		{"server-previous+c-closure", "RA", []int{3, 3}, "ADR", "ABCDGR"},
	} {
		l := simtest.NewLettered(t, fx4a, fx4Edges, rand.New(rand.NewPCG(1, 0)))
		policy, err := New(c.policy, Settings{Pages: l.Pages, Mode: planner.Stream, Seed: 1,
			PerDay: 4})
		if err != nil {
			t.Fatal(err)
		}
		l.Planner = planner.New(l.Pages, policy, planner.Options{})
		got := ""
		for i, budget := range c.budgets {
			changed := c.changed
			if i > 0 {
				changed = ""
			}
			got += l.Round(i+1, budget, changed, "")
		}
		if simtest.Sorted(got[:len(c.tops)]) != c.tops || simtest.Sorted(got) != c.all {
			t.Errorf("%s, changed %q: visits %s, want %s first, and all of %s", c.policy, c.changed,
				got, c.tops, c.all)
		}
	}
}

// Samples decide which server comes first, and sampled tops count as visited.
func TestSamplesBeforeMethods(t *testing.T) {
	l := simtest.NewLettered(t, fx4a, fx4Edges, rand.New(rand.NewPCG(1, 0)))
	policy, err := New("server-sample+a", Settings{Pages: l.Pages, Mode: planner.Stream, Seed: 1,
		PerDay: 4, Sample: 9})
	if err != nil {
		t.Fatal(err)
	}
	l.Planner = planner.New(l.Pages, policy, planner.Options{})
	if got := simtest.Sorted(l.Round(1, 9, "", "")); got != "ABCDEFGHR" {
		t.Errorf("samples %s, want all nine pages", got)
	}
}

// Servers that become known after a week began have their turn in the next planning round, when the
// others are finished.
func TestNewServersInTheWeek(t *testing.T) {
	for _, name := range []string{"server-previous", "server-previous+a", "server-sample+c"} {
		pages := planner.NewPages(sitegraph.NewGraph())
		policy, err := New(name, Settings{Pages: pages, Mode: planner.Stream, Seed: 1, Sample: 1})
		if err != nil {
			t.Fatal(err)
		}
		plan := planner.New(pages, policy, planner.Options{})
		for hour := range 2 {
			start := simtest.At(1).Add(time.Duration(hour) * time.Hour)
			plan.Begin(planner.Round{Number: hour, Start: start, End: start.Add(time.Hour),
				Budget: 1})
			v, ok := plan.Next()
			if ok != (hour == 1) || ok && v.Reason.String() == "oldest copy, budget left" {
				t.Errorf("%s, hour %d: visit %v because %s", name, hour, ok, v.Reason)
			}
			page := pages.Graph.AddStart("http://new.example/")
			r := simtest.Seen(page, "http://new.example/")
			pages.Remember(&r)
		}
	}
}
