package value

import (
	"testing"

	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// After a clock that was ahead was put right, copies were made later than now. Whatever is known of
// a page is a number even so.
func TestClockPutRight(t *testing.T) {
	h := newHandDriven(t, "value")
	h.policy.PerDay = 5
	for day := 1; day < 40; day++ {
		h.begin(day)
		for p := range sitegraph.PageID(8) {
			h.visit(p, day, true)
		}
	}
	fresh := sitegraph.PageID(9)
	h.records[fresh].History = sitegraph.Start(simtest.At(39))
	h.corpus.Remember(&h.records[fresh])
	h.policy.Observe(fresh, sitegraph.VerdictFirst)
	for _, day := range []int{38, 30, 2} {
		h.begin(day)
		for p, s := range h.policy.scores {
			if !(s.raw >= 0 && s.worth >= 0 && s.again >= 0) {
				t.Errorf("day %d, page %d: score %+v", day, p, s)
			}
			for i, x := range h.row(sitegraph.PageID(p), day) {
				if x != x {
					t.Errorf("day %d, page %d: number %d is none", day, p, i)
				}
			}
		}
	}
	h.policy.Asked(fresh, simtest.At(2), 0)
	h.visit(fresh, 3, true)
	if _, err := h.policy.Learnt(); err != nil {
		t.Error(err)
	}
}

// Probes after that are expected to find no fewer rebuilds than none.
func TestClockPutRightForProbes(t *testing.T) {
	h := newHandDriven(t, "value")
	h.begin(39)
	h.policy.price = 0.01
	for s := range h.policy.exploration.lastProbe {
		h.policy.exploration.lastProbe[s] = h.policy.now
	}
	h.begin(38)
	if len(h.policy.exploration.wanted) == 0 {
		t.Fatal("no probe is worth it")
	}
	for _, want := range h.policy.exploration.wanted {
		if want.days < 0 {
			t.Errorf("%g days since the last probe of server %d", want.days, want.server)
		}
	}
}
