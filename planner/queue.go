package planner

import (
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Queue keeps when each page is due, and hands out pages whose time has come. It holds pages that
// have a copy. A page that was neither handed out nor promoted in a round is not visited in it.
type Queue interface {
	// Put sets when a page is due, in unix seconds. It replaces the earlier time.
	Put(p sitegraph.PageID, due uint32)
	// Take hands out pages that are due by until, earliest first, at most len(into) at a time, and
	// returns how many. A page that was handed out is not in the queue until it is Put again.
	Take(until uint32, into []sitegraph.PageID) int
	// Promote hands out pages before their time. Pages that are not in the queue only get their
	// messages.
	Promote(pages []sitegraph.PageID)
	// Back is Put for a page that was handed out and keeps its due time.
	Back(p sitegraph.PageID, due uint32)
	// Message keeps a message for a page until the page is handed out or promoted. Then the
	// messages of a page are applied once, in order.
	Message(p sitegraph.PageID, m Message)
	// Answer drops the messages of a page that were applied and that no visit will answer, because
	// the page may not be visited.
	Answer(p sitegraph.PageID)
}

// Message is a message that waits at the record of a page.
type Message uint8

const (
	MessageUnknown Message = iota
	MessageAsked           // a user wants the page visited now
	MessageClaimed         // a feed or sitemap has a new claim about it
)

// Durable is implemented by a Queue that outlives the process, and so knows due times before any
// Put.
type Durable interface{ Durable() }

// UseQueue replaces the queue in memory, before the first round. queue makes the new queue. When
// this hands out or promotes a page, it must call apply with each message of the page.
func (p *Planner) UseQueue(queue func(apply func(sitegraph.PageID, Message)) Queue) {
	p.Pages.play = play{queue: queue(p.apply)}
}

// EachRound is embedded by an order: a policy that ranks all pages anew in each round. All pages
// are then due in each round, and the queue hands all of them out.
type EachRound struct{}

// RanksAll marks an order.
func (EachRound) RanksAll() bool { return true }

// Due returns the next second: the page is ranked with all others in the next round.
func (EachRound) Due(_ sitegraph.PageID, now time.Time) (Due, time.Duration) {
	return Due{now.Add(time.Second), Because("all pages are ranked anew in each round")}, 0
}

// RanksAll reports whether the policy is an order.
func (p *Planner) RanksAll() bool {
	o, ok := p.Policy.(interface{ RanksAll() bool })
	return ok && o.RanksAll()
}

// play holds the pages that the queue handed out.
type play struct {
	queue  Queue              // nil: there is no planner yet
	handed []sitegraph.PageID // in this round; may have a page twice
	in     pageSet            // handed out or promoted in this round
	out    pageSet            // of these, not put back yet
}

// HandedOut reports whether a page was handed out or promoted, and waits to be put back.
func (c *Pages) HandedOut(p sitegraph.PageID) bool { return c.play.out.has(p) }

// InPlay reports whether a page was handed out or promoted in this round.
func (c *Pages) InPlay(p sitegraph.PageID) bool { return c.play.in.has(p) }

// Promote brings pages into play before they are due, because evidence says that they are worth a
// visit now. The policy ranks them itself: they are not offered to it.
func (c *Pages) Promote(pages []sitegraph.PageID) {
	if c.play.queue != nil {
		c.play.queue.Promote(pages)
		c.handOut(pages)
	}
}

// MoveDue changes the due time of a page in the queue, because evidence says that it is due earlier
// or later. A page whose visit failed keeps its due time.
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

// put puts a page with a copy into the queue, at the due time in its Memory.
func (c *Pages) put(p sitegraph.PageID) {
	if c.play.queue != nil && c.pages[p].State == sitegraph.StateAlive {
		c.play.out.remove(p)
		c.play.queue.Put(p, c.pages[p].Due)
	}
}

// awaitDue marks a page to be put back in the next round, unless it is queued before.
func (c *Pages) awaitDue(p sitegraph.PageID) {
	if c.play.out.add(p) {
		c.play.handed = append(c.play.handed, p)
	}
}

// fill puts all pages with a copy into the queue, before the first round. A page without a known
// due time is due at once.
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

// EndRound puts the pages back that the round handed out. Without it the next round does so.
func (p *Planner) EndRound(now time.Time) {
	if p.filled {
		p.putBack(now)
	}
}

// putBack puts each page back that was handed out. A page visited in the round keeps its new due
// time. Any other page gets a new one, after now, unless its present one is earlier: then it was
// promoted.
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
	if n := len(c.play.handed); cap(c.play.handed) > 4*n+handSlice { // after a larger round
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

// muchMore bounds the pages that a Chooser gets in a round with nothing more to visit. The bound is
// a multiple of the number of pages among which the Chooser chooses.
const muchMore = 16

// handSlice is how many pages the queue hands out together. If too few are due, it hands out
// leastAhead more at first, and up to mostAhead.
const handSlice, leastAhead, mostAhead = 1 << 15, 64, 1 << 20

// handOut lets the queue hand out pages due by a given time, at most a given number, and offers
// them to the policy. It returns how many there were.
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
			case p.Pages.taken(m): // its next visit is in a later round
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

// propose returns the next visit that the policy proposes among the pages in play. When the policy
// has no more, the queue hands out the pages due next, twice as many each time. A policy that
// chooses among few pages gets at most muchMore times as many: those that it leaves are closed, or
// worth little.
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

// apply applies a message to its page.
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
