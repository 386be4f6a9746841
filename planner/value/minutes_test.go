package value

import (
	"math"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// beginAt begins a round that ends so long after day 0, and visitAt is a visit then.
func (h *handDriven) beginAt(number int, end, length time.Duration) {
	at := simtest.At(0).Add(end)
	h.corpus.Begin(planner.Round{Number: number, Start: at.Add(-length), End: at})
	h.policy.Begin(h.corpus.Round())
}

func (h *handDriven) visitAt(p sitegraph.PageID, after time.Duration, changed bool) {
	r := &h.records[p]
	at := simtest.At(0).Add(after)
	r.History.See(at, changed, simtest.At(-400))
	r.Tried = at
	h.corpus.Remember(r)
	h.policy.Observe(p, map[bool]sitegraph.Verdict{true: sitegraph.VerdictChanged,
		false: sitegraph.VerdictUnchanged}[changed])
}

// A page that changed at each of its visits, a minute apart, changes by the minute: it is all but
// sure to have changed after ten, and is due at once; one that did not change is not.
func TestPageThatChangesByTheMinute(t *testing.T) {
	h := newHandDriven(t, "value")
	h.policy.PerDay = 4 * 24 * 60
	for n := 1; n <= 10; n++ {
		after := time.Duration(n) * time.Minute
		h.beginAt(n, after, time.Minute)
		for p := range sitegraph.PageID(4) {
			h.policy.Asked(p, simtest.At(0).Add(after), 0)
			h.visitAt(p, after, p == 3)
		}
	}
	at := func(p sitegraph.PageID, after time.Duration) float64 {
		return h.policy.Probability(p, simtest.At(0).Add(10*time.Minute+after))
	}
	const half = 30 * time.Minute
	if always, never := at(3, half), at(2, half); always < 0.9 || never > 0.1 {
		t.Errorf("after half an hour a change is expected at %.2f of a page that changes by the "+
			"minute, and at %.2f of one that does not", always, never)
	}
	for _, p := range []sitegraph.PageID{2, 3} {
		c := h.policy.Explain(p, simtest.At(0).Add(10*time.Minute+half))
		sum := c.Start
		for _, x := range c.All {
			sum += x.LogOdds
		}
		if want := at(p, half); math.Abs(c.Probability-want) > 1e-4 ||
			math.Abs(sum-logOdds(want)) > 0.01 {
			t.Errorf("contributions make %.4f and log odds of %.3f, the policy goes by %.4f",
				c.Probability, sum, want)
		}
	}
	h.policy.price = 0.3
	_, soon := h.policy.Due(3, simtest.At(0).Add(10*time.Minute))
	_, late := h.policy.Due(2, simtest.At(0).Add(10*time.Minute))
	if soon > 3*time.Minute || late < time.Hour {
		t.Errorf(
			"a page that changes by the minute is due after %v, and one that does not after %v",
			soon, late)
	}
}

// Moments are told apart by seconds, also after months, and days and weekdays are what they are by
// days since 1970.
func TestClockTellsSeconds(t *testing.T) {
	for _, months := range []int{0, 1, 6, 12} {
		var c clock
		start := time.Date(2026, 3, 7, 12, 34, 56, 0, time.UTC)
		c.anchor(sitegraph.Unix32(start))
		at := sitegraph.Unix32(start.AddDate(0, months, 0))
		if span := inDays(6); c.day(at+6) <= c.day(at) || c.day(at+60)-c.day(at) > 11*span ||
			c.day(at+60)-c.day(at) < 9*span {
			t.Errorf("after %d months, six seconds and a minute are %g and %g days",
				months, c.day(at+6)-c.day(at), c.day(at+60)-c.day(at))
		}
		if whole := c.day(at / secondsPerDay * secondsPerDay); whole != float32(int(whole)) ||
			c.sinceEpoch(whole) != float32(at/secondsPerDay) {
			t.Errorf("midnight is day %g, day %g since 1970", whole, c.sinceEpoch(whole))
		}
		if c.day(0) != 0 || weekends(c.day(at)+7)-weekends(c.day(at)) != 2 {
			t.Error("a week has no two days of weekends")
		}
	}
	saturday := time.Date(2026, 3, 7, 0, 0, 0, 0, time.UTC)
	var c clock
	c.anchor(sitegraph.Unix32(saturday))
	if from := c.day(sitegraph.Unix32(saturday)); weekendShare(from, from+2) != 1 ||
		weekendShare(from+2, from+7) != 0 {
		t.Error("the weekend is not on Saturday and Sunday")
	}
}

// Evidence of visits a minute apart is kept apart.
func TestEvidenceByTheMinute(t *testing.T) {
	h := newHandDriven(t, "value")
	h.begin(1)
	h.visitAt(3, 24*time.Hour, false)
	for n := 1; n <= 6; n++ {
		h.visitAt(3, 24*time.Hour+time.Duration(n)*time.Minute, n > 3)
	}
	day := func(minutes int) float32 {
		return h.policy.groups.day(
			sitegraph.Unix32(simtest.At(1).Add(time.Duration(minutes) * time.Minute)))
	}
	of := h.policy.groups.groupsOf(3).shape
	before, after := of.since(day(0), day(6), 0), of.since(day(3), day(6), 0)
	if before.visits < 5.9 || abs32(after.visits-3) > 0.2 || abs32(after.changed-3) > 0.2 {
		t.Errorf("of six visits in six minutes %.2f are known, of the last three %.2f with %.2f "+
			"changes", before.visits, after.visits, after.changed)
	}
}
