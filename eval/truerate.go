package eval

import (
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// longRun counts, by page of a truth, its changes and the steps of its life.
type longRun struct {
	changes, steps int32
	aliveSince     int32 // step; -1: not alive
}

// longRuns follows the pages of a truth to its last step.
func (t *truth) longRuns(lastStep int) []longRun {
	runs := make([]longRun, len(t.pages))
	for i := range runs {
		if runs[i].aliveSince = -1; t.pages[i].start.alive {
			runs[i].aliveSince = 0
		}
	}
	for d := 1; d <= lastStep; d++ {
		for _, now := range t.byStep[d] {
			r := &runs[now.page]
			switch {
			case !now.now.alive:
				r.steps += int32(d) - r.aliveSince
				r.aliveSince = -1
			case r.aliveSince < 0:
				r.aliveSince = int32(d)
			default:
				r.changes++
			}
		}
	}
	for i := range runs {
		if r := &runs[i]; r.aliveSince >= 0 {
			r.steps += int32(lastStep) - r.aliveSince
		}
	}
	return runs
}

// rate returns the changes of a page for each day that it lived, if a day has perDay steps. It is 0
// for a page that lived for no whole step.
func (r longRun) rate(perDay int) float64 {
	return float64(r.changes) / float64(max(r.steps, 1)) * float64(perDay)
}

// trueRate returns the long-run rate of each page of the stream, for true-rates.
func (m *meter) trueRate() func(sitegraph.PageID) float64 {
	var runs []longRun // computed at the first call
	return func(p sitegraph.PageID) float64 {
		if runs == nil {
			runs = m.truth.longRuns(m.corpus.lastStep(m.truth))
		}
		if i := m.of(p); i >= 0 {
			return runs[i].rate(m.truth.perDay())
		}
		return 0
	}
}

// trueRate returns the same for a sweep: over the rest of the window.
func (h *horizon) trueRate() func(sitegraph.PageID) float64 {
	var t *truth
	var runs []longRun
	return func(p sitegraph.PageID) float64 {
		if t == nil {
			days := int(windowEnd.Sub(h.Base) / (24 * time.Hour))
			t = h.newTruth(days)
			runs = t.longRuns(h.lastStep(t))
		}
		if i, ok := t.byURL[h.graph.URL(p)]; ok {
			return runs[i].rate(t.perDay())
		}
		return 0
	}
}
