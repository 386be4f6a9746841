package sites_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/planner/sites"
	"github.com/recrawl/recrawl/sitegraph"
)

// withList adds two servers; the start page of one changes each day.
func withList() (w *simtest.World, list *simtest.Page) {
	w = simtest.NewWorld(3, 2, 60, false)
	list = w.Of["http://s0.example/"]
	list.Changes = nil
	for d := range simtest.Days {
		list.Changes = append(list.Changes, float64(d))
	}
	return w, list
}

// withDead adds links, from day 5 on, to 60 pages and 60 dead addresses.
func withDead() *simtest.World {
	w, root := withList()
	for i := range 60 {
		dead := w.Add(3, fmt.Sprintf("http://s0.example/old/x%d.html", i), false)
		dead.Born, dead.Died = 5, 5
		there := w.Add(3, fmt.Sprintf("http://s0.example/news/x%d.html", i), false)
		there.Born = 5
		root.Children = append(root.Children, dead, there)
	}
	return w
}

// firstVisits plays some days and counts first visits to addresses of a folder and to others.
func firstVisits(m *simtest.Sim, folder string, days, budget int) (inside, others int) {
	for day := 1; day <= days; day++ {
		for _, v := range m.Day(day, budget) {
			switch {
			case !v.First:
			case strings.Contains(m.Graph.URL(v.Page), folder):
				inside++
			default:
				others++
			}
		}
	}
	return inside, others
}

// If addresses of a directory prove dead, the others there wait, and all living pages are found.
// All pages share the visits that are left over.
func TestFirsts(t *testing.T) {
	for _, c := range []struct {
		leftover                bool
		budget, least, mostDead int
	}{{false, 20, 1, 20}, {true, 20, 1, 20}, {true, 400, 60, 60}} {
		m := newSim(t, withDead(), 3, 20, planner.Options{NewShare: 0.25, Leftover: c.leftover})
		dead, there := firstVisits(m, "/old/", 40, c.budget)
		if there != 60 || dead < c.least || dead > c.mostDead {
			t.Errorf("leftover %v, budget %d: %d visits to dead addresses, want %d to %d; %d to "+
				"pages, want 60", c.leftover, c.budget, dead, c.least, c.mostDead, there)
		}
		if wait := m.Planner.Waiting(); wait != 60-dead {
			t.Errorf("%d pages wait, want %d", wait, 60-dead)
		}
	}
}

// A new process learns from the corpus which addresses were dead.
func TestExpect(t *testing.T) {
	m := newSim(t, withDead(), 3, 20, planner.Options{NewShare: 0.25})
	firstVisits(m, "/old/", 20, 20)
	old, news := m.Link("http://s0.example/old/y.html"), m.Link("http://s0.example/news/y.html")
	for _, restarted := range []bool{false, true} {
		if restarted {
			m.Restart()
			m.Planner.Begin(planner.Round{Number: 21, Start: simtest.At(20), End: simtest.At(21),
				Budget: 20})
		}
		v := policyOf(m)
		if there := v.Expect(old); there > 0.3 {
			t.Errorf("restarted %v: an address among dead ones is there with probability %.2f",
				restarted, there)
		}
		if there, takes := v.Expect(news), v.TakesFirst(news); there < 0.8 || !takes {
			t.Errorf("restarted %v: one among pages is there with probability %.2f, worth a "+
				"visit: %v", restarted, there, takes)
		}
	}
}

// A new process believes the same, whichever addresses became known first.
func TestExpectWhateverCameFirst(t *testing.T) {
	const like = 40
	expect := func(order func(i int) int) float64 {
		g := sitegraph.NewGraph()
		c := planner.NewPages(g)
		for i := range like {
			i = order(i)
			r := sitegraph.Record{Page: g.Add(fmt.Sprintf("http://s0.example/old/x%d.html", i)),
				State: sitegraph.StateAlive, Tried: simtest.At(20),
				History: sitegraph.Start(simtest.At(20))}
			if i < like/2 {
				r.State, r.History = sitegraph.StateGone, sitegraph.History{}
			}
			c.Remember(&r)
		}
		p := g.Add("http://s0.example/old/new.html")
		c.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateNew})
		v := sites.New(sites.Settings{Pages: c, Mode: planner.Stream})
		g.Refresh()
		c.Begin(planner.Round{Number: 21, Start: simtest.At(20), End: simtest.At(21), Budget: 20})
		v.Begin(c.Round())
		return v.Expect(p)
	}
	forth := expect(func(i int) int { return i })
	back := expect(func(i int) int { return like - 1 - i })
	if math.Abs(forth-back) > 1e-6 || forth < 0.3 || forth > 0.7 {
		t.Errorf("of %d addresses, half of them dead, another one is there with probability "+
			"%.3f, and %.3f when they became known the other way round; want the same, about a "+
			"half", like, forth, back)
	}
}

// A redirected link is not dead.
func TestRedirectedIsNotDead(t *testing.T) {
	m := newSim(t, withDead(), 3, 20, planner.Options{NewShare: 0.25})
	m.Day(1, 20)
	for i := range 40 {
		p := m.Link(fmt.Sprintf("http://s1.example/moved/%d.html", i))
		r := &m.Records[p]
		if there := policyOf(m).Expect(p); there < 0.8 {
			t.Fatalf("address %d is there with probability %.2f, though none like it is dead",
				i, there)
		}
		verdict := r.Apply(sitegraph.Observation{Time: simtest.At(1),
			Outcome: sitegraph.OutcomeRedirected, RedirectTo: "http://s1.example/"},
			sitegraph.ChangeByBytes)
		m.Planner.Observe(r, verdict)
	}
}

// Pages of a new folder are found even if all other folders of the server were dead.
func TestFreshFolder(t *testing.T) {
	for seed := range uint64(8) {
		testFreshFolder(t, seed)
	}
}

func testFreshFolder(t *testing.T, seed uint64) {
	w, root := withList()
	for i := range 200 {
		dead := w.Add(3, fmt.Sprintf("http://s0.example/old%c/x%d.html", 'a'+i%20, i), false)
		dead.Born, dead.Died = 5, 5
		root.Children = append(root.Children, dead)
	}
	for i := range 60 {
		fresh := w.Add(3, fmt.Sprintf("http://s0.example/fresh/x%d.html", i), false)
		fresh.Born = 30
		root.Children = append(root.Children, fresh)
	}
	m := newSim(t, w, seed, 20, planner.Options{NewShare: 0.25})
	fresh, dead := firstVisits(m, "/fresh/", simtest.Days-1, 20)
	if fresh != 60 || dead > 100 {
		t.Errorf("seed %d: %d of 60 fresh pages were visited, want all; %d dead addresses, want "+
			"at most 100 of 200", seed, fresh, dead)
	}
}
