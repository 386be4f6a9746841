package planner

import (
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// leave tells that a page was visited and is gone.
func (h *handDriven) leave(p sitegraph.PageID, day int) {
	h.Helper()
	r := &h.records[p]
	verdict := r.Apply(sitegraph.Observation{URL: r.URL, Time: at(day), Outcome: sitegraph.OutcomeGone}, sitegraph.ChangeByBytes)
	h.corpus.Remember(r)
	h.policy.Observe(p, verdict)
}

// like are the pages of a page's address shape but itself.
func (h *handDriven) like(p sitegraph.PageID) (all []sitegraph.PageID) {
	of := h.policy.kin.of
	for q := range sitegraph.PageID(h.corpus.Pages()) {
		if q != p && of[q].shape == of[p].shape {
			all = append(all, q)
		}
	}
	return all
}

// A page found gone tells its like, from its visit on: a look that saw no change, and that pages go. A process
// that begins anew knows it, too.
func TestPageThatWent(t *testing.T) {
	h := newHandDriven(t, "value")
	h.begin(20)
	like := h.like(3)
	if len(like) < 3 {
		t.Fatalf("%d pages are like page 3", len(like))
	}
	before := h.policy.Probability(3, at(21))
	for _, p := range like {
		h.leave(p, 20)
	}
	row := h.row(3, 21)
	want := float32(0)
	for range like {
		want += goneMemory * (1 - want)
	}
	if row[fShapeLooks] != float32(len(like)) || row[fShapeGone] != want {
		t.Errorf("%g visits to its address shape, %g gone, want %d and %g", row[fShapeLooks], row[fShapeGone], len(like), want)
	}
	if after := h.policy.Probability(3, at(21)); after > before/2 {
		t.Errorf("a change is expected at %.3f, %.3f before all pages like it were found gone", after, before)
	}
	if other := h.row(sitegraph.PageID(h.corpus.Pages()-1), 21); other[fShapeGone] != 0 || other[fShapeLooks] != 0 {
		t.Errorf("of another server %g are gone, after %g visits", other[fShapeGone], other[fShapeLooks])
	}

	again, err := NewPolicy("value", Settings{Corpus: h.corpus, Mode: Stream, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	h.policy = again.(*value)
	h.begin(21)
	if anew := h.row(3, 21); anew[fShapeLooks] != row[fShapeLooks] || anew[fShapeGone] != row[fShapeGone] {
		t.Errorf("begun anew: %g visits to its address shape, %g gone; before %g and %g", anew[fShapeLooks], anew[fShapeGone], row[fShapeLooks], row[fShapeGone])
	}
}
