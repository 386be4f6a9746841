package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// withList are two servers; the start page of one changes each day.
func withList() (w *world, list *simulated) {
	w = newWorld(3, 2, 60, false)
	list = w.of["http://s0.example/"]
	list.changes = nil
	for d := range days {
		list.changes = append(list.changes, float64(d))
	}
	return w, list
}

// withDead links, from day 5 on, to 60 pages and 60 dead addresses.
func withDead() *world {
	w, root := withList()
	for i := range 60 {
		dead := w.add(3, fmt.Sprintf("http://s0.example/old/x%d.html", i), false)
		dead.born, dead.died = 5, 5
		there := w.add(3, fmt.Sprintf("http://s0.example/news/x%d.html", i), false)
		there.born = 5
		root.children = append(root.children, dead, there)
	}
	return w
}

// firstVisits plays so many days and counts first visits to dead addresses and to pages.
func firstVisits(m *sim, days, budget int) (dead, there int) {
	for day := 1; day <= days; day++ {
		for _, v := range m.day(day, budget) {
			switch {
			case !v.First:
			case strings.Contains(m.graph.URL(v.Page), "/old/"):
				dead++
			default:
				there++
			}
		}
	}
	return dead, there
}

// Where addresses of a directory prove dead, the others wait, and the pages are all found; without that
// evidence it is first come, first served. What the other visits leave over is for all.
func TestFirsts(t *testing.T) {
	for _, c := range []struct {
		policy                  string
		leftover                bool
		budget, least, mostDead int
	}{
		{"value", false, 20, 1, 20},
		{"value-firsts", false, 20, 60, 60},
		{"value", true, 20, 1, 20},
		{"value", true, 400, 60, 60},
	} {
		m := newSim(t, withDead(), nil, c.policy, Settings{Mode: Stream, Seed: 3, PerDay: 20}, Options{NewShare: 0.25, Leftover: c.leftover})
		dead, there := firstVisits(m, 40, c.budget)
		if there != 60 || dead < c.least || dead > c.mostDead {
			t.Errorf("%s, leftover %v, budget %d: %d visits to dead addresses, want %d to %d; %d to pages, want 60", c.policy, c.leftover, c.budget, dead, c.least, c.mostDead, there)
		}
		if wait := m.planner.Waiting(); wait != 60-dead {
			t.Errorf("%s: %d pages wait, want %d", c.policy, wait, 60-dead)
		}
	}
}

// A process that begins anew knows from the corpus which addresses were dead; and what is there again after all is
// believed in after a few visits.
func TestExpect(t *testing.T) {
	m := newSim(t, withDead(), nil, "value", Settings{Mode: Stream, Seed: 3, PerDay: 20}, Options{NewShare: 0.25})
	firstVisits(m, 20, 20)
	add := func(path string) sitegraph.PageID {
		p := m.graph.Add("http://s0.example/" + path)
		m.know(p)
		m.corpus.Remember(&m.records[p])
		return p
	}
	old, news := add("old/y.html"), add("news/y.html")
	for _, restarted := range []bool{false, true} {
		if restarted {
			m.restart()
			m.planner.Begin(Round{Number: 21, Start: at(20), End: at(21), Budget: 20})
		}
		v := m.planner.Policy.(*value)
		if there, _ := v.Expect(old); there > 0.3 {
			t.Errorf("restarted %v: an address among dead ones is there with probability %.2f", restarted, there)
		}
		if there, worth := v.Expect(news); there < 0.8 || !worth {
			t.Errorf("restarted %v: one among pages is there with probability %.2f, worth a visit: %v", restarted, there, worth)
		}
	}
	v := m.planner.Policy.(*value)
	for range 12 {
		v.first(old, false)
	}
	if there, _ := v.Expect(add("old/z.html")); there < 0.6 {
		t.Errorf("after 12 pages that were there it is %.2f", there)
	}
}

// Of addresses that are believed dead one at each server is asked for now and then.
func TestDoubt(t *testing.T) {
	m := newSim(t, withDead(), nil, "value", Settings{Mode: Stream, Seed: 3, PerDay: 20}, Options{NewShare: 0.25})
	firstVisits(m, 20, 20)
	v := m.planner.Policy.(*value)
	v.price = 0.9
	var waiting []sitegraph.PageID
	for p := range m.records {
		if m.records[p].State == sitegraph.StateNew {
			waiting = append(waiting, sitegraph.PageID(p))
		}
	}
	if len(waiting) < 10 {
		t.Fatalf("%d pages wait, want some to ask about", len(waiting))
	}
	asked := 0
	for day := range 3 * doubtDays {
		v.now++
		for _, p := range waiting {
			if _, worth := v.Expect(p); worth {
				v.first(p, true)
				asked++
			}
		}
		if most := 1 + day/doubtDays + 1; asked > most {
			t.Fatalf("%d asked for by day %d, want at most %d", asked, day, most)
		}
	}
	if asked < 3 {
		t.Errorf("%d asked for in %d days, want one each %d", asked, 3*doubtDays, doubtDays)
	}
}

// Pages of a new folder are found though all other folders of the server proved dead, and though pages that bring new
// ones are worth more than a first visit.
func TestFreshFolder(t *testing.T) {
	w, root := withList()
	for i := range 200 {
		dead := w.add(3, fmt.Sprintf("http://s0.example/old%c/x%d.html", 'a'+i%20, i), false)
		dead.born, dead.died = 5, 5
		root.children = append(root.children, dead)
	}
	for i := range 60 {
		fresh := w.add(3, fmt.Sprintf("http://s0.example/fresh/x%d.html", i), false)
		fresh.born = 30
		root.children = append(root.children, fresh)
	}
	m := newSim(t, w, nil, "value", Settings{Mode: Stream, Seed: 3, PerDay: 20}, Options{NewShare: 0.25})
	fresh, dead := 0, 0
	for day := 1; day < days; day++ {
		for _, v := range m.day(day, 20) {
			switch {
			case !v.First:
			case strings.Contains(m.graph.URL(v.Page), "/fresh/"):
				fresh++
			default:
				dead++
			}
		}
	}
	if fresh != 60 || dead > 100 {
		t.Errorf("%d of 60 fresh pages were visited, want all; %d dead addresses, want at most 100 of 200", fresh, dead)
	}
}

// What links lead to by way of another address is not dead, and the price of pages that bring new ones
// keeps nobody from these.
func TestBelieved(t *testing.T) {
	m := newSim(t, withDead(), nil, "value", Settings{Mode: Stream, Seed: 3, PerDay: 20}, Options{NewShare: 0.25})
	m.day(1, 20)
	v := m.planner.Policy.(*value)
	v.price = 50
	for i := range 40 {
		p := m.graph.Add(fmt.Sprintf("http://s1.example/moved/%d.html", i))
		m.know(p)
		r := &m.records[p]
		m.corpus.Remember(r)
		if there, worth := v.Expect(p); !worth {
			t.Fatalf("address %d is not worth a visit, though there with probability %.2f", i, there)
		}
		verdict := r.Apply(sitegraph.Observation{Time: at(1), Outcome: sitegraph.OutcomeRedirected, RedirectTo: "http://s1.example/"}, sitegraph.ChangeByBytes)
		m.planner.Observe(r, verdict)
	}
}
