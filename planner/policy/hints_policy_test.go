package policy

import (
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestNorconexGoesBySitemaps checks that a page is visited first if its sitemap claims a
// modification since its last visit, at its claimed frequency if only that is known, and last if it
// is claimed unmodified; without a sitemap at a fixed interval. The sitemap may come before the
// round or in it. Feeds are not believed.
func TestNorconexGoesBySitemaps(t *testing.T) {
	for _, when := range []string{"before", "within"} {
		c, source := simtest.Claimed(t, 5, simtest.ClaimsBase.Add(20*planner.Day))
		// and one without a claim
		frozen, modified, monthly, fed := source+1, source+2, source+3, source+5
		for p := frozen; p <= fed; p++ { // twice visited, so that no first interval is spread
			m := c.Memory(p)
			m.History.Visits = 2
		}
		// 6 known, source too: a cycle of about 12 days
		policy, err := New("norconex", Settings{Pages: c, Mode: planner.Stream, PerDay: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		p := planner.New(c, policy, planner.Options{})
		hear := func() {
			p.UpdateHints(source, planner.Sitemap,
				[]planner.Claim{{Page: frozen, Modified: simtest.ClaimsBase.Add(-planner.Day),
					Every: planner.Day},
					{Page: modified, Modified: simtest.ClaimsBase.Add(planner.Day), Every: 0},
					{Page: monthly, Every: 30 * planner.Day}}, true)
			p.UpdateHints(source, planner.Feed,
				[]planner.Claim{{Page: fed, Modified: simtest.ClaimsBase.Add(2 * planner.Day),
					Every: 0}}, false)
		}
		if when == "before" {
			hear()
		}
		p.Begin(planner.Round{Number: 1, Start: simtest.ClaimsBase.Add(20 * planner.Day),
			End: simtest.ClaimsBase.Add(21 * planner.Day), Budget: planner.Unlimited})
		if when == "within" {
			hear()
		}
		var order []sitegraph.PageID
		var reasons []string
		for v, ok := p.Next(); ok; v, ok = p.Next() {
			order = append(order, v.Page)
			due, _ := policy.Due(v.Page, c.Round().End)
			reasons = append(reasons, due.Reason.String())
		}
		place := map[sitegraph.PageID]int{}
		for i, page := range order {
			place[page] = i
		}
		if len(order) != 5 || place[modified] != 0 || place[monthly] != 3 || place[frozen] != 4 {
			t.Errorf("heard %s the round: order %v, because %q", when, order, reasons)
		}
		if len(reasons) == 5 && (!strings.Contains(reasons[0], "modified since") ||
			!strings.Contains(reasons[3], "each 30 days") ||
			!strings.Contains(reasons[4], "not modified")) {
			t.Errorf("reasons %q", reasons)
		}
	}
}
