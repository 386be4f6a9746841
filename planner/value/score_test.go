package value

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/hints"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// Pages that are scored at once get the same scores as one by one, to the bit, whatever evidence is
// denied, whatever is claimed and learnt.
func TestRateAll(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("work of one goroutine, which the race detector has nothing to say of")
	}
	ruled := func(string) *Model { return NewModel() } // that knows nothing
	for _, policy := range append(Ablations(), "value") {
		for _, s := range []Settings{{Mode: planner.Sweep}, {Mode: planner.Stream},
			{Mode: planner.Stream, ModelOf: ruled}} {
			s.Seed, s.PerDay = 2, 20
			m := newSim(t, simtest.NewWorld(5, 4, 60, true), nil, policy, s, planner.Options{})
			for day := 1; day <= 12; day++ {
				m.Day(day, 20)
			}
			v := m.Planner.Policy.(*Policy)
			shared, claimed := 0, 0
			for s := range sitegraph.ServerID(m.Graph.Servers()) {
				pages := slices.Clone(m.Graph.ServerPages(s))
				claim(m, s, pages[len(pages)/2:])
				v.grow()
				for n := 1; len(pages) > 0; n = n%len(v.batch.pages) + 1 {
					var b batch
					for ; b.n < min(n, len(pages)); b.add(pages[b.n]) {
						if b.n > 0 && v.groups.alike(pages[b.n], pages[b.n-1]) {
							shared++
						}
						if v.claimed(pages[b.n]) != 0 {
							claimed++
						}
					}
					pages = pages[b.n:]
					v.rateAll(&b)
					for _, p := range b.all() {
						got := v.scores[p]
						v.rate(p)
						if want := v.scores[p]; got != want {
							t.Fatalf("%s, %s: %v at once, %v alone",
								policy, m.Graph.URL(p), got, want)
						}
					}
				}
			}
			if shared == 0 {
				t.Errorf("%s: no page shares what its groups tell with the one before", policy)
			}
			if claims := v.Without != WithoutClaims; claims != (claimed > 0) {
				t.Errorf("%s: %d pages are claimed to have changed", policy, claimed)
			}
		}
	}
}

// claim lets a sitemap of a server, most of whose claims proved true, say that pages changed just
// now.
func claim(m *simtest.Sim, s sitegraph.ServerID, pages []sitegraph.PageID) {
	source := m.Link("http://" + m.Graph.ServerName(s) + "/sitemap.xml")
	r := &m.Records[source]
	now := m.Corpus.Round().End
	r.State, r.History = sitegraph.StateSource, sitegraph.Start(now)
	m.Corpus.Remember(r)
	var said []hints.Claim
	for _, p := range pages {
		said = append(said, hints.Claim{Page: p, Modified: now})
	}
	m.Corpus.Hints.Update(source, hints.Sitemap, said, true)
	if err := m.Corpus.Hints.Restore(s,
		[]byte(`{"sitemap":{"true":50,"false":5,"missed":5,"same":200}}`)); err != nil {
		m.Fatal(err)
	}
}

// A batch of the first pages of a server is scored anew, the best of it is taken, and then the
// next, as long as none of the others may be better by what became of those before; a visit that
// was not expected makes them doubtful again. Entries that are good no more count for nothing, and
// no page is taken twice or lost.
func TestBest(t *testing.T) {
	const overrated = 1.2 // times; less than leastStays allows for
	for seed := range uint64(20) {
		m := newSim(t, simtest.NewWorld(seed, 1, 60, false), nil, "value",
			Settings{Mode: planner.Stream, Seed: seed, PerDay: 10}, planner.Options{})
		for day := 1; day <= 15; day++ {
			m.Day(day, 10)
		}
		v := m.Planner.Policy.(*Policy)
		v.Begin(planner.Round{Number: 16, Start: simtest.At(15), End: simtest.At(16), Budget: 10})
		of := &v.rankings.of[0]
		of.pages.All = nil
		worth := map[sitegraph.PageID]float32{}
		var pages []sitegraph.PageID
		for _, p := range m.Graph.ServerPages(0) {
			if v.open(p) {
				v.rate(p)
				pages, worth[p] = append(pages, p), v.worth(p)
			}
		}
		slices.SortFunc(pages, func(p, q sitegraph.PageID) int {
			return cmp.Compare(worth[q], worth[p])
		})
		for i, p := range pages {
			of.pages.Push(standing{Score: 100, Tie: v.ties.Of(p), Page: p}) // good no more
			v.scores[p].worth *= overrated
			for range 1 + i%3 {
				of.pages.Push(v.standing(p))
			}
		}
		lanes := len(v.batch.pages)
		taken := map[sitegraph.PageID]bool{}
		overratedLeft := func() (n int) {
			for _, p := range pages {
				if !taken[p] && v.worth(p) != worth[p] {
					n++
				}
			}
			return n
		}
		for i := range pages {
			if i == 3 {
				v.doubt(0, 2*patience)
				for i := range of.fresh.All {
					c := &of.fresh.All[i]
					v.scores[c.Page].worth *= 2
					c.Score = v.worth(c.Page)
				}
			}
			before := overratedLeft()
			p, ok := of.take(&v.ranker)
			if !ok || taken[p] || v.worth(p) != worth[p] {
				t.Fatalf("seed %d, %d taken: page %d, worth %g, %v", seed, i, p, worth[p], ok)
			}
			taken[p] = true
			if first := worth[pages[0]]; i == 0 && worth[p] != first {
				t.Fatalf("seed %d: page %d is the first, worth %g, want %g",
					seed, p, worth[p], first)
			}
			v.scores[p].again = 0 // it is visited
			if scored := before - overratedLeft(); i < lanes && (i == 0 || i == 3) != (scored > 0) {
				t.Errorf("seed %d: %d pages are scored anew after %d were taken", seed, scored, i)
			}
		}
		if p, ok := of.take(&v.ranker); ok {
			t.Errorf("seed %d: page %d is left", seed, p)
		}
	}
}

// Where there are many fresh scores, those of the best pages are made anew and the others are fresh
// no more; none is lost.
func TestFreshAreFew(t *testing.T) {
	v, open, _ := heardOf(t, 2*mostFresh)
	of := &v.rankings.of[0]
	of.pages.All = nil
	for _, p := range open {
		of.fresh.Push(v.standing(p))
	}
	if _, ok := of.take(&v.ranker); !ok || len(of.fresh.All) >= 2*len(v.batch.pages) ||
		len(of.fresh.All)+len(of.pages.All) != len(open)-1 {
		t.Errorf("%d fresh scores and %d others of %d pages", len(of.fresh.All), len(of.pages.All),
			len(open)-1)
	}
}

// After each visit every server with pages left is ranked, no lower than the best of its fresh
// scores. A sweep goes by scores made now; in a stream visits make scores doubtful, and those not
// made anew are discounted, within bounds.
func TestServersStayRanked(t *testing.T) {
	for _, mode := range []planner.Mode{planner.Sweep, planner.Stream} {
		doubted, discounted := false, false
		for _, perServer := range []int{3, 12, 40} {
			for seed := range uint64(4) {
				m := newSim(t, simtest.NewWorld(seed, 6, perServer, false), nil, "value",
					Settings{Mode: mode, Seed: seed, PerDay: 30}, planner.Options{})
				for day := 1; day <= 6; day++ {
					m.Day(day, 30)
				}
				v := m.Planner.Policy.(*Policy)
				m.OnVisit = func(visit planner.Visit) {
					if want := v.Probability(visit.Page, simtest.At(7)); mode == planner.Sweep &&
						visit.Probability != want {
						t.Fatalf("page %d is visited at %g, now it is %g",
							visit.Page, visit.Probability, want)
					}
					ranked := map[sitegraph.PageID]bool{}
					for _, s := range v.rankings.servers.All {
						if s.Score == v.rankings.of[s.Page].lead {
							ranked[s.Page] = true
						}
					}
					for s := range v.rankings.of {
						of := &v.rankings.of[s]
						doubted = doubted || of.surprise > 0
						discounted = discounted || of.retention < 1
						if of.retention < leastStays || of.retention > 1 {
							t.Fatalf("mode %v: pages of server %d are expected to keep %g of "+
								"their worth", mode, s, of.retention)
						}
						lead, ok := of.best(&v.ranker)
						if fresh, _ := v.top(&of.fresh); ok &&
							(!ranked[sitegraph.PageID(s)] || of.lead < fresh.Score) {
							t.Fatalf("mode %v, %d pages a server: server %d is ranked %v by %g, "+
								"its best are worth %g",
								mode, perServer, s, ranked[sitegraph.PageID(s)], of.lead, lead)
						}
					}
				}
				m.Day(7, 100)
			}
		}
		if !doubted || discounted != (mode == planner.Stream) {
			t.Errorf("mode %v: scores were doubtful %v, others discounted %v",
				mode, doubted, discounted)
		}
	}
}

// Where copies are worth something, a page below the price is scored again before it comes to it,
// and not long before: its rate is taken to stay as it is.
func TestNoteWithCopies(t *testing.T) {
	v, open, _ := heardOf(t, 10)
	p := open[0]
	v.cycle = 20
	for price := 0.1; price < 2; price *= 1.5 {
		v.price = price
		for probability := float32(0.005); probability < 0.9; probability *= 1.5 {
			for age := float32(2); age < 100; age *= 2 {
				v.calibrator = calibrator{}
				v.note(p, probability, 1, age, 1)
				wait := v.scores[p].again - v.now
				x := -math.Log1p(float64(-probability)) * float64((age+wait)/age)
				then := gainOf(&v.scorer, float32(-math.Expm1(-x)), age+wait, 1)
				if below := gainOf(&v.scorer, probability, age, 1) < 0.8*float32(price); below &&
					wait > 1 && then > 1.1*float32(price) {
					t.Errorf("price %g, probability %g, %g days old: worth %g after %g days",
						price, probability, age, then, wait)
				} else if below && wait > 1 && wait < min(29, 2.9*age) &&
					then < 0.5*float32(price) {
					t.Errorf("price %g, probability %g, %g days old: worth no more than %g after "+
						"%g days", price, probability, age, then, wait)
				}
			}
		}
	}
}

// A page is scored again when it may come to the price, or be worth a quarter more; in 1 to 30
// days, whatever its weight, and below the price before it is four times as old.
func TestNote(t *testing.T) {
	v, open, _ := heardOf(t, 10)
	v.cycle = 0 // copies are worth nothing
	p := open[0]
	for _, c := range []struct {
		price            float64
		raw, age, waited float32
	}{
		{0.1, 0.01, 4, 12}, {0.1, 0.01, 2, 6}, {0.1, 0, 0, 1}, {0.1, 0, 1, 3}, {0.1, 0.05, 10, 7},
		{0.1, 0.08, 2, 1},
		{0.1, 0.1, 10, 2.78}, {0.1, 0.5, 20, 10}, {0.1, 0.99, 10, 30}, {0.1, 0.5, 1, 1},
		{math.NaN(), 0.01, 4, 1}, {math.NaN(), 0.99, 10, 1},
	} {
		v.price = c.price
		v.calibrator = calibrator{}
		v.note(p, c.raw, 1, c.age, 0)
		if got := v.scores[p].again - v.now; !near(got, c.waited, 0.02) {
			t.Errorf("price %g, probability %g, %g days old: again after %g days, want %g",
				c.price, c.raw, c.age, got, c.waited)
		}
	}
	v.price = 0.1
	v.exact = true
	for age, want := range map[float32]float32{4: 12, 20: 30} {
		if v.note(p, 0.01, 1, age, 0); !near(v.scores[p].again-v.now, want, 0.02) {
			t.Errorf("exact, %g days old: again after %g days, want %g",
				age, v.scores[p].again-v.now, want)
		}
	}
	v.exact = false
	v.Corpus.SetWeights(
		preferences.NewWeights([]preferences.WeightRule{{Prefix: "http://", Weight: 0}}))
	for _, age := range []float32{0, 1} {
		v.note(p, 0.5, 1, age, 0)
		if got := v.scores[p].again - v.now; !(got >= 1 && got <= 30) {
			t.Errorf("weight 0, %g days old: again after %g days", age, got)
		}
	}
}
