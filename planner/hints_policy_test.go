package planner

import (
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner/hints"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestNorconexGoesBySitemaps: a page is visited first if its sitemap says that it was modified since its
// last visit, at its change frequency if only that is told, at last if it is said to be unmodified;
// without a sitemap at a fixed interval. It makes no difference whether the sitemap is heard
// before the round or in it, and feeds are not believed.
func TestNorconexGoesBySitemaps(t *testing.T) {
	for _, when := range []string{"before", "within"} {
		c, source := claimed(t, 5, hintsBase.Add(20*Day))
		frozen, modified, monthly, fed := source+1, source+2, source+3, source+5 // and one without a claim
		for p := frozen; p <= fed; p++ {                                         // twice visited, so that no first interval is spread
			m := c.Memory(p)
			m.History.Visits = 2
		}
		policy, err := NewPolicy("norconex", Settings{Corpus: c, Mode: Stream, PerDay: 0.5}) // 6 known, source too: a cycle of about 12 days
		if err != nil {
			t.Fatal(err)
		}
		p := New(c, policy, Options{})
		hear := func() {
			p.Hear(source, hints.Sitemap, []hints.Claim{{Page: frozen, Modified: hintsBase.Add(-Day), Every: Day}, {Page: modified, Modified: hintsBase.Add(Day), Every: 0}, {Page: monthly, Every: 30 * Day}}, true)
			p.Hear(source, hints.Feed, []hints.Claim{{Page: fed, Modified: hintsBase.Add(2 * Day), Every: 0}}, false)
		}
		if when == "before" {
			hear()
		}
		p.Begin(Round{Number: 1, Start: hintsBase.Add(20 * Day), End: hintsBase.Add(21 * Day), Budget: Unlimited})
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
		if len(reasons) == 5 && (!strings.Contains(reasons[0], "modified since") || !strings.Contains(reasons[3], "each 30 days") || !strings.Contains(reasons[4], "not modified")) {
			t.Errorf("reasons %q", reasons)
		}
	}
}
