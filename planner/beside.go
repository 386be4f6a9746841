package planner

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// asked holds the pages that a user wants visited now: their owner, or the operator, reports a
// change. They precede all others in the order of the requests, and take at most askedShare of a
// round's budget.
//
// A durable queue keeps their messages, so that the next process knows them.
type asked struct {
	pages []sitegraph.PageID // first in, first out
	waits map[sitegraph.PageID]bool
	back  []sitegraph.PageID // pages without room in this round
	left  int                // such visits left in this round
	carry float64
}

const (
	// askedShare is the share of a round's budget for pages that users ask for: a server that asks
	// without end must not take all of it.
	askedShare = 0.5
	// mostAsked bounds the waiting pages.
	mostAsked = 100_000
)

// Ask puts a page before all others, unless it waits there already; false: too many wait.
func (p *Planner) Ask(page sitegraph.PageID) bool {
	if !p.asked.waits[page] && len(p.asked.pages) >= mostAsked {
		return false
	}
	p.Pages.play.queue.Message(page, MessageAsked)
	p.Pages.Promote([]sitegraph.PageID{page})
	return true
}

func (a *asked) add(page sitegraph.PageID) {
	if a.waits == nil {
		a.waits = map[sitegraph.PageID]bool{}
	}
	if !a.waits[page] {
		a.waits[page] = true
		a.pages = append(a.pages, page)
	}
}

// Asked returns how many pages wait because a user asked for them.
func (p *Planner) Asked() int { return len(p.asked.pages) + len(p.asked.back) }

// beginAsked puts pages that had no room in the last round first in this one.
func (p *Planner) beginAsked(r Round) {
	a := &p.asked
	a.left = r.share(askedShare, &a.carry)
	back := a.back
	a.back = nil
	a.pages = append(slices.DeleteFunc(back, func(page sitegraph.PageID) bool {
		return a.waits[page]
	}), a.pages...)
	for _, page := range back {
		a.waits[page] = true
	}
}

// nextAsked takes the page with the earliest request; skip: there is none, or their share is used.
// A page that was visited in this round, and a feed that is not due, are visited once more.
func (p *Planner) nextAsked() (Visit, step) {
	a, c := &p.asked, p.Pages
	for a.left > 0 && len(a.pages) > 0 {
		page := a.pages[0]
		a.pages = a.pages[1:]
		delete(a.waits, page)
		m := c.Memory(page)
		isSource := m.State == sitegraph.StateSource
		waits := int64(m.Tried)+int64(c.wait(page)/time.Second) > c.end && c.wait(page) > 0
		if waits && !isSource || c.Outside(page) || isSource && !p.caps.mayReadSource(page) {
			c.play.queue.Answer(page)
			continue
		}
		v := Visit{
			Page:        page,
			First:       m.State == sitegraph.StateNew,
			Probability: math.NaN(),
			Value:       math.NaN(),
			Reason:      Because("a user asked for it"),
			Asked:       true,
		}
		p.Pages.Promote([]sitegraph.PageID{page})
		if step := p.admit(&v); step != skip {
			a.left--
			return v, step
		}
	}
	return Visit{}, skip
}

// returnAsked keeps a page for the next round if its visit had no room in this one.
func (p *Planner) returnAsked(v *Visit) {
	a := &p.asked
	if v.round == p.rounds && a.left < math.MaxInt {
		a.left++
	}
	if len(a.back) < mostAsked {
		a.back = append(a.back, v.Page)
	}
}

// again plans looks: visits to pages that left, since such a page may return without a new link.
// Looks are neither first visits nor refetches, count in neither share, and take at most
// Options.AgainShare of a round's budget.
type again struct {
	due   []sitegraph.PageID // in this round, longest due first
	left  int                // looks left in this round
	carry float64
}

// beginAgain finds the looks of a round.
func (p *Planner) beginAgain(r Round) {
	a := &p.again
	a.due, a.left = a.due[:0], 0
	if p.options.AgainShare == 0 {
		return
	}
	if a.left = r.share(p.options.AgainShare, &a.carry); a.left == 0 {
		return
	}
	p.Pages.eachLeft(func(page sitegraph.PageID) {
		if p.lookAt(page) <= r.End.Unix() {
			a.due = append(a.due, page)
		}
	})
	slices.SortFunc(a.due, func(x, y sitegraph.PageID) int {
		return cmp.Or(cmp.Compare(p.lookAt(x), p.lookAt(y)), cmp.Compare(x, y))
	})
}

// lookAt returns when a page that left is visited again, in unix seconds. The wait grows with the
// looks so far. Up to a fifth more depends on the address, so that pages which left together are
// not visited together.
func (p *Planner) lookAt(page sitegraph.PageID) int64 {
	m := p.Pages.Memory(page)
	wait := sitegraph.LookWait(m.misses).Seconds() * (1 + 0.2*Tie(0, p.Pages.Graph.URL(page)))
	if m.Errors > 0 {
		wait = max(wait, BackOff(m.Errors).Seconds())
	}
	most := p.Pages.within(page, time.Duration(wait)*time.Second)
	return int64(m.Tried) + int64(most/time.Second)
}

// nextAgain takes the look that has been due longest; skip: there is none, or their share is used.
func (p *Planner) nextAgain() (Visit, step) {
	a := &p.again
	for a.left > 0 && len(a.due) > 0 {
		page := a.due[0]
		a.due = a.due[1:]
		m := p.Pages.Memory(page)
		if !m.State.Left() || p.Pages.taken(m) || p.Pages.Outside(page) || p.rested(page) {
			continue
		}
		since := float64(p.Pages.round.End.Unix()-int64(m.Tried)) / Day.Seconds()
		v := Visit{
			Page:        page,
			Probability: math.NaN(),
			Value:       math.NaN(),
			Reason:      Because("it left; visited again after %s", since),
		}
		if p.Pages.Closed(p.Pages.Graph.Server(page)) {
			p.putOff(v, false)
			continue
		}
		if step := p.admit(&v); step != skip {
			a.left--
			return v, step
		}
	}
	return Visit{}, skip
}

// againDue returns when a page that left is visited again.
func (p *Planner) againDue(page sitegraph.PageID) Due {
	if p.Pages.Rejected(page) {
		return Due{time.Unix(p.lookAt(page), 0).UTC(),
			Because("a filter rejects it; it is visited again then, or sooner if the filters change")}
	}
	return Due{
		time.Unix(p.lookAt(page), 0).UTC(),
		Because("it left; it is visited again then, or sooner if a new link leads to it"),
	}
}
