package policy

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// intervalsAfter returns the intervals of a page in days after visits that saw a change (C), none
// (u), or failed (f); the first is that of a page visited once.
func intervalsAfter(t *testing.T, policy string, perDay float64, visits string) []float64 {
	t.Helper()
	g := sitegraph.NewGraph()
	pages := planner.NewPages(g)
	r := simtest.Seen(g.AddStart("http://example.com/"), "http://example.com/")
	for i := 1; i < 8; i++ {
		g.Add("http://example.com/" + string(rune('a'+i)))
	}
	pages.Remember(&r)
	p, err := New(policy, Settings{Pages: pages, Mode: planner.Stream, PerDay: perDay})
	if err != nil {
		t.Fatal(err)
	}
	plan := planner.New(pages, p, planner.Options{})
	interval := func() float64 {
		_, every := plan.Due(0, r.History.LastVisit())
		return every.Hours() / 24
	}
	got := []float64{p.(*dueDriven).rule.first(8 / perDay)}
	for i, c := range visits {
		now := simtest.At(2 * (i + 1))
		plan.Begin(planner.Round{Number: i + 1, Start: now.Add(-24 * time.Hour), End: now,
			Budget: 1})
		if v, ok := plan.Next(); !ok || v.Page != 0 {
			t.Fatalf("%s: visit %d is to %v, %v", policy, i+1, v.Page, ok)
		}
		o := sitegraph.Observation{Time: now, Outcome: sitegraph.OutcomeFetched, Digests: r.Digests}
		switch c {
		case 'C':
			o.Digests.Bytes = sitegraph.DigestOf([]byte(now.String()))
		case 'f':
			o.Outcome = sitegraph.OutcomeFailed
		}
		plan.Observe(&r, r.Apply(o, sitegraph.ChangeByBytes))
		due, every := plan.Due(0, now)
		r.Due, r.Interval = due.When, every
		pages.Remember(&r)
		if c != 'f' {
			got = append(got, interval())
		}
	}
	return got
}

// The rules of today's crawlers, visit by visit. Eight pages at one a day: the cycle is 8 days.
func TestMultipliedIntervals(t *testing.T) {
	const hour = 1.0 / 24
	for _, c := range []struct {
		policy string
		perDay float64
		visits string
		want   []float64
	}{
		// Nutch: times 1.4, times 0.8.
		{"nutch", 1, "uuCC", []float64{8, 11.2, 15.68, 12.544, 10.0352}},
		{"nutch", 8.0 / 300, "uC", []float64{300, 365, 292}}, // a year at most
		{"nutch", 1, "uffu", []float64{8, 11.2, 15.68}},      // a failure shows nothing
		// StormCrawler: times 1.5; half, and half of the shortest, an hour.
		{"stormcrawler", 1, "uCC", []float64{8, 12, 6 + hour/2, 3 + 0.75*hour}},
		// two weeks at most
		{"stormcrawler", 8, "uuuuuuu", []float64{1, 1.5, 2.25, 3.375, 5.0625, 7.59375, 11.390625,
			14}},
		// four cycles, which is longer
		{"stormcrawler", 1, "uuuuu", []float64{8, 12, 18, 27, 32, 32}},
		{"stormcrawler", 1, "uufuu", []float64{8, 12, 18, 8, 12}}, // a failure makes it forget
		// also the copy to compare with
		{"stormcrawler", 1, "uufC", []float64{8, 12, 18, 8}},
		// Norconex without a sitemap: a fixed interval, whatever was seen.
		{"norconex", 1, "uCuC", []float64{8, 8, 8, 8, 8}},
		// [SAT eq. 1]: never changed, half as long again; then sqrt(2*2) / log(6/4),
		// sqrt(2*2)/log(8/4).
		{"interval", 1, "uuCC", []float64{8, 12, 18, 2 / math.Log(1.5), 2 / math.Ln2}},
		{"interval", 1, "CCu", []float64{8, 1, 1, 2 / math.Log(3)}}, // always changed: a day
	} {
		got := intervalsAfter(t, c.policy, c.perDay, c.visits)
		if len(got) != len(c.want) {
			t.Errorf("%s, %s: intervals %v, want %v", c.policy, c.visits, got, c.want)
			continue
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-4*c.want[i] {
				t.Errorf("%s, %s: intervals %.6v, want %.6v", c.policy, c.visits, got, c.want)
				break
			}
		}
	}
}

// The shortest intervals: a page that always changes reaches the shortest interval and keeps it.
func TestShortestIntervals(t *testing.T) {
	for policy, want := range map[string]float64{"nutch": 1.0 / (24 * 60),
		"stormcrawler": 1.0 / 24} {
		got := intervalsAfter(t, policy, 1, strings.Repeat("C", 60))
		if last := got[60]; math.Abs(last-want) > 1e-3*want {
			t.Errorf("%s: %g days after 60 changes, want %g", policy, last, want)
		}
	}
}

// A page with a history from elsewhere begins with the interval that as many visits with and
// without a change give.
func TestRememberedInterval(t *testing.T) {
	h := watched(10, 2, 5, 6)
	rule := newNutch(Settings{Pages: planner.NewPages(sitegraph.NewGraph()),
		Mode: planner.Stream}).(*dueDriven).rule
	wantNear(t, "nutch", rule.remembered(h, 8), 8*math.Pow(0.8, 3)*math.Pow(1.4, 7), 1e-9)
	wantNear(t, "nutch, at most a year", rule.remembered(watched(40), 8), 365, 1e-9)
}

// The resolver of Norconex, with sitemaps: a page is due if its sitemap claims a modification after
// the last visit, not if it claims an earlier one, and otherwise at the frequency that the sitemap
// claims.
func TestNorconexBelievesSitemaps(t *testing.T) {
	l := simtest.NewLettered(t, map[string]string{"R": "/", "A": "/a", "B": "/b", "C": "/c"},
		"R>A R>B R>C", rand.New(rand.NewPCG(1, 0)))
	sitemap := l.Pages.Graph.Add("http://example.com/sitemap.xml")
	says := func(day int, claims ...planner.Claim) {
		l.Pages.Remember(&sitegraph.Record{Page: sitemap, State: sitegraph.StateSource,
			History: sitegraph.Start(simtest.At(day))})
		if l.Planner != nil {
			l.Planner.UpdateHints(sitemap, planner.Sitemap, claims, true)
		} else {
			l.Pages.Hints.Update(sitemap, planner.Sitemap, claims, true)
		}
	}
	says(3, planner.Claim{Page: l.Page["A"], Modified: simtest.At(-5)},
		planner.Claim{Page: l.Page["B"], Modified: simtest.At(3)},
		planner.Claim{Page: l.Page["C"], Every: 36 * time.Hour})
	policy, err := New("norconex", Settings{Pages: l.Pages, Mode: planner.Stream, PerDay: 1})
	if err != nil {
		t.Fatal(err)
	}
	l.Planner = planner.New(l.Pages, policy, planner.Options{})
	l.Round(1, 4, "", "")
	for letter, want := range map[string]float64{"R": 5, "A": longestWait, "C": 1.5} {
		due, _ := policy.Due(l.Page[letter], simtest.At(1))
		wantNear(t, letter, due.When.Sub(simtest.At(1)).Hours()/24, want, 1e-6)
	}
	if order := l.Round(2, 1, "", ""); order != "B" {
		t.Errorf("visits %q, want B alone: its sitemap says that it was modified", order)
	}
	says(5, planner.Claim{Page: l.Page["A"], Modified: simtest.At(5)})
	if order := l.Round(6, 1, "", ""); order != "A" {
		t.Errorf("visits %q, want A: its sitemap now says that it was modified", order)
	}
}
