package policy

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// ebayes ranks by the probability of change at the round's end, recomputed here from the records: a
// gamma prior of shape 1/2 whose mean is the rate of all pages, with two changes at the default
// rate added, and the zero class of its negative binomial.
func TestEBayesOrder(t *testing.T) {
	for seed := range uint64(6) {
		w := simtest.NewWorld(seed, 2, 60, true)
		m := newSim(t, w, nil, "ebayes", Settings{Mode: planner.Stream, Seed: seed, PerDay: 12},
			planner.Options{NewShare: 0.25})
		probability := func(r *sitegraph.Record, prior float64, day int) float64 {
			const day1 = 86400.0
			shape := 0.5 + float64(r.History.Changes)
			watched := prior + float64(r.History.Last-r.History.Epoch)/day1
			age := float64(simtest.At(day).Unix()-int64(r.History.Last)) / day1
			return 1 - math.Pow(watched/(watched+age), shape)
		}
		for day := 1; day <= 25; day++ {
			changes, watched := 2.0, 2/(0.5/131)
			for i := range m.Records {
				changes += float64(m.Records[i].History.Changes)
				watched += float64(m.Records[i].History.Last-m.Records[i].History.Epoch) / 86400
			}
			prior := 0.5 / (changes / watched)
			lowest := 1.0
			m.OnVisit = func(v planner.Visit) {
				if v.First {
					return
				}
				want := probability(&m.Records[v.Page], prior, day)
				if math.Abs(v.Probability-want) > 1e-9 || v.Value != v.Probability {
					t.Fatalf("seed %d, day %d, %s: probability %g, value %g, want %g",
						seed, day, m.Graph.URL(v.Page), v.Probability, v.Value, want)
				}
				if v.Probability > lowest {
					t.Fatalf("seed %d, day %d: probability %g after %g",
						seed, day, v.Probability, lowest)
				}
				lowest = v.Probability
			}
			m.Day(day, 12)
			for _, p := range m.Refetchable() {
				if left := probability(&m.Records[p], prior, day); left > lowest+1e-9 {
					t.Fatalf("seed %d, day %d: %s with probability %g is left, and one with %g "+
						"was visited", seed, day, m.Graph.URL(p), left, lowest)
				}
			}
		}
	}
}

// interval visits by due time, the earliest first, then early the pages whose wait is over by the
// largest share. It always uses its budget.
func TestIntervalOrder(t *testing.T) {
	late, early := 0, 0
	for seed := range uint64(6) {
		w := simtest.NewWorld(seed, 2, 60, false)
		m := newSim(t, w, rand.New(rand.NewPCG(seed, 0)), "interval",
			Settings{Mode: planner.Stream, Seed: seed, PerDay: 12}, planner.Options{})
		m.Planner.Begin(planner.Round{Number: 0, Start: simtest.At(0), End: simtest.At(0),
			Budget: 0})
		checkFirstDue(m, 120.0/12)
		type turn struct {
			due  int64   // unix seconds; the same for all early pages
			left float64 // share of its wait that is left
		}
		turnOf := func(p sitegraph.PageID, day int) turn {
			memory := m.Pages.Memory(p)
			waited, wait := simtest.At(day).Sub(memory.History.LastVisit()).Seconds(),
				86400*m.Planner.Policy.(*dueDriven).wait(p)
			if wait <= waited {
				return turn{due: int64(float64(memory.History.Last) + wait)}
			}
			return turn{math.MaxInt64, 1 - waited/wait}
		}
		for day := 1; day <= 40; day++ {
			var want, got []turn
			for p := range sitegraph.PageID(m.Pages.Count()) {
				want = append(want, turnOf(p, day))
			}
			slices.SortFunc(want, func(a, b turn) int {
				return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.left, b.left))
			})
			m.OnVisit = func(v planner.Visit) { got = append(got, turnOf(v.Page, day)) }
			m.Day(day, 12)
			for i := range got {
				if got[i].due != want[i].due || math.Abs(got[i].left-want[i].left) > 1e-9 {
					t.Fatalf("seed %d, day %d: turns %v, want the first 12, %v",
						seed, day, got, want[:12])
				}
				if got[i].due == math.MaxInt64 {
					early++
				} else {
					late++
				}
			}
			if len(got) != 12 {
				t.Fatalf("seed %d, day %d: %d visits of 12", seed, day, len(got))
			}
		}
	}
	if late == 0 || early == 0 {
		t.Errorf("%d visits to pages that were due, %d early: want both", late, early)
	}
}

// checkFirstDue checks that pages which became known together are due uniformly over their first
// interval.
func checkFirstDue(m *simtest.Sim, cycleDays float64) {
	m.Helper()
	sum := 0.0
	for p := range sitegraph.PageID(m.Pages.Count()) {
		wait := m.Planner.Policy.(*dueDriven).wait(p)
		if wait < 0 || wait > cycleDays {
			m.Errorf("%s: first due after %g days of a cycle of %g",
				m.Graph.URL(p), wait, cycleDays)
		}
		sum += wait / cycleDays
	}
	n := float64(m.Pages.Count())
	if mean := sum / n; math.Abs(mean-0.5) > 4.5/math.Sqrt(12*n) {
		m.Errorf("seed %d: pages are first due after %g of the cycle on average, want about half",
			m.Seed, mean)
	}
}

// A page that is overdue stays overdue when the store asks again in each round.
func TestIntervalDueFromTheVisit(t *testing.T) {
	l := simtest.NewLettered(t, map[string]string{"R": "/", "A": "/a"}, "R>A",
		rand.New(rand.NewPCG(1, 0)))
	policy, err := New("interval", Settings{Pages: l.Pages, Mode: planner.Stream})
	if err != nil {
		t.Fatal(err)
	}
	l.Planner = planner.New(l.Pages, policy, planner.Options{})
	for day := 1; day <= 10; day++ {
		l.Round(day, 2, map[bool]string{true: "A"}[day == 3 || day == 7], "")
	}
	a := l.Page["A"]
	due, interval := l.Planner.Due(a, simtest.At(10)) // [SAT eq. 1]: 4.481 days
	if got := due.When.Sub(simtest.At(10)); got != interval.Truncate(time.Second) ||
		math.Abs(got.Hours()/24-4.481) > 0.001 {
		t.Errorf("due %v after the visit, interval %v; want 4.481 days", got, interval)
	}
	if later, _ := l.Planner.Due(a, simtest.At(12)); !later.When.Equal(due.When) {
		t.Errorf("asked two days later it is due at %v, want still %v", later.When, due.When)
	}
	if late, _ := l.Planner.Due(a, simtest.At(30)); !late.When.After(simtest.At(30)) ||
		late.When.After(simtest.At(30).Add(time.Minute)) {
		t.Errorf("overdue at %v, it is due at %v; want at once", simtest.At(30), late.When)
	}
}

// breadth-first visits by depth, in a stream again and again.
func TestBreadthFirstOrder(t *testing.T) {
	l := simtest.NewLettered(t, fx4a, fx4Edges, rand.New(rand.NewPCG(5, 0)))
	policy, err := New("breadth-first", Settings{Pages: l.Pages, Mode: planner.Stream, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	l.Planner = planner.New(l.Pages, policy, planner.Options{})
	depths := ""
	for day := 1; day <= 9; day++ {
		for _, letter := range l.Round(day, 4, "", "") {
			depths += string(rune('0' + l.Pages.Graph.Depth(l.Page[string(letter)])))
		}
	}
	if want := "122333445"; depths != want+want+want+want {
		t.Errorf("depths in the order of visits: %s, want %s four times", depths, want)
	}
}

// The clairvoyant visits all changed pages before the first unchanged one.
func TestClairvoyantOrder(t *testing.T) {
	w := simtest.NewWorld(2, 2, 60, false)
	m := newSim(t, w, nil, "clairvoyant", Settings{Mode: planner.Sweep, Seed: 2}, planner.Options{})
	unchanged, changed := false, 0
	m.OnVisit = func(v planner.Visit) {
		if v.Probability == 0 {
			unchanged = true
		} else if changed++; unchanged {
			t.Errorf("%s changed and comes after one that did not", m.Graph.URL(v.Page))
		}
	}
	if m.Day(3, planner.Unlimited); !unchanged || changed == 0 {
		t.Errorf("%d changed, some unchanged: %v; want both", changed, unchanged)
	}
}

// random has a new uniform order in each round: each page is equally often among the first.
func TestRandomIsUniform(t *testing.T) {
	const pages, budget, rounds = 40, 8, 500
	w := simtest.NewWorld(1, 1, pages, false)
	m := newSim(t, w, nil, "random", Settings{Mode: planner.Stream, Seed: 1}, planner.Options{})
	visits := map[sitegraph.PageID]int{}
	for round := 1; round <= rounds; round++ {
		m.Planner.Begin(planner.Round{Number: round, Start: simtest.At(1), End: simtest.At(2),
			Budget: budget})
		for v, ok := m.Planner.Next(); ok; v, ok = m.Planner.Next() {
			visits[v.Page]++
		}
	}
	chi2 := 0.0
	for p := range sitegraph.PageID(pages) {
		const want = rounds * budget / pages
		chi2 += (float64(visits[p]) - want) * (float64(visits[p]) - want) / want
	}
	if chi2 > 80 { // 39 degrees of freedom; draws without replacement give less
		t.Errorf("chi-squared %.1f of visits to pages, want under 80", chi2)
	}
}
