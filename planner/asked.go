package planner

import (
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

// asked are pages that somebody wants visited now: their owner says that they changed, or the
// operator does. They go before all others, in the order in which they were asked for, and take at
// most askedShare of a round's budget.
//
// They are not kept over a restart, which costs lateness and no page.
type asked struct {
	pages []sitegraph.PageID // first in, first out
	waits map[sitegraph.PageID]bool
	left  int // such visits left in this round
	carry float64
}

const (
	// askedShare is the part of a round's budget for pages that were asked for: a server that asks
	// without end must not take all of it.
	askedShare = 0.5
	// mostAsked bounds those that wait.
	mostAsked = 100_000
)

// Ask puts a page before all others, unless it waits there already; false: too many wait.
func (p *Planner) Ask(page sitegraph.PageID) bool {
	a := &p.asked
	switch {
	case a.waits[page]:
		return true
	case len(a.pages) >= mostAsked:
		return false
	case a.waits == nil:
		a.waits = map[sitegraph.PageID]bool{}
	}
	a.waits[page] = true
	a.pages = append(a.pages, page)
	return true
}

// Asked is how many pages wait because somebody asked for them.
func (p *Planner) Asked() int { return len(p.asked.pages) }

// nextAsked takes the page that was asked for first; skip: none, or their share is used. A page
// that was visited in this round is visited again.
func (p *Planner) nextAsked() (Visit, step) {
	a, c := &p.asked, p.Corpus
	for a.left > 0 && len(a.pages) > 0 {
		page := a.pages[0]
		a.pages = a.pages[1:]
		delete(a.waits, page)
		m := c.Memory(page)
		underWay := m.mark == c.mark && int64(m.Tried) <= c.start
		waits := m.wait() > 0 && int64(m.Tried)+int64(m.wait().Seconds()) > c.end
		if underWay || waits || c.Outside(page) || m.State == sitegraph.StateSource {
			continue
		}
		v := Visit{
			Page:        page,
			First:       m.State == sitegraph.StateNew,
			Probability: math.NaN(),
			Value:       math.NaN(),
			Reason:      Because("somebody asked for it"),
		}
		if c.Closed(c.Graph.Server(page)) {
			p.putOff(v, true)
			continue
		}
		if step := p.admit(&v); step != skip {
			a.left--
			return v, step
		}
	}
	return Visit{}, skip
}
