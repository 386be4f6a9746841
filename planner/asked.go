package planner

import (
	"math"
	"slices"

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
	back  []sitegraph.PageID // that had no room in this round
	left  int                // such visits left in this round
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
func (p *Planner) Asked() int { return len(p.asked.pages) + len(p.asked.back) }

// beginAsked lets what did not fit into the round before come first in this one.
func (p *Planner) beginAsked(r Round) {
	a := &p.asked
	a.left = r.share(askedShare, &a.carry)
	back := a.back
	a.back = nil
	a.pages = append(slices.DeleteFunc(back, func(page sitegraph.PageID) bool { return a.waits[page] }), a.pages...)
	for _, page := range back {
		a.waits[page] = true
	}
}

// nextAsked takes the page that was asked for first; skip: none, or their share is used. A page
// that was visited in this round is visited again, and so is a feed that is not due.
func (p *Planner) nextAsked() (Visit, step) {
	a, c := &p.asked, p.Corpus
	for a.left > 0 && len(a.pages) > 0 {
		page := a.pages[0]
		a.pages = a.pages[1:]
		delete(a.waits, page)
		m := c.Memory(page)
		isSource := m.State == sitegraph.StateSource
		waits := m.wait() > 0 && int64(m.Tried)+int64(m.wait().Seconds()) > c.end
		if waits && !isSource || c.Outside(page) || isSource && !p.caps.mayReadSource(page) {
			continue
		}
		v := Visit{
			Page:        page,
			First:       m.State == sitegraph.StateNew,
			Probability: math.NaN(),
			Value:       math.NaN(),
			Reason:      Because("somebody asked for it"),
			Asked:       true,
		}
		if step := p.admit(&v); step != skip {
			a.left--
			return v, step
		}
	}
	return Visit{}, skip
}

// returnAsked keeps a page for the next round whose visit had no room in this one.
func (p *Planner) returnAsked(v *Visit) {
	a := &p.asked
	if v.round == p.rounds && a.left < math.MaxInt {
		a.left++
	}
	if len(a.back) < mostAsked {
		a.back = append(a.back, v.Page)
	}
}
