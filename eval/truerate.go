package eval

import (
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// longRun counts, by page of a truth, the changes and the days of life within it.
type longRun struct {
	changes, days int32
	aliveSince    int32 // day; -1: not alive
}

// longRuns follows the pages of a truth to its last day.
func (t *truth) longRuns(lastDay int) []longRun {
	runs := make([]longRun, len(t.pages))
	for i := range runs {
		if runs[i].aliveSince = -1; t.pages[i].start.alive {
			runs[i].aliveSince = 0
		}
	}
	for d := 1; d <= lastDay; d++ {
		for _, now := range t.byDay[d] {
			r := &runs[now.page]
			switch {
			case !now.now.alive:
				r.days += int32(d) - r.aliveSince
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
			r.days += int32(lastDay) - r.aliveSince
		}
	}
	return runs
}

// rate is the changes a day of life; 0 for a page that lived for no whole day.
func (r longRun) rate() float64 { return float64(r.changes) / float64(max(r.days, 1)) }

// trueRate tells the long-run rate of each page of the stream: what true-rates goes by.
func (m *meter) trueRate() func(sitegraph.PageID) float64 {
	var runs []longRun // counted once they are asked for
	return func(p sitegraph.PageID) float64 {
		if runs == nil {
			runs = m.truth.longRuns(m.corpus.lastDay(m.truth.days))
		}
		if i := m.of(p); i >= 0 {
			return runs[i].rate()
		}
		return 0
	}
}

// trueRate is the same for a sweep: over the rest of the window.
func (h *horizon) trueRate() func(sitegraph.PageID) float64 {
	var t *truth
	var runs []longRun
	return func(p sitegraph.PageID) float64 {
		if t == nil {
			days := int(windowEnd.Sub(h.Base) / (24 * time.Hour))
			t = h.newTruth(days)
			runs = t.longRuns(h.lastDay(days))
		}
		if i, ok := t.byURL[h.graph.URL(p)]; ok {
			return runs[i].rate()
		}
		return 0
	}
}
