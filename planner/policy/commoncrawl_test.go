package policy

import (
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// The generator score by hand: a start page, a page that it links to, a page that this one links
// to, and one without links to it, all ten days after their last visits.
func TestCommonCrawlByHand(t *testing.T) {
	g := sitegraph.NewGraph()
	pages := planner.NewPages(g)
	add := func(path string, h sitegraph.History) sitegraph.PageID {
		p := g.Add("http://example.com/" + path)
		pages.Remember(&sitegraph.Record{Page: p, State: sitegraph.StateAlive, History: h,
			Tried: h.LastVisit()})
		return p
	}
	start := g.AddStart("http://example.com/")
	pages.Remember(&sitegraph.Record{Page: start, State: sitegraph.StateAlive,
		History: watched(10, 10), Tried: simtest.At(10)})
	linked, deep, alone := add("linked", watched(6, 2, 5)), add("linked/deep", watched(6, 6)),
		add("alone", watched(8, 8))
	g.SetLinkIDs(start, []sitegraph.PageID{linked}, nil)
	g.SetLinkIDs(linked, []sitegraph.PageID{deep}, nil)
	g.Refresh()
	policy, err := New("commoncrawl", Settings{Pages: pages, Mode: planner.Stream})
	if err != nil {
		t.Fatal(err)
	}
	planner.New(pages, policy, planner.Options{}).Begin(planner.Round{Number: 1,
		Start: simtest.At(19), End: simtest.At(20)})
	score := policy.(*greedy).score
	wantNear(t, "start page, changed", score(start, 10), 1+0.1, 1e-9)
	// Last visited on day 6, linked by a copy of day 10: six days unseen after ten.
	wantNear(t, "linked, unmodified", score(linked, 10), 0.5+0.1-0.005*6-0.5, 1e-9)
	wantNear(t, "deep, changed", score(deep, 10), 1./3+0.1-0.005*10, 1e-9)
	// Of day 8, its first copy of day 0: unseen for 18 days.
	never := 1 / float64(sitegraph.MaxDepth+1)
	wantNear(t, "alone, changed", score(alone, 10), never+0.1-0.005*18, 1e-9)
	if got := score(linked, 0); got > 0.005 {
		t.Errorf("score %g of an unmodified page just visited", got)
	}
	// Later visits: a failure, or no page, which is no proof yet.
	r := sitegraph.Record{Page: deep, State: sitegraph.StateAlive, History: watched(6, 6),
		Tried: simtest.At(7), Errors: 2}
	pages.Remember(&r)
	wantNear(t, "deep, failing", score(deep, 10), 1./3+0.1-0.005*10-0.2, 1e-9)
	r.Errors, r.Misses = 0, 1
	pages.Remember(&r)
	if got := score(deep, 10); got != 0 {
		t.Errorf("score %g of a missing page, want it below the threshold", got)
	}
	wantNear(t, "deep, missing for long", score(deep, 100), 1./3+1-0.005*100-0.5, 1e-9)
}
