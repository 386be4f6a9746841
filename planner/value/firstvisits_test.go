package value

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// withList are two servers; the start page of one changes each day.
func withList() (w *simtest.World, list *simtest.Page) {
	w = simtest.NewWorld(3, 2, 60, false)
	list = w.Of["http://s0.example/"]
	list.Changes = nil
	for d := range simtest.Days {
		list.Changes = append(list.Changes, float64(d))
	}
	return w, list
}

// withDead links, from day 5 on, to 60 pages and 60 dead addresses.
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

// firstVisits plays so many days and counts first visits to dead addresses and to pages.
func firstVisits(m *simtest.Sim, days, budget int) (dead, there int) {
	for day := 1; day <= days; day++ {
		for _, v := range m.Day(day, budget) {
			switch {
			case !v.First:
			case strings.Contains(m.Graph.URL(v.Page), "/old/"):
				dead++
			default:
				there++
			}
		}
	}
	return dead, there
}

// Where addresses of a directory prove dead, the others wait, and the pages are all found; without
// that evidence it is first come, first served. What the other visits leave over is for all.
func TestFirsts(t *testing.T) {
	t.Parallel()
	skipLong(t)
	for _, c := range []struct {
		policy                  string
		leftover                bool
		budget, least, mostDead int
	}{
		{"value", false, 20, 1, 20},
		{"value-first-visits", false, 20, 60, 60},
		{"value", true, 20, 1, 20},
		{"value", true, 400, 60, 60},
	} {
		m := newSim(t, withDead(), nil, c.policy, Settings{Mode: planner.Stream, Seed: 3,
			PerDay: 20}, planner.Options{NewShare: 0.25, Leftover: c.leftover})
		dead, there := firstVisits(m, 40, c.budget)
		if there != 60 || dead < c.least || dead > c.mostDead {
			t.Errorf("%s, leftover %v, budget %d: %d visits to dead addresses, want %d to %d; %d "+
				"to pages, want 60", c.policy, c.leftover, c.budget, dead, c.least, c.mostDead,
				there)
		}
		if wait := m.Planner.Waiting(); wait != 60-dead {
			t.Errorf("%s: %d pages wait, want %d", c.policy, wait, 60-dead)
		}
		m.Options.NewShare = 1 // new pages are thought of in a round of one visit
		m.Restart()
		m.Planner.Begin(planner.Round{Number: 41, Start: simtest.At(40), End: simtest.At(41),
			Budget: 1})
		refetchable := len(m.Refetchable())
		m.Planner.Next()
		beyond := 0
		for _, u := range m.Planner.Beyond() {
			beyond += u.Pages
		}
		if want := refetchable + 60 - dead - 1; beyond != want {
			t.Errorf("%s: %d pages are beyond a budget of one visit, want %d",
				c.policy, beyond, want)
		}
	}
}

// A process that begins anew knows from the corpus which addresses were dead; and what is there
// again after all is believed in after a few visits.
func TestExpect(t *testing.T) {
	m := newSim(t, withDead(), nil, "value", Settings{Mode: planner.Stream, Seed: 3, PerDay: 20},
		planner.Options{NewShare: 0.25})
	firstVisits(m, 20, 20)
	old, news := m.Link("http://s0.example/old/y.html"), m.Link("http://s0.example/news/y.html")
	for _, restarted := range []bool{false, true} {
		if restarted {
			m.Restart()
			m.Planner.Begin(planner.Round{Number: 21, Start: simtest.At(20), End: simtest.At(21),
				Budget: 20})
		}
		v := m.Planner.Policy.(*Policy)
		if there := v.Expect(old); there > 0.3 {
			t.Errorf("restarted %v: an address among dead ones is there with probability %.2f",
				restarted, there)
		}
		if there, takes := v.Expect(news), v.TakesFirst(news); there < 0.8 || !takes {
			t.Errorf("restarted %v: one among pages is there with probability %.2f, worth a "+
				"visit: %v", restarted, there, takes)
		}
	}
	v := m.Planner.Policy.(*Policy)
	for range 12 {
		v.first(old, false)
	}
	if there := v.Expect(m.Link("http://s0.example/old/z.html")); there < 0.6 {
		t.Errorf("after 12 pages that were there it is %.2f", there)
	}
}

// What a process that begins anew believes does not hang on which addresses became known first.
func TestExpectWhateverCameFirst(t *testing.T) {
	const like = 40
	expect := func(order func(i int) int) float64 {
		g := sitegraph.NewGraph()
		c := planner.NewCorpus(g)
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
		v := New(Settings{Corpus: c, Mode: planner.Stream})
		v.Begin(planner.Round{Number: 21, Start: simtest.At(20), End: simtest.At(21), Budget: 20})
		return v.Expect(p)
	}
	forth := expect(func(i int) int { return i })
	back := expect(func(i int) int { return like - 1 - i })
	if math.Abs(forth-back) > 1e-6 || forth < 0.3 || forth > 0.7 {
		t.Errorf("of %d addresses, half of them dead, another one is there with probability "+
			"%.3f, and %.3f when they became known the other way round; want the same, about a half", like, forth, back)
	}
}

// One directory of many addresses does not drown what is known of the few of one shape in it, after
// a restart either.
func TestExpectOfFew(t *testing.T) {
	m := newSim(t, withDead(), nil, "value", Settings{Mode: planner.Stream, Seed: 3, PerDay: 20},
		planner.Options{NewShare: 0.25})
	m.Day(1, 20)
	know := func(i int, shape string, state sitegraph.State) sitegraph.PageID {
		p := m.Link("http://s1.example/big/" + fmt.Sprintf(shape, i))
		r := &m.Records[p]
		if r.State, r.Tried = state, simtest.At(1); state == sitegraph.StateAlive {
			r.History = sitegraph.Start(simtest.At(1))
		}
		m.Corpus.Remember(r)
		return p
	}
	for i := range 2000 {
		know(i, "old%d.html", sitegraph.StateGone)
	}
	for i := range 30 {
		know(i, "p%d.pdf", sitegraph.StateAlive)
	}
	next := know(31, "p%d.pdf", sitegraph.StateNew)
	m.Restart()
	m.Planner.Begin(planner.Round{Number: 2, Start: simtest.At(1), End: simtest.At(2), Budget: 20})
	v := m.Planner.Policy.(*Policy)
	before := v.Expect(next)
	v.first(next, false)
	after := v.Expect(next)
	if before < 0.4 || after < before || after > before+0.1 {
		t.Errorf("among 2000 dead pages of another shape and 30 of its own that are there it is "+
			"there with probability %.2f, and %.2f after one more of them; want more than 0.4, "+
			"and little more then", before, after)
	}
}

// Of addresses that are believed dead one at each server is asked for now and then.
func TestDoubt(t *testing.T) {
	m := newSim(t, withDead(), nil, "value", Settings{Mode: planner.Stream, Seed: 3, PerDay: 20},
		planner.Options{NewShare: 0.25})
	firstVisits(m, 20, 20)
	v := m.Planner.Policy.(*Policy)
	v.price = 0.9
	var waiting []sitegraph.PageID
	for p := range m.Records {
		if m.Records[p].State == sitegraph.StateNew {
			waiting = append(waiting, sitegraph.PageID(p))
		}
	}
	if len(waiting) < 10 {
		t.Fatalf("%d pages wait, want some to ask about", len(waiting))
	}
	asked := 0
	for day := range 3 * trialDays {
		v.now++
		for _, p := range waiting {
			if v.TakesFirst(p) {
				v.first(p, true)
				asked++
			}
		}
		if most := 1 + day/trialDays + 1; asked > most {
			t.Fatalf("%d asked for by day %d, want at most %d", asked, day, most)
		}
	}
	if asked < 3 {
		t.Errorf("%d asked for in %d days, want one each %d", asked, 3*trialDays, trialDays)
	}
}

// A process that begins anew each day does not ask anew for a doubtful page each day.
func TestDoubtRestarted(t *testing.T) {
	if testing.Short() {
		t.Skip("work of one goroutine, which the race detector has nothing to say of")
	}
	asked := [2]int{}
	for i := range asked {
		m := newSim(t, withDead(), nil, "value",
			Settings{Mode: planner.Stream, Seed: 3, PerDay: 20}, planner.Options{NewShare: 0.25})
		firstVisits(m, 10, 20)
		for day := 11; day < simtest.Days; day++ {
			if i == 1 {
				m.Restart()
			}
			m.Planner.Begin(planner.Round{Number: day, Start: simtest.At(day - 1),
				End: simtest.At(day), Budget: 20})
			m.Planner.Policy.(*Policy).price = 0.9
			for v, ok := m.Planner.Next(); ok; v, ok = m.Planner.Next() {
				if strings.Contains(m.Graph.URL(v.Page), "/old/") {
					asked[i]++
				}
				r := &m.Records[v.Page]
				m.Planner.Observe(r, r.Apply(m.World.Observe(m.Graph.URL(v.Page), day),
					sitegraph.ChangeByBytes))
			}
		}
	}
	if asked[1] > asked[0]+1 || asked[0] == 0 {
		t.Errorf("in %d days %d dead addresses were asked for, and %d by a process that begins "+
			"anew each day", simtest.Days-11, asked[0], asked[1])
	}
}

// To ask for a page of a folder that nobody asked for does not take the turn of those like others,
// nor they its.
func TestDoubtStrange(t *testing.T) {
	m := newSim(t, withDead(), nil, "value", Settings{Mode: planner.Stream, Seed: 3, PerDay: 20},
		planner.Options{NewShare: 0.25})
	firstVisits(m, 20, 20)
	v := m.Planner.Policy.(*Policy)
	v.price = 0.9
	odd := m.Link("http://s0.example/odd/x.html")
	v.grow()
	for _, e := range []*evidence{&v.groups.all, v.groups.groupsToTell(odd).server,
		v.groups.groupsToTell(odd).section} {
		// so that strange ones are doubted, too
		e.firstVisits, e.dead = firstVisitsKept, firstVisitsKept
	}
	ask := func(path string, later float32, want bool) {
		t.Helper()
		v.now += later
		p := m.Link("http://s0.example/" + path)
		if takes := v.TakesFirst(p); takes != want {
			t.Errorf("%s, %g days later: worth a visit: %v, want %v", path, later, takes, want)
		} else if takes {
			v.first(p, true)
		}
	}
	ask("old/y.html", 2*trialDays, true)
	ask("odda/x.html", 1, true)
	ask("oddb/x.html", unfamiliarDays-1, false)
	ask("oddb/x.html", 1, true)
	ask("old/z.html", trialDays-unfamiliarDays-2, false)
	ask("old/z.html", 1, true)
}

// Pages of a new folder are found though all other folders of the server proved dead, and though
// pages that bring new ones are worth more than a first visit.
func TestFreshFolder(t *testing.T) {
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
	m := newSim(t, w, nil, "value", Settings{Mode: planner.Stream, Seed: 3, PerDay: 20},
		planner.Options{NewShare: 0.25})
	fresh, dead := 0, 0
	for day := 1; day < simtest.Days; day++ {
		for _, v := range m.Day(day, 20) {
			switch {
			case !v.First:
			case strings.Contains(m.Graph.URL(v.Page), "/fresh/"):
				fresh++
			default:
				dead++
			}
		}
	}
	if fresh != 60 || dead > 100 {
		t.Errorf("%d of 60 fresh pages were visited, want all; %d dead addresses, want at most "+
			"100 of 200", fresh, dead)
	}
}

// What links lead to by way of another address is not dead.
func TestBelieved(t *testing.T) {
	m := newSim(t, withDead(), nil, "value", Settings{Mode: planner.Stream, Seed: 3, PerDay: 20},
		planner.Options{NewShare: 0.25})
	m.Day(1, 20)
	v := m.Planner.Policy.(*Policy)
	for i := range 40 {
		p := m.Link(fmt.Sprintf("http://s1.example/moved/%d.html", i))
		r := &m.Records[p]
		if there := v.Expect(p); there < surelyThere {
			t.Fatalf("address %d is there with probability %.2f, though none like it is dead",
				i, there)
		}
		verdict := r.Apply(sitegraph.Observation{Time: simtest.At(1),
			Outcome: sitegraph.OutcomeRedirected, RedirectTo: "http://s1.example/"},
			sitegraph.ChangeByBytes)
		m.Planner.Observe(r, verdict)
	}
}

// The first visit to an address is worth most of a change found, times the chance that it is there.
func TestTakesFirst(t *testing.T) {
	for _, c := range []struct {
		dead, visits float32 // of its shape
		weight       float64
		price        float64
		want         bool
	}{
		{1, 4, 1, 0.7, true}, // 0.8, as at the rest of the server all were there
		{1, 4, 1, 0.75, false},
		{1, 4, 3, 2, true}, // by its weight
		{1, 4, 0.5, 0.75, false},
		{0, 0, 1, 0.89, true},   // surely
		{1, 10, 1, 0.95, false}, // 0.91
		{16, 16, 1, 0.1, false},
		{16, 16, 1, 0, true}, // no price is known
	} {
		h := newHandDriven(t, "value")
		p := h.corpus.Graph.Add("http://s0.example/new/x1.html")
		h.corpus.SetWeights(
			preferences.NewWeights([]preferences.WeightRule{{Prefix: "http://s0.example/new/",
				Weight: c.weight}}))
		h.begin(1)
		v := h.policy
		shape := v.groups.groupsToTell(p).shape
		shape.dead, shape.firstVisits = c.dead, c.visits
		v.price = c.price
		v.discovery.servers[0].trials.answered = [2]float32{v.now, v.now} // it is nobody's turn
		if got := v.TakesFirst(p); got != c.want {
			t.Errorf("%g of %g dead, weight %g, price %g: worth a visit %v, there with "+
				"probability %.3f", c.dead, c.visits, c.weight, c.price, got, v.Expect(p))
		}
	}
}

// Where the price is too high an address that is there as good as surely has its turn within
// turnDays, whatever the rounds, also after a restart, and keeps it until it was visited; not all
// have it at once.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		name          string
		round, apart  time.Duration // length, and from the begin of one to that of the next
		restart, none bool          // before each round; no new page may be visited on odd days
	}{
		{"days", planner.Day, planner.Day, false, false},
		{"eight hours", planner.Day / 3, planner.Day / 3, false, false},
		{"an hour a day", time.Hour, planner.Day, false, false},
		{"an hour a day, each a process", time.Hour, planner.Day, true, false},
		{"a day a week", planner.Day, 7 * planner.Day, false, false},
		{"no room", planner.Day, planner.Day, false, true},
	} {
		h := newHandDriven(t, "value")
		var pages []sitegraph.PageID
		for i := range 5 * turnDays {
			pages = append(pages,
				h.corpus.Graph.Add(fmt.Sprintf("http://s0.example/new/x%d.html", i)))
		}
		first := make([]int, len(pages)) // the day of the turn
		most := 0
		for round, start := 1, simtest.At(0); start.Before(simtest.At(turnDays + 8)); round,
			start = round+1, start.Add(c.apart) {
			end := start.Add(c.round)
			if c.restart {
				h.start("value")
			}
			h.corpus.Begin(planner.Round{Number: round, Start: start, End: end})
			h.policy.Begin(h.corpus.Round())
			h.policy.price = 50
			day, atOnce := int(end.Sub(simtest.At(0))/planner.Day)+1, 0
			for i, p := range pages {
				switch {
				case c.none && day%2 == 1:
				case h.policy.TakesFirst(p):
					if first[i] == 0 {
						first[i] = day
						atOnce++
					}
				case first[i] != 0 && !c.restart:
					t.Fatalf("%s: page %d had its turn on day %d, and was not visited; on day %d "+
						"it is told to wait", c.name, i, first[i], day)
				}
			}
			most = max(most, atOnce)
			h.visit(0, day, false)
			h.records[0].Tried = end
			h.corpus.Remember(&h.records[0])
		}
		if slices.Min(first) == 0 || slices.Max(first) > turnDays+8 {
			t.Errorf("%s: of %d pages %d had no turn; the last came on day %d",
				c.name, len(pages), count(first, 0), slices.Max(first))
		}
		if c.apart <= planner.Day && !c.none && most > 20 {
			t.Errorf("%s: %d of %d pages have their turn at once", c.name, most, len(pages))
		}
		v := h.policy
		v.discovery.newPages[pages[0]] = newPage{asked: v.now} // it was not its turn just now
		if v.TakesFirst(pages[0]) {
			t.Errorf("%s: a page has its turn though it was told to wait at the same moment",
				c.name)
		}
		for _, doubtful := range []bool{false, true} { // only what is there as good as surely
			shape := v.groups.groupsToTell(pages[1]).shape
			if shape.firstVisits = 10; doubtful {
				shape.dead = 2
			}
			v.discovery.newPages[pages[1]] = newPage{asked: v.now - 2*turnDays}
			v.discovery.servers[0].trials.answered = [2]float32{v.now, v.now}
			if got := v.TakesFirst(pages[1]); got == doubtful {
				t.Errorf("%s: there with probability %.3f: has its turn %v",
					c.name, v.Expect(pages[1]), got)
			}
		}
	}
}

func count(all []int, x int) (n int) {
	for _, y := range all {
		if x == y {
			n++
		}
	}
	return n
}
