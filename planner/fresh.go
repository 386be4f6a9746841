package planner

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/sitegraph"
)

// Fresh returns the probability that the copy of a page is at a moment as the page is: by what the
// policy expects, or where it estimates nothing by what visits to the page saw
// (estimator.ChangeRate). It is the one answer that people get, wherever they ask. NaN: there is no
// copy, or nothing is known yet.
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
	// believedFrom is from how many revisits on predictions are shown; of few copies two each are
	// enough. Before that a policy goes by the web at large: in the first two minutes of a run with
	// rounds of a minute the default one expected 0.007 changes in 32 revisits, of which 7 saw one,
	// and two minutes later 91 in 240, of which 89 did.
	believedFrom, revisitsEach = 100, 2
	judgedEvery                = 5 * time.Second
)

// judging is whether enough revisits were made, and when that was looked for last.
type judging struct {
	enough bool
	looked time.Time
}

// judged reports whether enough revisits were made for predictions to be shown. Until there are, it
// looks at all pages every few seconds, and more seldom where there are millions.
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
