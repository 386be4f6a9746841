package planner

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// ebayes goes by the probability of change at the round's end, recomputed here from the
// records: a gamma prior of shape 1/2 whose mean is the rate of all pages, two changes
// at the default rate added, and the zero class of its negative binomial.
func TestEBayesOrder(t *testing.T) {
	for seed := range uint64(6) {
		w := newWorld(seed, 2, 60, true)
		m := newSim(t, w, nil, "ebayes", Settings{Mode: Stream, Seed: seed, PerDay: 12}, Options{NewShare: 0.25})
		probability := func(r *sitegraph.Record, prior float64, day int) float64 {
			const day1 = 86400.0
			shape := 0.5 + float64(r.History.Changes)
			watched := prior + float64(r.History.Last-r.History.Epoch)/day1
			age := float64(at(day).Unix()-int64(r.History.Last)) / day1
			return 1 - math.Pow(watched/(watched+age), shape)
		}
		for day := 1; day <= 25; day++ {
			changes, watched := 2.0, 2/(0.5/131)
			for i := range m.records {
				changes += float64(m.records[i].History.Changes)
				watched += float64(m.records[i].History.Last-m.records[i].History.Epoch) / 86400
			}
			prior := 0.5 / (changes / watched)
			lowest := 1.0
			m.onVisit = func(v Visit) {
				if v.First {
					return
				}
				want := probability(&m.records[v.Page], prior, day)
				if math.Abs(v.Probability-want) > 1e-9 || v.Value != v.Probability {
					t.Fatalf("seed %d, day %d, %s: probability %g, value %g, want %g", seed, day, m.graph.URL(v.Page), v.Probability, v.Value, want)
				}
				if v.Probability > lowest {
					t.Fatalf("seed %d, day %d: probability %g after %g", seed, day, v.Probability, lowest)
				}
				lowest = v.Probability
			}
			m.day(day, 12)
			for _, p := range m.refetchable() {
				if left := probability(&m.records[p], prior, day); left > lowest+1e-9 {
					t.Fatalf("seed %d, day %d: %s with probability %g is left, and one with %g was visited", seed, day, m.graph.URL(p), left, lowest)
				}
			}
		}
	}
}

// A page is due when its probability reaches that of the last page that fits into the budget.
func TestEBayesDue(t *testing.T) {
	w := newWorld(3, 2, 60, false)
	m := newSim(t, w, nil, "ebayes", Settings{Mode: Stream, Seed: 3, PerDay: 12}, Options{})
	var lowest float64
	m.onVisit = func(v Visit) { lowest = v.Probability }
	for day := 1; day <= 40; day++ {
		m.day(day, 12)
	}
	e := m.planner.Policy.(*ebayes)
	if math.Abs(e.threshold-lowest) > 0.1 {
		t.Errorf("threshold %g after 40 days, the last page of the budget had %g", e.threshold, lowest)
	}
	early, late := 0, 0
	for p := range sitegraph.PageID(m.corpus.Pages()) {
		due, interval := e.Due(p, at(40))
		if due.When.Sub(m.corpus.Memory(p).History.LastVisit()) < 400*24*time.Hour {
			h := m.corpus.Memory(p).History
			if got := e.prior.Posterior(h).Probability(h.Age(due.When.Add(time.Second))); math.Abs(got-e.threshold) > 1e-3 {
				t.Errorf("%s: probability %g when it is due, want %g", m.graph.URL(p), got, e.threshold)
			}
		}
		if interval <= 0 {
			t.Errorf("%s: interval %v", m.graph.URL(p), interval)
		}
		if due.When.Before(at(42)) {
			early++
		} else {
			late++
		}
	}
	if early == 0 || late == 0 {
		t.Errorf("%d pages are due within two days, %d later: want both", early, late)
	}
}

// interval visits by due time, the earliest first, then early those whose wait is over by the
// largest share, and always uses its budget.
func TestIntervalOrder(t *testing.T) {
	late, early := 0, 0
	for seed := range uint64(6) {
		w := newWorld(seed, 2, 60, false)
		m := newSim(t, w, rand.New(rand.NewPCG(seed, 0)), "interval", Settings{Mode: Stream, Seed: seed, PerDay: 12}, Options{})
		m.planner.Begin(Round{Number: 0, Start: at(0), End: at(0), Budget: 0})
		checkFirstDue(m, 120.0/12)
		type turn struct {
			due  int64   // unix seconds; of an early page, that of none
			left float64 // share of its wait that is left
		}
		turnOf := func(p sitegraph.PageID, day int) turn {
			memory := m.corpus.Memory(p)
			if due := int64(memory.Due); due <= at(day).Unix() {
				return turn{due: due}
			}
			waited, wait := at(day).Sub(memory.History.LastVisit()).Seconds(), float64(memory.Due-memory.History.Last)
			return turn{math.MaxInt64, 1 - waited/wait}
		}
		for day := 1; day <= 40; day++ {
			var want, got []turn
			for p := range sitegraph.PageID(m.corpus.Pages()) {
				want = append(want, turnOf(p, day))
			}
			slices.SortFunc(want, func(a, b turn) int { return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.left, b.left)) })
			m.onVisit = func(v Visit) { got = append(got, turnOf(v.Page, day)) }
			m.day(day, 12)
			for i := range got {
				if got[i].due != want[i].due || math.Abs(got[i].left-want[i].left) > 1e-9 {
					t.Fatalf("seed %d, day %d: turns %v, want the first 12, %v", seed, day, got, want[:12])
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

// checkFirstDue: pages that became known together are due uniformly over their first interval.
func checkFirstDue(m *sim, cycleDays float64) {
	m.Helper()
	sum := 0.0
	for p := range sitegraph.PageID(m.corpus.Pages()) {
		wait := float64(int64(m.corpus.Memory(p).Due)-at(0).Unix()) / 86400
		if wait < 0 || wait > cycleDays {
			m.Errorf("%s: first due after %g days of a cycle of %g", m.graph.URL(p), wait, cycleDays)
		}
		sum += wait / cycleDays
	}
	n := float64(m.corpus.Pages())
	if mean := sum / n; math.Abs(mean-0.5) > 4.5/math.Sqrt(12*n) {
		m.Errorf("seed %d: pages are first due after %g of the cycle on average, want about half", m.seed, mean)
	}
}

// A page that is overdue stays overdue when the store asks again, as it does each round.
func TestIntervalDueFromTheVisit(t *testing.T) {
	l := newLettered(t, map[string]string{"R": "/", "A": "/a"}, "R>A", rand.New(rand.NewPCG(1, 0)))
	policy, err := NewPolicy("interval", Settings{Corpus: l.corpus, Mode: Stream, PerDay: 1})
	if err != nil {
		t.Fatal(err)
	}
	l.planner = New(l.corpus, policy, Options{})
	for day := 1; day <= 10; day++ {
		l.round(day, 2, map[bool]string{true: "A"}[day == 3 || day == 7], "")
	}
	a := l.page["A"]
	due, interval := l.planner.Due(a, at(10)) // [SAT eq. 1]: 4.481 days
	if got := due.When.Sub(at(10)); got != interval || math.Abs(got.Hours()/24-4.481) > 0.001 {
		t.Errorf("due %v after the visit, interval %v; want 4.481 days", got, interval)
	}
	if later, _ := l.planner.Due(a, at(12)); !later.When.Equal(due.When) {
		t.Errorf("asked two days later it is due at %v, want still %v", later.When, due.When)
	}
	if late, _ := l.planner.Due(a, at(30)); !late.When.After(at(30)) || late.When.After(at(30).Add(time.Minute)) {
		t.Errorf("overdue at %v, it is due at %v; want at once", at(30), late.When)
	}
}

// breadth-first goes by depth, and in a stream round and round.
func TestBreadthFirstOrder(t *testing.T) {
	l := newLettered(t, fx4a, fx4Edges, rand.New(rand.NewPCG(5, 0)))
	policy, err := NewPolicy("breadth-first", Settings{Corpus: l.corpus, Mode: Stream, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	l.planner = New(l.corpus, policy, Options{})
	depths := ""
	for day := 1; day <= 9; day++ {
		for _, letter := range l.round(day, 4, "", "") {
			depths += string(rune('0' + l.corpus.Graph.Depth(l.page[string(letter)])))
		}
	}
	if want := "122333445"; depths != want+want+want+want {
		t.Errorf("depths in the order of visits: %s, want %s four times", depths, want)
	}
}

// The clairvoyant comes to all changed pages before the first unchanged one.
func TestClairvoyantOrder(t *testing.T) {
	w := newWorld(2, 2, 60, false)
	m := newSim(t, w, nil, "clairvoyant", Settings{Mode: Sweep, Seed: 2}, Options{})
	unchanged, changed := false, 0
	m.onVisit = func(v Visit) {
		if v.Probability == 0 {
			unchanged = true
		} else if changed++; unchanged {
			t.Errorf("%s changed and comes after one that did not", m.graph.URL(v.Page))
		}
	}
	if m.day(3, Unlimited); !unchanged || changed == 0 {
		t.Errorf("%d changed, some unchanged: %v; want both", changed, unchanged)
	}
}

// random is a new order each round, and uniform: each page is equally often among the first.
func TestRandomIsUniform(t *testing.T) {
	const pages, budget, rounds = 40, 8, 500
	w := newWorld(1, 1, pages, false)
	m := newSim(t, w, nil, "random", Settings{Mode: Stream, Seed: 1}, Options{})
	visits := map[sitegraph.PageID]int{}
	for round := 1; round <= rounds; round++ {
		m.planner.Begin(Round{Number: round, Start: at(1), End: at(2), Budget: budget})
		for v, ok := m.planner.Next(); ok; v, ok = m.planner.Next() {
			visits[v.Page]++
		}
	}
	chi2 := 0.0
	for p := range sitegraph.PageID(pages) {
		const want = rounds * budget / pages
		chi2 += (float64(visits[p]) - want) * (float64(visits[p]) - want) / want
	}
	if chi2 > 80 { // 39 degrees of freedom; drawn without replacement it is smaller still
		t.Errorf("chi-squared %.1f of visits to pages, want under 80", chi2)
	}
}
