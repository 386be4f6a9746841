package planner_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// A page rests after each visit and outside of its hours, even if it has a greatest age and the
// policy proposes it. Then it is visited in the first round within its hours. New pages also wait
// for the hours, and are not lost.
func TestRests(t *testing.T) {
	t.Parallel()
	hours, err := preferences.ParseCalendar("mon-fri 08:00-18:00 UTC")
	if err != nil {
		t.Fatal(err)
	}
	ages, err := preferences.ParseMaxAges([]string{"30m"})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC) // a Friday
	g := sitegraph.NewGraph()
	for _, url := range []string{"http://a.example/slow/1", "http://a.example/office/1",
		"http://a.example/office/new", "http://a.example/free"} {
		g.AddStart(url)
	}
	const newPage = 2
	pages := planner.NewPages(g)
	records := make([]sitegraph.Record, g.Pages())
	for p := range records {
		records[p] = sitegraph.Record{Page: sitegraph.PageID(p), State: sitegraph.StateAlive,
			Tried: start.Add(-time.Hour), History: sitegraph.Start(start.Add(-time.Hour))}
		if p == newPage {
			records[p] = sitegraph.Record{Page: newPage, State: sitegraph.StateNew}
		}
		pages.Remember(&records[p])
	}
	f := &favourite{corpus: pages, pages: []sitegraph.PageID{0, 1, 3}}
	p := planner.New(pages, f, planner.Options{MaxAges: ages, Leftover: true, NewShare: 1,
		Rests: preferences.NewRests([]preferences.RestRule{
			{Prefix: "http://a.example/slow/", MinAge: 3 * time.Hour},
			{Prefix: "http://a.example/office/", Hours: hours},
		})})
	visited := map[string][]time.Time{}
	for round := range 4 * 24 {
		from := start.Add(time.Duration(round) * time.Hour)
		end := from.Add(time.Hour)
		p.Begin(planner.Round{Number: round, Start: from.Add(-1), End: end,
			Budget: planner.Unlimited})
		for v, ok := p.Next(); ok; v, ok = p.Next() {
			r := &records[v.Page]
			visited[pages.URL(v.Page)] = append(visited[pages.URL(v.Page)], from)
			at := from.Add(59 * time.Minute)
			verdict := sitegraph.VerdictUnchanged
			if v.First {
				r.History, verdict = sitegraph.Start(at), sitegraph.VerdictFirst
			}
			r.State, r.Tried = sitegraph.StateAlive, at
			r.History.See(at, false, time.Time{})
			p.Observe(r, verdict)
		}
		if round == 10 { // Friday, 22:00
			if why := p.WhyNot(1); !strings.Contains(why,
				"not visited before 2026-11-30 08:00:00") {
				t.Errorf("on Friday evening: %s", why)
			}
		}
	}
	if n := len(visited["http://a.example/free"]); n != 4*24 {
		t.Errorf("the page without a rest was visited %d times in %d rounds", n, 4*24)
	}
	slow := visited["http://a.example/slow/1"]
	if len(slow) < 4*24/5 {
		t.Errorf("the page that rests for 3 hours was visited %d times", len(slow))
	}
	for i := 1; i < len(slow); i++ {
		if gap := slow[i].Sub(slow[i-1].Add(59 * time.Minute)); gap < 3*time.Hour {
			t.Errorf("it was visited at %v and in the round of %v", slow[i-1], slow[i])
		}
	}
	for _, url := range []string{"http://a.example/office/1", "http://a.example/office/new"} {
		for _, from := range visited[url] {
			if !hours.Open(from, from.Add(time.Hour)) {
				t.Errorf("%s was visited at %v", url, from)
			}
		}
		if n := len(visited[url]); n != 6+10+4 { // Friday 12 to 18, Monday 8 to 18, Tuesday 8 to 12
			t.Errorf("%s was visited %d times: %v", url, n, visited[url])
		}
	}
}
