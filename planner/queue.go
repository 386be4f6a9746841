package planner

import (
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Queue keeps when each page is due, and hands out those whose time has come. It holds pages that
// have a copy. A page that was neither handed out nor promoted in a round is not visited in it.
type Queue interface {
	// Put sets when a page is due (unix seconds). It replaces the time it had.
	Put(p sitegraph.PageID, due uint32)
	// Take hands out pages that are due by until, earliest first, at most len(into) at a time, and
	// returns how many. A page handed out is in the queue no more until it is Put again.
	Take(until uint32, into []sitegraph.PageID) int
	// Promote hands out pages whatever their time. Those not in the queue only get their messages.
	Promote(pages []sitegraph.PageID)
	// Back is Put of a page that was handed out and keeps its due time.
	Back(p sitegraph.PageID, due uint32)
	// Message keeps a message for a page until the page is handed out or promoted. Then the
	// messages of a page are applied once, in order.
	Message(p sitegraph.PageID, m Message)
	// Answer ends the messages of a page that were applied and that no visit will answer, as the
	// page may not be visited.
	Answer(p sitegraph.PageID)
}

// Message is what is left at the record of a page.
type Message uint8

const (
	MessageUnknown Message = iota
	MessageAsked           // somebody wants the page visited now
	MessageClaimed         // a feed or sitemap claims something new of it
)

// Durable is implemented by a Queue that knows when pages are due before any was Put, as it
// outlives the process.
type Durable interface{ Durable() }

// UseQueue replaces the queue in memory, before the first round. queue makes the new one, which
// must call apply with each message when it hands out or promotes its page.
func (p *Planner) UseQueue(queue func(apply func(sitegraph.PageID, Message)) Queue) {
	p.Pages.play = play{queue: queue(p.apply)}
}

// EachRound is embedded by a policy that ranks all pages anew in each round: an order. All pages
// are due in each round then, and the queue hands all of them out.
type EachRound struct{}

// RanksAll marks such a policy.
func (EachRound) RanksAll() bool { return true }

// Due is the next moment: the page is ranked with all others in the next round.
func (EachRound) Due(_ sitegraph.PageID, now time.Time) (Due, time.Duration) {
	return Due{now.Add(time.Second), Because("all pages are ranked anew in each round")}, 0
}

// RanksAll reports whether the policy is an order.
func (p *Planner) RanksAll() bool {
	o, ok := p.Policy.(interface{ RanksAll() bool })
	return ok && o.RanksAll()
}

// play is what the queue handed out.
type play struct {
	queue  Queue              // nil: no planner was made yet
	handed []sitegraph.PageID // in this round; a page may be in it twice
	in     pageSet            // handed out or promoted in this round
	out    pageSet            // of these, what has not been put back
}

// HandedOut reports whether a page was handed out or promoted, and waits to be put back.
func (c *Pages) HandedOut(p sitegraph.PageID) bool { return c.play.out.has(p) }

// InPlay reports whether a page was handed out or promoted in this round.
func (c *Pages) InPlay(p sitegraph.PageID) bool { return c.play.in.has(p) }

// Promote brings pages into play whatever their time, as evidence says that they are worth a visit
// now. The policy ranks them itself: they are not offered to it.
func (c *Pages) Promote(pages []sitegraph.PageID) {
	if c.play.queue != nil {
		c.play.queue.Promote(pages)
		c.handOut(pages)
	}
}

// MoveDue gives another due time to a page that waits in the queue, as evidence says that it is due
// earlier or later. One that failed keeps its own.
func (c *Pages) MoveDue(p sitegraph.PageID, due time.Time) {
	if m := &c.pages[p]; m.Errors == 0 && m.misses == 0 && !c.play.out.has(p) {
		m.Due = sitegraph.Unix32(due)
		c.put(p)
	}
}

func (c *Pages) handOut(pages []sitegraph.PageID) {
	for _, p := range pages {
		c.play.in.add(p)
		c.awaitDue(p)
	}
}

// put puts a page with a copy into the queue, due as its Memory says.
func (c *Pages) put(p sitegraph.PageID) {
	if c.play.queue != nil && c.pages[p].State == sitegraph.StateAlive {
		c.play.out.remove(p)
		c.play.queue.Put(p, c.pages[p].Due)
	}
}

// awaitDue lets a page be put back in the next round, unless it is put into the queue before.
func (c *Pages) awaitDue(p sitegraph.PageID) {
	if c.play.out.add(p) {
		c.play.handed = append(c.play.handed, p)
	}
}

// fill puts all pages with a copy into the queue, before the first round. A page of which it is not
// known when it is due is due at once.
func (p *Planner) fill() {
	p.filled = true
	p.Pages.play = play{queue: p.Pages.play.queue}
	if _, ok := p.Pages.play.queue.(Durable); ok {
		return
	}
	now := p.RanksAll()
	for page, m := range p.Pages.memories() {
		if m.State == sitegraph.StateAlive {
			due := m.Due
			if now {
				due = 0
			}
			p.Pages.play.queue.Put(page, due)
		}
	}
}

// EndRound puts back what the round handed out. The next round does so, too, if it was not called.
func (p *Planner) EndRound(now time.Time) {
	if p.filled {
		p.putBack(now)
	}
}

// putBack puts each page back that was handed out. One that was visited in the round keeps the due
// time that it got then. Any other gets a new one, after now, but keeps the one that it had if that
// comes first: it was promoted.
func (p *Planner) putBack(now time.Time) {
	c, all := p.Pages, p.RanksAll()
	for _, page := range c.play.handed {
		c.play.in.remove(page)
		if !c.play.out.has(page) { // it was visited, or handed out twice
			continue
		}
		if m := c.Memory(page); m.State == sitegraph.StateAlive {
			if due := p.dueAgain(page, sitegraph.Unix32(now), all); due == m.Due {
				c.play.queue.Back(page, due)
			} else {
				m.Due = due
				c.put(page)
			}
		}
		c.play.out.remove(page)
	}
	if n := len(c.play.handed); cap(c.play.handed) > 4*n+handSlice { // of a round with more
		c.play.handed = nil
	}
	c.play.handed = c.play.handed[:0]
}

// dueAgain returns when a page is due that is put back.
func (p *Planner) dueAgain(page sitegraph.PageID, now uint32, all bool) uint32 {
	m := p.Pages.Memory(page)
	from := max(now, m.Tried)
	switch {
	case all && m.Errors == 0 && m.misses == 0:
		return from + 1
	case int64(m.Tried) >= p.Pages.start && m.Due > m.Tried: // it was visited
		return m.Due
	}
	again, _ := p.Due(page, time.Unix(int64(from), 0).UTC())
	due := sitegraph.Unix32(again.When)
	if m.Due > from {
		due = min(due, m.Due)
	}
	return due
}

// muchMore is how many times as many pages as it chooses among a Chooser is handed out in a round
// at most, where it has nothing more to visit.
const muchMore = 16

// handSlice is how many pages the queue hands out together. Where too little is due, it hands out
// leastAhead at first, and up to mostAhead.
const handSlice, leastAhead, mostAhead = 1 << 15, 64, 1 << 20

// handOut lets the queue hand out what is due by a moment, at most so many pages, and offers it to
// the policy. It returns how many there were.
func (p *Planner) handOut(until uint32, most int) (n int) {
	if p.slice == nil {
		p.slice = make([]sitegraph.PageID, handSlice)
	}
	for n < most {
		got := p.Pages.play.queue.Take(until, p.slice[:min(handSlice, most-n)])
		if got == 0 {
			break
		}
		n += got
		slices.Sort(p.slice[:got]) // pages of a server lie near each other
		offer := p.slice[:0]
		for _, page := range p.slice[:got] {
			switch m := p.Pages.Memory(page); {
			case m.State != sitegraph.StateAlive:
			case p.Pages.taken(m): // its next visit is of a later round
				p.Pages.awaitDue(page)
			default:
				offer = append(offer, page)
			}
		}
		p.Pages.handOut(offer)
		if p.Policy != nil {
			p.Policy.Offer(offer)
		}
	}
	return n
}

// propose returns what the policy wants to visit next, of the pages in play. Where it has nothing
// more, the queue hands out what comes next, twice as many pages each time. A policy that chooses
// among few pages gets muchMore times as many at most: what it leaves is closed, or worth little.
func (p *Planner) propose() (Visit, bool) {
	for {
		for v, ok := p.Policy.Next(); ok; v, ok = p.Policy.Next() {
			if p.Pages.InPlay(v.Page) {
				return v, true
			}
			p.Pages.Propose(v.Page) // so that it is not proposed again
		}
		n := p.handOut(math.MaxUint32, min(p.ahead, p.further))
		if n == 0 {
			return Visit{}, false
		}
		p.ahead = min(2*p.ahead, mostAhead)
		p.further -= n
	}
}

// apply applies a message to the page at which it was left.
func (p *Planner) apply(page sitegraph.PageID, m Message) {
	switch m {
	case MessageAsked:
		p.asked.add(page)
	case MessageClaimed:
		if hinter, ok := p.Policy.(Hinter); ok {
			hinter.Hinted(page)
		}
	}
}
