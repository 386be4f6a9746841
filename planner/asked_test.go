package planner_test

import (
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// Pages that a user asks for precede all others, each once, and take at most half of the budget.
// The rest come in the next round.
func TestAsked(t *testing.T) {
	l := newFrontier(t, 50, planner.Options{NewShare: 1})
	first := sitegraph.PageID(len(l.Records) - 30)
	for p := first; p < first+15; p++ {
		for range 2 {
			if !l.Planner.Ask(p) {
				t.Fatal("refused")
			}
		}
	}
	for i, want := range []int{8, 7, 0} {
		l.Planner.Begin(planner.Round{Number: i + 1, Start: simtest.At(i), End: simtest.At(i + 1),
			Budget: 16})
		asked, others := 0, 0
		for v, ok := l.Planner.Next(); ok; v, ok = l.Planner.Next() {
			if v.Reason.String() != "a user asked for it" {
				others++
				continue
			}
			if asked++; others > 0 || v.Page < first || v.Page >= first+15 {
				t.Fatalf("round %d: visit %+v after %d others", i, v, others)
			}
		}
		if asked != want || asked+others != 16 {
			t.Errorf("round %d: %d of %d visits were asked for, want %d of 16",
				i, asked, asked+others, want)
		}
	}
	if l.Planner.Asked() > 0 {
		t.Errorf("%d still wait", l.Planner.Asked())
	}
}
