package value

import (
	"fmt"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// Of a server those pages are kept that lead to most, and what led once counts for less with each
// change that does not.
func TestLeads(t *testing.T) {
	var l hubs
	for p := range sitegraph.PageID(mostHubs) {
		l.add(p, 10+int(p))
	}
	l.add(0, 5)
	l.changed(0)
	l.changed(9999) // no lead
	if got := l[0]; got != (hub{0, 15, 2}) || got.expected() != 5 {
		t.Errorf("10 and 5 pages by two changes are %+v, %g expected", got, got.expected())
	}
	l.add(499, 9)  // less than all
	l.add(500, 10) // in the place of the least, which is page 0
	if len(l) != mostHubs || l.index(0) >= 0 || l.index(499) >= 0 || l.index(500) < 0 {
		t.Errorf("%d leads, of which 0 is at %d, 499 at %d and 500 at %d",
			len(l), l.index(0), l.index(499), l.index(500))
	}
	l.add(501, 100_000)
	if i := l.index(501); l.index(500) >= 0 || i < 0 || l[i].expected() != mostPerHub {
		t.Errorf("page 500, which led to fewest, is kept, or %d are not bounded", 100_000)
	}
	l.left(501)
	l.left(501)
	if len(l) != mostHubs-1 || l.index(501) >= 0 {
		t.Error("a page that is gone is kept")
	}
}

// What first visits bring counts for the page whose change led there.
func TestLedBy(t *testing.T) {
	h := newHandDriven(t, "value")
	h.begin(1)
	v := h.policy
	add := func(path string) sitegraph.PageID {
		p := h.corpus.Graph.Add("http://s0.example/" + path)
		h.records = append(h.records, sitegraph.Record{Page: p, URL: h.corpus.Graph.URL(p),
			State: sitegraph.StateNew})
		h.corpus.Remember(&h.records[p])
		return p
	}
	outcome := func(p sitegraph.PageID, state sitegraph.State, verdict sitegraph.Verdict,
		found ...sitegraph.PageID) {
		v.Discovered(p, verdict, found)
		h.records[p].State = state
		h.corpus.Remember(&h.records[p])
		v.Observe(p, verdict)
	}
	const list = sitegraph.PageID(3)
	release, moved := add("release/"), add("old/")
	outcome(list, sitegraph.StateAlive, sitegraph.VerdictChanged, release, moved)
	var manual []sitegraph.PageID
	for i := range 30 {
		manual = append(manual, add(fmt.Sprintf("release/%d.html", i)))
	}
	// links to itself
	outcome(release, sitegraph.StateAlive, sitegraph.VerdictFirst, append(manual, release)...)
	outcome(moved, sitegraph.StateMoved, sitegraph.VerdictLeft, add("elsewhere/"))
	// the others are known
	outcome(manual[0], sitegraph.StateAlive, sitegraph.VerdictFirst,
		append(manual[1:], add("release/more.html"))...)
	// whoever led there
	outcome(add("unknown/"), sitegraph.StateAlive, sitegraph.VerdictFirst, add("unknown/more.html"))
	outcome(list, sitegraph.StateAlive, sitegraph.VerdictChanged)
	skipped := add("skipped/")
	planner.New(h.corpus, h.policy, planner.Options{Skip: func(p sitegraph.PageID) bool {
		return p == skipped
	}})
	outcome(manual[1], sitegraph.StateAlive, sitegraph.VerdictFirst, skipped)
	got := v.discovery.servers[h.corpus.Graph.Server(list)].hubs
	if len(got) != 1 || got[0] != (hub{list, 34, 2}) {
		t.Errorf("leads are %v, want 34 pages of page %d in two changes", got, list)
	}
	if len(v.discovery.newPages) != len(manual)-2+2 { // without those that were visited
		t.Errorf("of %d new pages it is known what led there", len(v.discovery.newPages))
	}
	outcome(list, sitegraph.StateGone, sitegraph.VerdictLeft)
	if got := v.discovery.servers[h.corpus.Graph.Server(list)].hubs; len(got) != 0 {
		t.Errorf("%v lead on, though gone", got)
	}
}

// The planner tells the policy what changes and first visits bring, and nothing that was found
// before the round.
func TestLeadsOfRounds(t *testing.T) {
	w := simtest.NewWorld(3, 1, 30, false)
	list := w.Of["http://s0.example/"]
	list.Changes = nil
	for d := range simtest.Days {
		list.Changes = append(list.Changes, float64(d)+0.5)
	}
	release := w.Add(3, "http://s0.example/release.html", false)
	release.Born = 10
	list.Children = append(list.Children, release)
	for i := range 20 {
		page := w.Add(3, fmt.Sprintf("http://s0.example/release/%d.html", i), false)
		page.Born = 10
		release.Children = append(release.Children, page)
	}
	m := newSim(t, w, nil, "value", Settings{Mode: planner.Stream, Seed: 3, PerDay: 20},
		planner.Options{NewShare: 0.5})
	for day := 1; day <= 20; day++ {
		if day == 5 {
			// and not by a visit
			m.Planner.Found(m.Link(w.Add(3, "http://s0.example/named.html", false).URL))
		}
		m.Day(day, 20)
	}
	leads := m.Planner.Policy.(*Policy).discovery.servers[0].hubs
	if len(leads) != 1 || m.Graph.URL(leads[0].page) != list.URL || leads[0].pages != 21 ||
		leads[0].changes < 5 {
		t.Errorf("leads are %+v, want 21 pages of %s, by all its changes since", leads, list.URL)
	}
}

// Of pages alike that which led to many is looked at more often.
func TestLooksAtLeads(t *testing.T) {
	t.Parallel()
	skipLong(t)
	looks := map[string]int{}
	for seed := range uint64(12) {
		w := twoBusy()
		top := w.Of["http://s0.example/"]
		for i := range 24 {
			leaf := w.Add(3, fmt.Sprintf("http://s0.example/leaf%c.html", 'a'+i), false)
			leaf.Changes = nil
			top.Children = append(top.Children, leaf)
		}
		m := newSim(t, w, nil, "value", Settings{Mode: planner.Stream, Seed: seed, PerDay: 20},
			planner.Options{})
		for day := 1; day <= 60; day++ {
			if day == 2 {
				leaf, _ := m.Graph.Lookup("http://s0.example/leafm.html")
				servers := m.Planner.Policy.(*Policy).discovery.servers
				servers[m.Graph.Server(leaf)].hubs.add(leaf, 60)
			}
			for _, v := range m.Day(day, 20) {
				if url := m.Graph.URL(v.Page); strings.HasPrefix(v.Reason.String(),
					"a look at a quiet page") && strings.Contains(url, "/leaf") {
					looks[url]++
				}
			}
		}
	}
	led := looks["http://s0.example/leafm.html"]
	for url, n := range looks {
		if !strings.Contains(url, "leafm") && 2*n > led {
			t.Errorf("%d looks at %s, %d at the page that led to 60", n, url, led)
		}
	}
}
