package value

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// What nothing was told of, and what never had a page to rank, are one value each for all groups
// and servers: whatever the tests did, nothing may have written to them.
func TestMain(m *testing.M) {
	code := m.Run()
	if !reflect.DeepEqual(unobserved, observed{}) || !reflect.DeepEqual(unranked, ranked{}) {
		fmt.Printf("something was told of all groups, or ranked of all servers: %+v, %+v\n",
			unobserved, unranked)
		code = 1
	}
	os.Exit(code)
}

// leave tells that a page was visited and is gone.
func (h *handDriven) leave(p sitegraph.PageID, day int) {
	h.Helper()
	r := &h.records[p]
	verdict := r.Apply(sitegraph.Observation{URL: r.URL, Time: simtest.At(day),
		Outcome: sitegraph.OutcomeGone}, sitegraph.ChangeByBytes)
	h.corpus.Remember(r)
	h.policy.Observe(p, verdict)
}

// like are the pages of a page's address shape but itself.
func (h *handDriven) like(p sitegraph.PageID) (all []sitegraph.PageID) {
	of := h.policy.groups.pages
	for q := range sitegraph.PageID(h.corpus.Pages()) {
		if q != p && of[q].shape == of[p].shape {
			all = append(all, q)
		}
	}
	return all
}

// again begins a day in a process that begins anew.
func (h *handDriven) again(day int) {
	h.Helper()
	h.start("value")
	h.begin(day)
}

// named puts a page that left, or was never fetched, in line again, as a new link to it does.
func (h *handDriven) named(p sitegraph.PageID) {
	h.records[p].State = sitegraph.StateNew
	h.corpus.Remember(&h.records[p])
}

// Pages found gone tell their like, from that day on: looks that saw no change, and that pages go.
// A process that begins anew knows it, too.
func TestPagesThatLeft(t *testing.T) {
	h := newHandDriven(t, "value")
	h.begin(10)
	like := h.like(3)
	if len(like) < 3 {
		t.Fatalf("%d pages are like page 3", len(like))
	}
	before := h.policy.Probability(3, simtest.At(21))
	h.leave(like[0], 10)
	h.begin(18)
	h.visit(like[1], 18, false)
	h.begin(20)
	h.leave(like[2], 20)
	const once = goneMemory
	const want = once*(1-once) + goneMemory*(1-once*(1-once)) // gone, alive, gone
	row := h.row(3, 21)
	for _, f := range []int{fShapeGone, fSectionGone, fServerGone} {
		if row[f] != want {
			t.Errorf("%s: %g, want %g", FeatureNames[f], row[f], want)
		}
	}
	if row[fShapeVisits] != 3 || row[fServerVisits] != 3 {
		t.Errorf("%g visits to its address shape, %g to its server, want 3",
			row[fShapeVisits], row[fServerVisits])
	}
	if after := h.policy.Probability(3, simtest.At(21)); after >= before {
		t.Errorf("a change is expected at %.3f, %.3f before pages like it were found gone",
			after, before)
	}
	inherits := h.row(0, 21) // the start page: of another section
	if inherits[fShapeGone] != want || inherits[fSectionGone] != want ||
		inherits[fShapeVisits] != 0 {
		t.Errorf("an unseen section of the server: %g, %g gone after %g visits",
			inherits[fShapeGone], inherits[fSectionGone], inherits[fShapeVisits])
	}
	if other := h.row(sitegraph.PageID(h.corpus.Pages()-1), 21); other[fShapeGone] != 0 ||
		other[fServerGone] != 0 {
		t.Errorf("of another server %g are gone", other[fServerGone])
	}

	h.again(21)
	anew := h.row(3, 21)
	for _, f := range []int{fShapeGone, fSectionGone, fServerGone, fShapeVisits, fDirectoryVisits,
		fSectionVisits, fServerVisits} {
		if anew[f] != row[f] {
			t.Errorf("begun anew, %s: %g, before %g", FeatureNames[f], anew[f], row[f])
		}
	}
	h.named(like[2])
	h.again(22)
	if anew := h.row(3, 21); anew[fShapeGone] != want || anew[fShapeVisits] != 3 {
		t.Errorf("begun anew after a page that left was named again: %g gone of %g",
			anew[fShapeGone], anew[fShapeVisits])
	}
}

// A page leaves once, however often it is named again and looked for; one that was never fetched
// does not leave, and a failed visit tells nothing.
func TestPageLeavesOnce(t *testing.T) {
	h := newHandDriven(t, "value")
	h.begin(1)
	page := h.like(3)[0]
	never := h.like(3)[1]
	h.records[never] = sitegraph.Record{Page: never, URL: h.records[never].URL,
		State: sitegraph.StateNew}
	h.corpus.Remember(&h.records[never])
	for _, restart := range []bool{false, true} {
		for day := 10; day < 20; day++ {
			if restart {
				h.again(day + 10)
			} else {
				h.begin(day)
			}
			for _, p := range []sitegraph.PageID{page, never} {
				h.leave(p, day+map[bool]int{true: 10}[restart])
				h.named(p)
				h.policy.Observe(p, sitegraph.VerdictUnknown)
			}
		}
		if row := h.row(3, 31); row[fShapeVisits] != 1 || row[fShapeGone] != goneMemory {
			t.Errorf(
				"restarted each day %v: %g visits to its address shape, %g gone, want 1 and %g",
				restart, row[fShapeVisits], row[fShapeGone], goneMemory)
		}
	}
}
