package value

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// list is a server whose start page lists pages that never change. On some day it drops half of
// them from its list.
type list struct {
	t       *testing.T
	planner *planner.Planner
	policy  *Policy
	pages   []sitegraph.PageID // without the start page
	dropped int                // day
	gone    bool               // what was dropped is gone
	visits  map[sitegraph.PageID]int
	reasons []string
}

func newList(t *testing.T, pages int, worth float32, gone bool) *list {
	l := &list{t: t, dropped: 10, gone: gone, visits: map[sitegraph.PageID]int{}}
	g := sitegraph.NewGraph()
	start := g.AddStart("http://a.example/")
	for i := range pages {
		l.pages = append(l.pages, g.Add(fmt.Sprintf("http://a.example/d%d/page-%d.html", i%7, i)))
	}
	g.SetLinkIDs(start, l.pages, nil)
	corpus := planner.NewCorpus(g)
	for p := range sitegraph.PageID(pages + 1) {
		corpus.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive,
			Tried: simtest.At(0), History: sitegraph.Start(simtest.At(0))})
	}
	l.policy = New(Settings{Corpus: corpus, Mode: planner.Stream, Seed: 1, PerDay: 5,
		GoneWorth: worth})
	l.planner = planner.New(corpus, l.policy, planner.Options{})
	return l
}

// day visits five pages, and the start page in any case.
func (l *list) day(d int) {
	l.planner.Begin(planner.Round{Number: d, Start: simtest.At(d - 1), End: simtest.At(d),
		Budget: 5})
	start := sitegraph.PageID(0)
	for v, ok := l.planner.Next(); ok; v, ok = l.planner.Next() {
		l.visits[v.Page]++
		if v.Gone > 0 {
			l.reasons = append(l.reasons, v.Reason.String())
		}
		l.see(v.Page, d)
	}
	if d == l.dropped {
		g := l.planner.Corpus.Graph
		g.SetLinkIDs(start, l.pages[len(l.pages)/2:], nil)
		l.record(start, d, sitegraph.StateAlive, sitegraph.VerdictChanged)
	}
}

func (l *list) see(p sitegraph.PageID, d int) {
	isDropped := d > l.dropped && p > 0 && int(p) <= len(l.pages)/2
	if isDropped && l.gone {
		l.record(p, d, sitegraph.StateGone, sitegraph.VerdictLeft)
	} else {
		l.record(p, d, sitegraph.StateAlive, sitegraph.VerdictUnchanged)
	}
}

func (l *list) record(p sitegraph.PageID, d int, state sitegraph.State, verdict sitegraph.Verdict) {
	h := l.planner.Corpus.Memory(p).History
	if state == sitegraph.StateAlive {
		h.See(simtest.At(d), verdict == sitegraph.VerdictChanged, time.Time{})
	}
	l.planner.Observe(&sitegraph.Record{Page: p, State: state, Tried: simtest.At(d), History: h},
		verdict)
}

// found is how many of the dropped pages were found gone.
func (l *list) found() (n int) {
	for _, p := range l.pages {
		if l.planner.Corpus.Memory(p).State == sitegraph.StateGone {
			n++
		}
	}
	return n
}

// Pages that lost all links are visited before others, and at once where they prove to be gone.
func TestFindsPagesThatAreGone(t *testing.T) {
	l, without := newList(t, 80, 1, true), newList(t, 80, 0, true)
	for d := 1; d <= l.dropped+10; d++ {
		l.day(d)
		without.day(d)
	}
	if found, chance := l.found(), without.found(); found != 40 || chance >= 40 {
		t.Errorf("10 days of 5 visits after 40 pages went: %d found, without looking for them %d",
			found, chance)
	}
	last := l.reasons[len(l.reasons)-1]
	if !strings.Contains(last,
		"no links lead to it any more; of 39 such pages visited, 39 were gone") {
		t.Errorf("the last of them was visited since %s", last)
	}
}

// Where pages without links are there all the same, they are soon not looked for any more.
func TestPagesWithoutLinksAreThere(t *testing.T) {
	l := newList(t, 200, 1, false)
	for d := 1; d <= l.dropped+5; d++ {
		l.day(d)
	}
	looked := len(l.reasons)
	if looked < 5 {
		t.Fatalf("%d pages without links were looked for", looked)
	}
	for _, p := range l.pages[:100] {
		if l.visits[p] == 0 {
			if got := l.policy.isGone(p); got > 0.1 {
				t.Errorf("after %d pages that were there another one is gone with %.2f",
					looked, got)
			}
			return
		}
	}
	t.Fatal("all were visited")
}

// A page that is linked again is not looked for; one found there is left alone for two weeks, then
// four.
func TestLooksAgain(t *testing.T) {
	l := newList(t, 20, DefaultGoneWorth, false)
	d := &l.policy.gone
	g := l.planner.Corpus.Graph
	l.planner.Begin(planner.Round{Number: 1, Start: simtest.At(0), End: simtest.At(1), Budget: 0})
	page, other := l.pages[0], l.pages[1]
	if got := l.policy.isGone(page); got != 0 {
		t.Fatalf("a page with links is gone with %g", got)
	}
	g.SetLinkIDs(0, l.pages[2:], nil)
	l.planner.Begin(planner.Round{Number: 2, Start: simtest.At(1), End: simtest.At(2), Budget: 0})
	if got := l.policy.isGone(page); got != 0.5 {
		t.Fatalf("a page that lost its links is gone with %g, want 0.5", got)
	}
	now := l.policy.now
	if !d.see(page, l.policy.homeOf(page), sitegraph.VerdictUnchanged, now) ||
		d.see(l.pages[5], l.policy.homeOf(page), sitegraph.VerdictUnchanged, now) {
		t.Error("of two pages the one without links was not told from the other")
	}
	if got := d.probability(other, l.policy.homeOf(other), now); !(got > 0 && got < 0.3) {
		t.Errorf("after one that was there another one is gone with %g", got)
	}
	for _, c := range []struct {
		days float32
		is   bool
	}{{0, false}, {13, false}, {14, true}} {
		if got := d.probability(page, l.policy.homeOf(page), now+c.days) > 0; got != c.is {
			t.Errorf("%g days after a look: looked for again is %v", c.days, got)
		}
	}
	d.see(page, l.policy.homeOf(page), sitegraph.VerdictUnchanged, now+14)
	if d.probability(page, l.policy.homeOf(page), now+14+27) > 0 ||
		d.probability(page, l.policy.homeOf(page), now+14+28) == 0 {
		t.Error("after the second look it was not left alone for four weeks")
	}
	d.see(other, l.policy.homeOf(other), sitegraph.VerdictUnknown, now)
	if d.pages[other].looks != 0 {
		t.Error("a visit that failed counts as a look")
	}
	g.SetLinkIDs(0, l.pages, nil)
	l.planner.Begin(planner.Round{Number: 3, Start: simtest.At(2), End: simtest.At(3), Budget: 0})
	if got := l.policy.isGone(other); got != 0 || len(d.pages) != 0 {
		t.Errorf("a page that is linked again is gone with %g", got)
	}
}
