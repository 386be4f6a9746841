package planner

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// step is how the planner continues after it has judged a visit.
type step uint8

const (
	goOn step = iota // make the visit
	skip             // ask for another visit
	wait             // no visit for now
)

// maxMisfits is the number of visits in a row that do not fit into the rest of all servers' limits,
// after which a round ends: the rest is then less than almost any page needs.
const maxMisfits = 64

// beginCaps opens the accounts for a round. New pages that waited for room are queued again.
func (p *Planner) beginCaps(r Round) {
	c := p.caps
	again := func(page sitegraph.PageID) { p.frontier.failed = append(p.frontier.failed, page) }
	if v := c.pending; v != nil && v.First {
		again(v.Page)
	}
	c.clear(again)
	c.begin(r)
}

// admit reserves what a visit needs under the limits, or puts the visit aside.
func (p *Planner) admit(v *Visit) step {
	c := p.caps
	if c == nil {
		return goOn
	}
	if !v.First && !v.Asked {
		*v = c.instead(*v, c.of(p.Pages.Graph.Server(v.Page)))
	}
	switch why, b := c.plan(v); why {
	case refusedByServer:
		p.Pages.Propose(v.Page)
		if !c.putAside(v, b) && v.First {
			p.frontier.failed = append(p.frontier.failed, v.Page)
		}
		return skip
	case refusedByAll:
		p.Pages.Propose(v.Page)
		if c.planned+c.flying > 0 { // these may use less than was reserved
			pending := *v
			c.pending = &pending
			return wait
		}
		c.refuse(v, c.all)
		if v.First {
			p.frontier.failed = append(p.frontier.failed, v.Page)
		}
		if c.misfits++; c.misfits == maxMisfits || !c.all.HasRoom(budget.AroundPage) {
			c.spent = true
			return wait
		}
		return skip
	}
	c.misfits = 0
	return goOn
}

// nextPending takes the visit that waited for room under the limits of all servers.
func (p *Planner) nextPending() (Visit, step) {
	if p.caps == nil || p.caps.pending == nil {
		return Visit{}, skip
	}
	v := *p.caps.pending
	p.caps.pending = nil
	return v, p.admit(&v)
}

// nextHeld takes a visit that waited for room under its server's limits.
func (p *Planner) nextHeld() (Visit, bool) {
	c := p.caps
	if c == nil {
		return Visit{}, false
	}
	for len(c.ready) > 0 {
		last := len(c.ready) - 1
		b := c.ready[last]
		if v, ok := p.fromShelf(b); ok {
			if p.Pages.Memory(v.Page).mark == p.Pages.mark { // refused and counted in this round
				b.pages--
				b.value = max(b.value-orZero(p.Pages.worth(&v)), 0)
			}
			return v, true
		}
		b.ready = false
		c.ready = c.ready[:last]
	}
	return Visit{}, false
}

// fromShelf takes a visit that waited for its server and now fits.
func (p *Planner) fromShelf(b *book) (Visit, bool) {
	c := p.caps
	for len(b.held) > 0 && b.HasRoom(0) {
		v := b.held[0]
		closed := p.closed(&v)
		if !closed {
			if why, _ := c.plan(&v); why != hasRoomFor {
				return Visit{}, false
			}
		}
		b.held = b.held[1:]
		if v.First {
			c.heldNew--
		}
		if !closed {
			return v, true
		}
		if v.First {
			p.frontier.failed = append(p.frontier.failed, v.Page)
		}
	}
	if !b.HasRoom(0) {
		return Visit{}, false
	}
	v, ok := c.nextKept(b)
	if !ok {
		return Visit{}, false
	}
	if why, _ := c.plan(&v); why != hasRoomFor {
		c.queuePage(v.Page, b)
		return Visit{}, false
	}
	return v, true
}

// sweepKept offers all kept pages once a round, when the policy proposes nothing more.
func (p *Planner) sweepKept() bool {
	c := p.caps
	if c == nil || c.swept {
		return false
	}
	c.swept = true
	for _, b := range c.active {
		if b.Round() != c.number {
			c.open(b)
		}
		c.room(b)
	}
	return len(c.ready) > 0
}

// Start claims what a visit may use under the limits, just before it begins. It returns how many
// bytes the visit may read; 0: no bound. False: there is no room for it any more; hand it back
// (Return).
func (p *Planner) Start(v *Visit) (bytes int64, ok bool) {
	if p.caps == nil {
		return 0, true
	}
	bytes, ok = p.caps.start(v)
	if !ok {
		b := p.caps.of(p.Pages.Graph.Server(v.Page))
		if b == nil || p.caps.all.Left(budget.InBytes, false) < v.need {
			b = p.caps.all
		}
		p.caps.refuse(v, b)
	}
	return bytes, ok
}

// Finish settles the bytes of a started visit: it counts those that were read, and frees the rest
// of the bound.
func (p *Planner) Finish(v *Visit, might, read int64) {
	if p.caps != nil {
		p.caps.finish(v, might, read)
	}
}

// Caps returns the accounts of the limits, which the loop keeps in the store; nil: no limits.
func (p *Planner) Caps() *Caps { return p.caps }

// restsNow reports whether a page rests in this round, because of its rest times, and why.
func (p *Planner) restsNow(page sitegraph.PageID) (rests bool, why string) {
	if p.options.Rests == nil {
		return false, ""
	}
	rule, ok := p.options.Rests.Of(p.Pages.Graph.URL(page))
	if !ok {
		return false, ""
	}
	round, m := p.Pages.round, p.Pages.Memory(page)
	start := round.Start.Add(time.Nanosecond) // rounds of the loop begin one earlier, see Round
	if until := time.Unix(int64(m.Tried), 0).Add(rule.MinAge); m.Tried > 0 && rule.MinAge > 0 &&
		until.After(start) {
		return true, fmt.Sprintf("it was visited at %s, and is not to be again within %s",
			time.Unix(int64(m.Tried), 0).UTC().Format(time.DateTime), words.Duration(rule.MinAge))
	}
	if !rule.Hours.Open(start, round.End) {
		return true, fmt.Sprintf("its hours are %v: it is not visited before %s", rule.Hours,
			rule.Hours.Next(start).UTC().Format(time.DateTime))
	}
	return false, ""
}

// rested is restsNow without the reason.
func (p *Planner) rested(page sitegraph.PageID) bool {
	if p.options.Rests == nil {
		return false
	}
	rests, _ := p.restsNow(page)
	return rests
}
