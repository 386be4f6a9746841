package planner

import (
	"cmp"
	"slices"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// Pages that are scored at once get the same scores as one by one, to the bit, whatever evidence is denied, whatever is
// claimed and learnt.
func TestRateAll(t *testing.T) {
	ruled := func(string) *Model { return NewModel() } // that knows nothing
	for _, policy := range append(Ablations(), "value") {
		for _, s := range []Settings{{Mode: Sweep}, {Mode: Stream}, {Mode: Stream, ModelOf: ruled}} {
			s.Seed, s.PerDay = 2, 20
			m := newSim(t, newWorld(5, 4, 60, true), nil, policy, s, Options{})
			for day := 1; day <= 12; day++ {
				m.day(day, 20)
			}
			v := m.planner.Policy.(*value)
			shared, claimed := 0, 0
			for s := range sitegraph.ServerID(m.graph.Servers()) {
				pages := slices.Clone(m.graph.ServerPages(s))
				m.claim(s, pages[len(pages)/2:])
				v.grow()
				for n := 1; len(pages) > 0; n = n%len(v.batch.pages) + 1 {
					var b batch
					for ; b.n < min(n, len(pages)); b.add(pages[b.n]) {
						if b.n > 0 && v.kin.alike(pages[b.n], pages[b.n-1]) {
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
							t.Fatalf("%s, %s: %v at once, %v alone", policy, m.graph.URL(p), got, want)
						}
					}
				}
			}
			if shared == 0 {
				t.Errorf("%s: no page shares what its groups tell with the one before", policy)
			}
			if claims := v.without != WithoutClaims; claims != (claimed > 0) {
				t.Errorf("%s: %d pages are claimed to have changed", policy, claimed)
			}
		}
	}
}

// claim lets a sitemap of a server, most of whose claims proved true, say that pages changed just now.
func (m *sim) claim(s sitegraph.ServerID, pages []sitegraph.PageID) {
	source := m.link("http://" + m.graph.ServerName(s) + "/sitemap.xml")
	r := &m.records[source]
	now := m.corpus.Round().End
	r.State, r.History = sitegraph.StateSource, sitegraph.Start(now)
	m.corpus.Remember(r)
	var said []Said
	for _, p := range pages {
		said = append(said, Said{Page: p, Modified: now})
	}
	m.corpus.Hear(source, HintSitemap, said, true)
	m.corpus.listening().addProof(s, HintSitemap, proof{True: 50, False: 5, Missed: 5, Same: 200})
}

// Of the first of a server that proves overrated and a batch of the next, the best by scores made anew is taken; the
// others stay, each once, and entries that are good no more count for nothing.
func TestBest(t *testing.T) {
	for seed := range uint64(20) {
		m := newSim(t, newWorld(seed, 1, 40, false), nil, "value", Settings{Mode: Stream, Seed: seed, PerDay: 10}, Options{})
		for day := 1; day <= 15; day++ {
			m.day(day, 10)
		}
		v := m.planner.Policy.(*value)
		v.Begin(Round{Number: 16, Start: at(15), End: at(16), Budget: 10})
		of := &v.rankings.of[0]
		of.pages.heap = nil
		var pages []sitegraph.PageID
		for _, p := range m.graph.ServerPages(0) {
			if v.open(p) {
				pages = append(pages, p)
			}
		}
		worth := map[sitegraph.PageID]float32{}
		for i, p := range pages {
			v.rate(p)
			worth[p] = v.worth(p)
			of.pages.push(standing{100, v.ties.of[p], p}) // good no more
			v.scores[p].worth = 10 - float32(i)/10
			for range 1 + i%3 {
				of.pages.push(v.standing(p))
			}
		}
		tried := pages[:1+len(v.batch.pages)]
		want := slices.MaxFunc(tried, func(p, q sitegraph.PageID) int { return cmp.Compare(worth[p], worth[q]) })
		got, ok := v.rankings.best(v, 0)
		if !ok || worth[got] != worth[want] {
			t.Fatalf("seed %d: page %d, worth %g; want %d, worth %g", seed, got, worth[got], want, worth[want])
		}
		var row [Features]float32
		if v.fill(got, v.now, &row); v.row != row {
			t.Fatalf("seed %d: the row left is not that of page %d", seed, got)
		}
		left := map[sitegraph.PageID]int{}
		for _, c := range of.pages.heap {
			if c.score == v.worth(c.page) {
				left[c.page]++
			}
		}
		for i, p := range pages {
			entries := 1 + i%3
			switch {
			case p == got:
				entries = 0
			case slices.Contains(tried, p):
				entries = 1
			}
			if left[p] != entries {
				t.Errorf("seed %d: %d good entries of page %d, want %d", seed, left[p], i, entries)
			}
		}
	}
}
