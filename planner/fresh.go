package planner

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/sitegraph"
)

// Fresh returns the probability that the copy of a page equals the page at a given time. It is the
// policy's estimate; without one it follows from the visits to the page (estimator.ChangeRate).
// Every figure of freshness that users see comes from here. NaN: there is no copy, or too little is
// known.
func (p *Planner) Fresh(page sitegraph.PageID, at time.Time) float64 {
	m := p.Pages.Memory(page)
	if m.State != sitegraph.StateAlive || !p.Pages.judged(at) {
		return math.NaN()
	}
	if policy, ok := p.Policy.(Estimator); ok {
		if changed := policy.Probability(page, at); !math.IsNaN(changed) {
			return 1 - changed
		}
	}
	return estimator.Seen(m.History).Unchanged(m.History.Age(at))
}

const (
	// believedFrom is the number of revisits before predictions are shown; with few copies,
	// revisitsEach for each copy suffice. Before that a policy uses rates of the web at large. In
	// the first two minutes of a run with rounds of a minute, the default policy expected 0.007
	// changes in 32 revisits, and 7 saw one. Two minutes later it expected 91 in 240, and 89 saw
	// one.
	believedFrom, revisitsEach = 100, 2
	judgedEvery                = 5 * time.Second
)

// judging holds whether enough revisits were made, and when that was last checked.
type judging struct {
	enough bool
	looked time.Time
}

// judged reports whether enough revisits were made to show predictions. Until then it looks at all
// pages every few seconds, and less often if there are millions.
func (c *Pages) judged(at time.Time) bool {
	j := &c.judging
	every := judgedEvery + time.Duration(c.Count())*judgedEvery/1_000_000
	if j.enough || at.Sub(j.looked).Abs() < every {
		return j.enough
	}
	j.looked = at
	revisits, copies := 0, 0
	for _, m := range c.memories() {
		if m.State == sitegraph.StateAlive {
			copies++
			revisits += max(int(m.History.Visits)-1, 0)
		}
		if revisits >= believedFrom {
			break
		}
	}
	j.enough = copies > 0 && revisits >= min(believedFrom, revisitsEach*copies)
	return j.enough
}
