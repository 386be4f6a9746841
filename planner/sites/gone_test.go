package sites_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/planner/sites"
	"github.com/recrawl/recrawl/sitegraph"
)

// list is a server whose start page lists pages that never change. On one day it drops half of
// them.
type list struct {
	planner *planner.Planner
	pages   []sitegraph.PageID // except the start page
	dropped int                // day on which half of the list is dropped
	gone    bool               // whether dropped pages are gone
	looked  int                // visits to pages that are probably gone
}

func newList(pages int, worth float32, gone bool) *list {
	l := &list{dropped: 10, gone: gone}
	g := sitegraph.NewGraph()
	start := g.AddStart("http://a.example/")
	for i := range pages {
		l.pages = append(l.pages, g.Add(fmt.Sprintf("http://a.example/d%d/page-%d.html", i%7, i)))
	}
	g.SetLinkIDs(start, l.pages, nil)
	known := planner.NewPages(g)
	for p := range sitegraph.PageID(pages + 1) {
		known.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive,
			Tried: simtest.At(0), History: sitegraph.Start(simtest.At(0))})
	}
	l.planner = planner.New(known, sites.New(sites.Settings{Pages: known, Mode: planner.Stream,
		Seed: 1, PerDay: 5, GoneWorth: worth}), planner.Options{})
	return l
}

// day visits five pages, and the start page in any case.
func (l *list) day(d int) {
	l.planner.Begin(planner.Round{Number: d, Start: simtest.At(d - 1), End: simtest.At(d),
		Budget: 5})
	for v, ok := l.planner.Next(); ok; v, ok = l.planner.Next() {
		if strings.Contains(v.Reason.String(), "no links lead to it") {
			l.looked++
		}
		if isDropped := d > l.dropped && v.Page > 0 &&
			int(v.Page) <= len(l.pages)/2; isDropped && l.gone {
			l.record(v.Page, d, sitegraph.StateGone, sitegraph.VerdictLeft)
		} else {
			l.record(v.Page, d, sitegraph.StateAlive, sitegraph.VerdictUnchanged)
		}
	}
	if d == l.dropped {
		start := sitegraph.PageID(0)
		l.planner.Pages.Graph.SetLinkIDs(start, l.pages[len(l.pages)/2:], nil)
		l.record(start, d, sitegraph.StateAlive, sitegraph.VerdictChanged)
	}
}

func (l *list) record(p sitegraph.PageID, d int, state sitegraph.State, verdict sitegraph.Verdict) {
	h := l.planner.Pages.Memory(p).History
	if state == sitegraph.StateAlive {
		h.See(simtest.At(d), verdict == sitegraph.VerdictChanged, time.Time{})
	}
	l.planner.Observe(&sitegraph.Record{Page: p, State: state, Tried: simtest.At(d), History: h},
		verdict)
}

// found returns how many of the dropped pages were found gone.
func (l *list) found() (n int) {
	for _, p := range l.pages {
		if l.planner.Pages.Memory(p).State == sitegraph.StateGone {
			n++
		}
	}
	return n
}

// Pages that lost all links are visited before others, and at once when earlier ones proved gone.
func TestFindsPagesThatAreGone(t *testing.T) {
	l, without := newList(80, 1, true), newList(80, 0, true)
	for d := 1; d <= l.dropped+10; d++ {
		l.day(d)
		without.day(d)
	}
	if found, chance := l.found(), without.found(); found != 40 || chance >= 40 {
		t.Errorf("10 days of 5 visits after 40 pages went: %d found, without looking for them %d",
			found, chance)
	}
}

// Where pages without links prove to be alive, the policy soon stops looking for them.
func TestPagesWithoutLinksAreThere(t *testing.T) {
	l := newList(200, 1, false)
	for d := 1; d <= l.dropped+20; d++ {
		l.day(d)
	}
	if l.looked < 5 || l.looked > 50 {
		t.Fatalf("%d of 100 pages without links were looked for, want 5 to 50", l.looked)
	}
}

// Where linked pages change and unlinked ones do not, the policy predicts each kind by its own
// rate.
func TestPagesWithoutLinksChangeAtRatesOfTheirOwn(t *testing.T) {
	const half = 40
	l := newList(2*half, 0, false)
	probability := func(i, d int) float64 {
		return l.planner.Policy.(*sites.Policy).Probability(l.pages[i], simtest.At(d))
	}
	for d := 1; d <= l.dropped; d++ {
		l.day(d)
	}
	d := l.dropped + 1
	for i := range half / 2 {
		l.planner.Begin(planner.Round{Number: d, Start: simtest.At(d - 1), End: simtest.At(d),
			Budget: 5})
		l.record(l.pages[i], d, sitegraph.StateAlive, sitegraph.VerdictUnchanged)
		l.record(l.pages[half+i], d, sitegraph.StateAlive, sitegraph.VerdictChanged)
		d++
	}
	without, with := 0., 0.
	for i := half / 2; i < half; i++ {
		without, with = without+probability(i, d), with+probability(half+i, d)
	}
	if !(without < with/3) {
		t.Errorf("%.3f of %d pages without links are believed to have changed, %.3f of as many "+
			"with links; want a third at most", without, half/2, with)
	}
}
