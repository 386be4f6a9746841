package planner_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// newFrontier returns a planner of n new pages linked from a start page with a copy, without a
// policy.
func newFrontier(t *testing.T, n int, o planner.Options) *simtest.Lettered {
	t.Helper()
	paths, edges := simtest.Directories(1, n)
	l := simtest.NewLettered(t, paths, edges, rand.New(rand.NewPCG(9, 0)))
	for p := range l.Records {
		if id := sitegraph.PageID(p); id != l.Page["R"] && id != l.Page["a"] {
			l.Records[p] = sitegraph.Record{Page: id, URL: l.Records[p].URL,
				State: sitegraph.StateNew}
			l.Pages.Remember(&l.Records[p])
		}
	}
	l.Planner = planner.New(l.Pages, nil, o)
	return l
}

// Fractions of the share of new pages carry over; the budget bounds the share.
func TestNewShare(t *testing.T) {
	for _, c := range []struct {
		share  float64
		budget int
		want   []int // first visits of each day
	}{
		{0, 10, []int{0, 0, 0, 0}},
		{0.25, 10, []int{2, 3, 2, 3}},
		{0.3, 1, []int{0, 0, 0, 1}},
		{1, 4, []int{4, 4, 4, 4}},
		{0.25, planner.Unlimited, []int{30, 0, 0, 0}},
	} {
		l := newFrontier(t, 30, planner.Options{NewShare: c.share})
		for i, want := range c.want {
			if got := len(l.Round(1+i, c.budget, "", "")); got != want {
				t.Errorf("share %g of %d, day %d: %d first visits, want %d",
					c.share, c.budget, i+1, got, want)
			}
		}
	}
}

// Without a policy leftovers take the whole budget.
func TestLeftover(t *testing.T) {
	l := newFrontier(t, 30, planner.Options{NewShare: 0.1, Leftover: true})
	if got := len(l.Round(1, 20, "", "")); got != 20 {
		t.Errorf("%d first visits, want 20", got)
	}
}

// Pages come first come, first served. A page is found once, however many links lead to it.
func TestFrontierOrder(t *testing.T) {
	l := newFrontier(t, 0, planner.Options{NewShare: 1})
	g := l.Pages.Graph
	var urls []string
	for i := range 50 {
		urls = append(urls, fmt.Sprintf("http://example.com/new/%d", (i*37)%50))
	}
	for _, p := range g.SetLinks(l.Page["R"], urls, nil) {
		r := sitegraph.Record{Page: p, URL: g.URL(p), State: sitegraph.StateNew}
		l.Pages.Remember(&r)
		l.Planner.Found(p)
		l.Planner.Found(p)
	}
	if n := l.Planner.Waiting(); n != 50 {
		t.Errorf("%d pages wait, want 50", n)
	}
	l.Planner.Begin(planner.Round{Number: 1, Start: simtest.At(0), End: simtest.At(1),
		Budget: planner.Unlimited})
	for i, url := range urls {
		if v, ok := l.Planner.Next(); !ok || g.URL(v.Page) != url ||
			v.Reason.String() != "new page at depth 2" {
			t.Fatalf("visit %d: %s (%s), want %s", i, g.URL(v.Page), v.Reason, url)
		}
	}
	if v, ok := l.Planner.Next(); ok {
		t.Errorf("%s once more", g.URL(v.Page))
	}
}

// Pages beyond MaxDepth are not fetched. A shorter path brings them back, even if it does not lead
// to them directly.
func TestFrontierDepth(t *testing.T) {
	g := sitegraph.NewGraph()
	pages := planner.NewPages(g)
	url := func(depth int) string { return fmt.Sprintf("http://example.com/%d", depth) }
	p := g.AddStart(url(1))
	for depth := 2; depth <= sitegraph.MaxDepth+3; depth++ {
		p = g.SetLinks(p, []string{url(depth)}, nil)[0]
	}
	for p := range sitegraph.PageID(g.Pages()) {
		r := sitegraph.Record{Page: p, State: sitegraph.StateAlive,
			History: sitegraph.Start(simtest.At(0))}
		if int(p) >= sitegraph.MaxDepth-1 {
			r = sitegraph.Record{Page: p, State: sitegraph.StateNew}
		}
		pages.Remember(&r)
	}
	plan := planner.New(pages, nil, planner.Options{NewShare: 1})
	round := func(n int) (pages []sitegraph.PageID) {
		plan.Begin(planner.Round{Number: n, Start: simtest.At(n - 1), End: simtest.At(n),
			Budget: planner.Unlimited})
		for v, ok := plan.Next(); ok; v, ok = plan.Next() {
			pages = append(pages, v.Page)
		}
		return pages
	}
	if got := fmt.Sprint(round(1)); got != "[11]" {
		t.Errorf("first visits to %v, want the page at depth 12 alone", got)
	}
	plan.Found(13) // again, and still too deep
	if got := round(2); len(got) != 0 {
		t.Errorf("first visits to %v, want none", got)
	}
	g.SetLinks(0, []string{url(2), url(11)}, nil)
	if got := fmt.Sprint(round(3)); got != "[12 13 14]" {
		t.Errorf("first visits to %v behind a shortcut, want the three that were too deep", got)
	}
}

// A page whose visits fail waits for an hour, then twice as long each time, and at most 30 days.
// That holds for new pages and pages with a copy.
func TestBackOff(t *testing.T) {
	for _, state := range []sitegraph.State{sitegraph.StateNew, sitegraph.StateAlive} {
		l := simtest.NewLettered(t, map[string]string{"R": "/"}, "", rand.New(rand.NewPCG(1, 0)))
		r := &l.Records[0]
		r.State, r.Tried = state, time.Time{}
		l.Pages.Remember(r)
		pol, err := policy.New("ebayes", policy.Settings{Pages: l.Pages, Mode: planner.Stream})
		if err != nil {
			t.Fatal(err)
		}
		l.Planner = planner.New(l.Pages, pol, planner.Options{NewShare: 1})
		var waits []string
		last := simtest.At(0)
		for hour := 1; hour <= 24*130; hour++ {
			start := simtest.At(0).Add(time.Duration(hour-1) * time.Hour)
			l.Planner.Begin(planner.Round{Number: hour, Start: start, End: start.Add(time.Hour),
				Budget: 5})
			for v, ok := l.Planner.Next(); ok; v, ok = l.Planner.Next() {
				now := l.Pages.Round().End
				verdict := r.Apply(sitegraph.Observation{Time: now,
					Outcome: sitegraph.OutcomeFailed}, sitegraph.ChangeByBytes)
				l.Planner.Observe(r, verdict)
				due, _ := l.Planner.Due(v.Page, now)
				if r.Errors > 1 {
					waits = append(waits, fmt.Sprint(now.Sub(last).Hours()))
				}
				if last = now; due.When.Sub(now) != planner.BackOff(r.Errors) {
					t.Errorf("%v: due %v after failure %d, want %v",
						state, due.When.Sub(now), r.Errors, planner.BackOff(r.Errors))
				}
			}
		}
		if got, want := strings.Join(waits, " "),
			"1 2 4 8 16 32 64 128 256 512 720 720"; got != want {
			t.Errorf("%v: hours between failures %s, want %s", state, got, want)
		}
	}
}

// Without a policy Due returns times after now.
func TestDueWithoutPolicy(t *testing.T) {
	now := simtest.At(100)
	for _, c := range []struct {
		name   string
		record sitegraph.Record
		want   time.Duration
		reason string
	}{
		{"new", sitegraph.Record{State: sitegraph.StateNew}, time.Second, "never fetched"},
		{"new, failed twice", sitegraph.Record{State: sitegraph.StateNew, Errors: 2, Tried: now},
			2 * time.Hour, "its last visits failed"},
		{"failed too often to count", sitegraph.Record{State: sitegraph.StateAlive,
			Errors: sitegraph.MaxErrors, Tried: now}, 30 * 24 * time.Hour,
			"its last visits failed"},
		{"gone", sitegraph.Record{State: sitegraph.StateGone}, planner.FarOff,
			"it left; only a new link brings it back"},
		{"moved", sitegraph.Record{State: sitegraph.StateMoved}, planner.FarOff,
			"it left; only a new link brings it back"},
		{"alive", sitegraph.Record{State: sitegraph.StateAlive,
			History: sitegraph.Start(simtest.At(0))}, time.Second, "no policy was asked"},
	} {
		g := sitegraph.NewGraph()
		g.AddStart("http://example.com/")
		p := planner.New(planner.NewPages(g), nil, planner.Options{})
		p.Pages.Remember(&c.record)
		if due, _ := p.Due(0, now); due.When.Sub(now) != c.want || due.Reason.String() != c.reason {
			t.Errorf("%s: due after %v (%s), want %v (%s)", c.name, due.When.Sub(now), due.Reason,
				c.want, c.reason)
		}
	}
}

// A visit that was handed back costs nothing and comes again in the next round, not in this one.
func TestReturn(t *testing.T) {
	for _, first := range []bool{true, false} {
		l := newFrontier(t, 3, planner.Options{NewShare: 1})
		if !first {
			pol, err := policy.New("interval",
				policy.Settings{Pages: l.Pages, Mode: planner.Stream})
			if err != nil {
				t.Fatal(err)
			}
			l.Planner = planner.New(l.Pages, pol, planner.Options{})
		}
		begin := func(n int) {
			l.Planner.Begin(planner.Round{Number: n, Start: simtest.At(n - 1), End: simtest.At(n),
				Budget: 1})
		}
		begin(1)
		v, ok := l.Planner.Next()
		if !ok || v.First != first || l.Planner.Left() != 0 {
			t.Fatalf("visit %+v, %v, %d left", v, ok, l.Planner.Left())
		}
		l.Planner.Return(v)
		if l.Planner.Left() != 1 {
			t.Errorf("%d visits left, want 1", l.Planner.Left())
		}
		seen := map[sitegraph.PageID]bool{}
		for next, ok := l.Planner.Next(); ok; next, ok = l.Planner.Next() {
			if next.Page == v.Page {
				t.Errorf("first %v: handed back and proposed again in the same round", first)
			}
			l.Visit(next, "", "")
		}
		for n := 2; n <= 6; n++ {
			begin(n)
			for next, ok := l.Planner.Next(); ok; next, ok = l.Planner.Next() {
				seen[next.Page] = true
				l.Visit(next, "", "")
			}
		}
		if !seen[v.Page] {
			t.Errorf("first %v: a visit handed back is never proposed again", first)
		}
	}
}

// First visits that are handed back leave their place in the share of new pages to others.
func TestReturnGivesShareBack(t *testing.T) {
	l := newFrontier(t, 12, planner.Options{NewShare: 0.5})
	l.Planner.Begin(planner.Round{Number: 1, Start: simtest.At(0), End: simtest.At(1), Budget: 10})
	made := 0
	for v, ok := l.Planner.Next(); ok; v, ok = l.Planner.Next() {
		if made < 3 && v.Page%2 == 0 {
			l.Planner.Return(v)
			continue
		}
		made++
		l.Visit(v, "", "")
	}
	if made != 5 {
		t.Errorf("%d first visits were made, want the share of 5", made)
	}
}

// Skipped pages are not visited and cost nothing.
func TestSkip(t *testing.T) {
	for _, name := range policy.Names() {
		if policy.Reference(name) {
			continue
		}
		w := simtest.NewWorld(4, 1, 30, false)
		o := planner.Options{Skip: func(p sitegraph.PageID) bool { return p%2 == 0 }}
		m := newSim(t, w, nil, name, policy.Settings{Mode: planner.Stream, Seed: 4}, o)
		if visits := m.Day(31, 15); len(visits) != 15 { // all are due
			t.Errorf("%s: %d visits, want to all 15 pages that are not skipped", name, len(visits))
		}
	}
}

// The package guarantees 56 bytes a page; a billion pages pay for each more.
func TestMemorySize(t *testing.T) {
	if size := unsafe.Sizeof(planner.Memory{}); size != 56 {
		t.Errorf("Memory has %d bytes, want 56", size)
	}
}

func TestReason(t *testing.T) {
	for _, c := range []struct {
		reason planner.Reason
		want   string
	}{
		{planner.Reason{}, ""},
		{planner.Because("never fetched"), "never fetched"},
		{planner.Because("depth %.0f", 3), "depth 3"},
		{planner.Because("%.1f of %.0f in %.2f", 1.25, 7, 0.005), "1.2 of 7 in 0.01"},
		{planner.Because("100 %%"), "100 %"},
		{planner.Because("%.0f %% of %.0f", 5, 7), "5 % of 7"},
		{planner.Because("100 %%, %.0f%%%%", 8), "100 %, 8%%"},
	} {
		if got := c.reason.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
