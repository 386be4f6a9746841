package planner_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// believer is a policy that uses claims alone. All visits that it proposes are worth the same.
type believer struct {
	planner.EachRound
	corpus *planner.Pages
	pages  []sitegraph.PageID // proposed in a round
	next   int
	worth  float64
}

func (b *believer) Begin(planner.Round)                         { b.next = 0 }
func (b *believer) Offer([]sitegraph.PageID)                    {}
func (b *believer) Observe(sitegraph.PageID, sitegraph.Verdict) {}
func (b *believer) Hinted(sitegraph.PageID)                     {}
func (b *believer) Probability(p sitegraph.PageID, _ time.Time) float64 {
	if hint, _ := b.corpus.Hints.Of(p); hint.LogRatio > 0 {
		return 0.9
	}
	return 0.1
}

func (b *believer) Next() (planner.Visit, bool) {
	if b.next == len(b.pages) {
		return planner.Visit{}, false
	}
	b.next++
	return planner.Visit{Page: b.pages[b.next-1], Probability: b.worth, Value: b.worth}, true
}

// Of two sitemaps with daily news, one names pages that changed and the other has no dates. If each
// visit replaces one to a page, the second is asked seldom, and the first as often as it pays. If
// there is room for all, both are asked each day.
func TestSourcesPayForTheirVisits(t *testing.T) {
	const days, named = 60, 3
	for _, c := range []struct {
		worth        float64 // of a visit to a page
		budget       int
		useful, idle [2]int // bounds on visits
	}{
		{0.5, 6, [2]int{50, days}, [2]int{2, 8}},
		{0.89, 6, [2]int{2, 12}, [2]int{2, 8}}, // three claims are worth 0.03 beyond three pages
		{0.5, 1000, [2]int{50, days}, [2]int{50, days}},
	} {
		known := planner.NewPages(sitegraph.NewGraph())
		var all []*sitegraph.Record
		add := func(url string, state sitegraph.State) sitegraph.PageID {
			r := &sitegraph.Record{Page: known.Graph.AddStart(url), URL: url, State: state,
				Tried: simtest.ClaimsBase, History: sitegraph.Start(simtest.ClaimsBase)}
			known.Remember(r)
			all = append(all, r)
			return r.Page
		}
		sources := [2]sitegraph.PageID{
			add("http://useful.example/sitemap.xml", sitegraph.StateSource),
			add("http://idle.example/sitemap.xml", sitegraph.StateSource)}
		var pages, rest []sitegraph.PageID
		for i := range named {
			pages = append(pages, add(fmt.Sprintf("http://useful.example/%d", i),
				sitegraph.StateAlive))
		}
		for i := range 8 {
			rest = append(rest, add(fmt.Sprintf("http://rest.example/%d", i),
				sitegraph.StateAlive))
		}
		proved := []byte(`{"sitemap": {"true": 50, "false": 1, "missed": 1, "same": 50}}`)
		if err := known.Hints.Restore(known.Graph.Server(sources[0]), proved); err != nil {
			t.Fatal(err)
		}
		policy := &believer{corpus: known, pages: rest, worth: c.worth}
		p := planner.New(known, policy, planner.Options{SourceShare: 0.5})
		asked := map[sitegraph.PageID]int{}
		for day := range days {
			end := simtest.ClaimsBase.Add(time.Duration(day+1) * planner.Day)
			p.Begin(planner.Round{Number: day, Start: end.Add(-planner.Day), End: end,
				Budget: c.budget})
			for v, ok := p.Next(); ok; v, ok = p.Next() {
				asked[v.Page]++
				r := all[v.Page]
				r.Tried = end
				r.History.See(end, r.State == sitegraph.StateSource, time.Time{})
				p.Observe(r, sitegraph.VerdictUnchanged)
				if v.Page == sources[0] {
					var said []planner.Claim
					for _, page := range pages {
						said = append(said, planner.Claim{Page: page, Modified: end})
					}
					p.UpdateHints(v.Page, planner.Sitemap, said, true)
					for _, page := range pages { // these are visited after it
						all[page].History.See(end.Add(time.Second), true, time.Time{})
						known.Remember(all[page])
					}
				} else if v.Page == sources[1] {
					p.UpdateHints(v.Page, planner.Sitemap, []planner.Claim{{Page: rest[0]}}, true)
				}
				due, _ := p.Due(v.Page, end)
				r.Due = due.When
				known.Remember(r)
			}
		}
		for i, want := range [2][2]int{c.useful, c.idle} {
			if got := asked[sources[i]]; got < want[0] || got > want[1] {
				t.Errorf("visits to pages are worth %g, %d a day: %d visits to %s, want %d to %d",
					c.worth, c.budget, got, all[sources[i]].URL, want[0], want[1])
			}
		}
	}
}
