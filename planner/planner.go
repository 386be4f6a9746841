package planner

import (
	"math"
	"time"

	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// Options configure a planner.
type Options struct {
	// Name is the policy's. The memory of a planner with another name is ignored.
	Name string
	// NewShare is the share of a round's budget that first visits of new pages may take, in [0, 1];
	// 0.25 in the evaluations.
	NewShare float64
	// SourceShare is the share that visits to feeds and sitemaps may take, of the round's budget
	// and of the rest of each of Limits when the round begins. It is rounded up to whole visits, at
	// the cost of later rounds. 0: no such visits.
	SourceShare float64
	// Leftover gives new pages the part of the budget that the policy does not use.
	Leftover bool
	// LeastRefetch is the least worth of a refetch that precedes a waiting new page once the share
	// of new pages is used up, as a multiple of the new page's worth. With FirstWorth the visit of
	// greater worth goes first: in a new crawl all copies are minutes old, and hardly any has
	// changed. One visit in twenty of a server is still a refetch, to learn which pages change. 0:
	// the share always holds.
	LeastRefetch float64
	// LeastValue is the least worth of a first visit or a refetch: expected changes times weight,
	// and what the policy adds. The rest of the budget stays unused. It does not apply to visits to
	// feeds and sitemaps, looks at pages that left, and visits that MaxAges demands. The policy
	// must have probabilities. 0: all visits are made.
	LeastValue float64
	// Turns lets servers take turns at visits to their new pages. Otherwise the page that has
	// waited longest is next, and a server that links to millions of pages keeps all others
	// waiting.
	Turns bool
	// MaxAges promises greatest ages of copies; nil: none.
	MaxAges *preferences.MaxAges
	// Watched reports whether somebody watches a page; nil: nobody watches any. MaxAges then also
	// holds while the page never had a copy.
	Watched func(url string) bool
	// Rests has times at which pages are not visited even if they are due; nil: none. Pages that a
	// user asks for are still visited.
	Rests *preferences.Rests
	// Pause is the politeness pause between two visits to a server, which decides whether MaxAges
	// can be kept. 0: unknown.
	Pause time.Duration
	// AgainShare is the share of a round's budget that looks at pages that left may take; 0: no
	// looks.
	AgainShare float64
	// Skip reports pages that must not be visited whatever the policy proposes, at no cost; nil:
	// none.
	Skip func(p sitegraph.PageID) bool
	// Limits are budgets beside that of the round: in bytes, of an hour, of servers. Limits in
	// fetches a day for all servers are the round's own budget and are ignored here.
	Limits budget.Limits
	// MostBytes bounds the bytes of a visit if limits count bytes; 0: no bound.
	MostBytes int64
}

// LiveOptions returns options for the live web, without budgets and promises.
func LiveOptions() Options {
	return Options{
		// one visit to the feed of each server a day if ten of its pages are visited
		SourceShare:  0.1,
		Leftover:     true,
		LeastRefetch: FirstWorth,
		Turns:        true,
		AgainShare:   0.05,
	}
}

// FirstWorth is the worth of meeting an unknown page, in changes found.
const FirstWorth = 0.9

// Planner yields visits: to new pages while their share lasts, otherwise those that the policy
// proposes.
type Planner struct {
	Pages    *Pages
	Policy   Policy // may be nil: then only new pages are visited
	options  Options
	frontier frontier
	sources  sources
	again    again
	asked    asked
	aging    aging
	strains  Strains
	filled   bool               // the queue has all pages with a copy
	ahead    int                // pages that the queue hands out early if too few are due
	further  int                // of these, left in this round
	slice    []sitegraph.PageID // room for handed out pages
	rounds   int                // begun so far
	carried  []sitegraph.PageID // under way when the next round begins
	left     int                // visits left in this round; Unlimited
	made     int                // visits of this round, except those handed back
	newLeft  int                // first visits left in this round
	found    []sitegraph.PageID // queued by the links of the present visit
	missed   []sitegraph.PageID // visited after the restored memory was written
	previous *int               // number of the last round before Recollect
	thawed   bool               // it was made from an image
	revised  int                // pages saved since the image
	newCarry float64            // fraction of a first visit carried over
	caps     *Caps              // nil: no limits except left
	// rate is the changes a day of all pages together; below 0: not computed in this round.
	rate float64
}

// New returns a planner. Known new pages are queued in the order in which they became known.
func New(pages *Pages, policy Policy, o Options) *Planner {
	pages.skip, pages.watch = o.Skip, o.Watched
	if ranker, ok := policy.(Ranker); ok {
		ranker.AtLeast(o.LeastValue)
	}
	p := &Planner{
		Pages:    pages,
		Policy:   policy,
		options:  o,
		frontier: frontier{pages: pages, turns: o.Turns},
	}
	p.frontier.worth = func(page sitegraph.PageID) float64 {
		return p.newWorth(page) / pages.MeanWeight()
	}
	p.caps = newCaps(pages, &o)
	p.aging.ages = o.MaxAges
	pages.caps, pages.ages = p.caps, &p.aging
	pages.play = play{queue: NewMemQueue(p.apply)}
	for id := range sitegraph.PageID(pages.Count()) {
		p.aging.note(pages, id)
		switch pages.Memory(id).State {
		case sitegraph.StateNew:
			p.frontier.add(id)
		case sitegraph.StateSource:
			p.FoundSource(id)
		}
	}
	return p
}

// Carry announces, before the next round begins, a visit under way that goes on in it. The visit
// counts in the round in which it was planned.
func (p *Planner) Carry(page sitegraph.PageID) { p.carried = append(p.carried, page) }

// Begin starts a round. Each visit of the round before must have an outcome, or be handed back
// (Return) or carried (Carry).
func (p *Planner) Begin(r Round) {
	p.rounds++
	p.Pages.Graph.Refresh()
	if p.filled {
		p.putBack(r.Start)
	} else {
		p.fill()
	}
	p.Pages.price.Begin(p.bound(), r.Budget)
	p.Pages.Begin(r)
	for _, page := range p.carried {
		p.Pages.Propose(page)
	}
	p.carried = p.carried[:0]
	p.release(r.Start)
	if p.caps != nil {
		p.beginCaps(r)
	}
	p.left, p.newLeft, p.made = r.Budget, r.Budget, 0
	if r.Budget != Unlimited {
		share := budget.Grant{PerDay: float64(r.Budget) * p.options.NewShare, Carry: p.newCarry}
		p.newLeft = min(share.Of(24*time.Hour), r.Budget)
		p.newCarry = share.Carry
	}
	p.rate = -1
	p.Pages.turns.begin()
	p.frontier.begin()
	p.beginSources(r)
	p.beginAgain(r)
	p.beginAsked(r)
	p.aging.begin(r)
	p.found = p.found[:0] // of no visit
	if p.Policy != nil {
		p.Policy.Begin(r)
	}
	p.catchUp()
	p.ahead = leastAhead
	end := sitegraph.Unix32(r.End)
	p.further = math.MaxInt
	if ranker, ok := p.Policy.(Ranker); ok && r.Budget != Unlimited {
		few, many := ranker.Choice(r.Budget)
		p.handOut(math.MaxUint32, few-p.handOut(end, many))
		p.further = muchMore * many
	} else {
		p.handOut(end, math.MaxInt)
	}
}

// stages lists where Next looks for a visit, in this order. Each returns goOn with a visit, wait if
// no visit can be made for now, or skip if the next stage is to be asked.
var stages = []func(*Planner) (Visit, step){
	(*Planner).pendingVisit,  // had no room under the limits
	(*Planner).heldVisit,     // had no room for its server
	(*Planner).nextAsked,     // a user asked for it
	(*Planner).nextSource,    // a feed or sitemap
	(*Planner).nextAgain,     // a look at a page that left
	(*Planner).nextAging,     // a copy reaches its greatest age
	(*Planner).newVisit,      // a new page, within their share
	(*Planner).policyVisit,   // the policy's proposal, or a new page of greater worth
	(*Planner).keptVisit,     // had no room for its server, which now has some
	(*Planner).leftoverVisit, // a new page beyond their share
}

var askedAlone = []func(*Planner) (Visit, step){(*Planner).nextAsked}

// Next returns the next visit; false: none for now, or the budget is used up. With limits in bytes
// there may be more visits once those under way are over.
func (p *Planner) Next() (Visit, bool) {
	p.Pages.turns.more = false
	if p.left == 0 || p.caps != nil && p.caps.spent {
		return Visit{}, false
	}
	for _, next := range p.openStages() {
		switch v, step := next(p); step {
		case goOn:
			return p.account(v), true
		case wait:
			return Visit{}, false
		}
	}
	return Visit{}, false
}

// openStages returns the stages that can have visits now. While all servers are closed only pages
// that a user asked for are visited, and none while a visit waits for room under the limits.
func (p *Planner) openStages() []func(*Planner) (Visit, step) {
	switch {
	case !p.allClosed():
		return stages
	case p.caps != nil && p.caps.pending != nil:
		return nil
	}
	return askedAlone
}

// pendingVisit takes the visit that waited for room under the limits.
func (p *Planner) pendingVisit() (Visit, step) {
	v, step := p.nextPending()
	return p.ofShare(v), step
}

// heldVisit takes a visit that waited for room for its server.
func (p *Planner) heldVisit() (Visit, step) {
	v, ok := p.nextHeld()
	if !ok {
		return v, skip
	}
	return p.ofShare(v), goOn
}

// newVisit takes a new page while their share lasts.
func (p *Planner) newVisit() (Visit, step) {
	if p.newLeft == 0 || !p.caps.newOpen() {
		return Visit{}, skip
	}
	v, step := p.nextNew(false)
	if step != skip {
		p.frontier.serve(v.Page)
	}
	return p.ofShare(v), step
}

// policyVisit takes the policy's proposal, or a new page of greater worth.
func (p *Planner) policyVisit() (Visit, step) {
	v, step := p.nextProposed()
	if step == goOn {
		if first, ok := p.before(&v); ok {
			v = first
		}
	}
	return v, step
}

// keptVisit takes a page that waited for room for its server, once the policy has no more.
func (p *Planner) keptVisit() (Visit, step) {
	if !p.sweepKept() {
		return Visit{}, skip
	}
	return p.heldVisit()
}

// leftoverVisit takes a new page beyond their share.
func (p *Planner) leftoverVisit() (Visit, step) {
	if !p.options.Leftover {
		return Visit{}, skip
	}
	p.frontier.recall()
	v, step := p.nextNew(true)
	if step != skip {
		p.frontier.serve(v.Page)
	}
	if p.newLeft == 0 || !p.caps.newOpen() {
		v.leftover = step == goOn
		return v, step
	}
	return p.ofShare(v), step
}

// nextNew takes the new page that has waited longest, of those worth a visit and with room under
// the limits. With beyond, the share of its server need not have room. skip: there is none.
func (p *Planner) nextNew(beyond bool) (Visit, step) {
	ranker, _ := p.Policy.(Ranker)
	for v, ok := p.frontier.next(beyond); ok; v, ok = p.frontier.next(beyond) {
		if p.Pages.Outside(v.Page) {
			continue
		}
		if p.rested(v.Page) {
			p.frontier.failed = append(p.frontier.failed, v.Page) // in a later round
			continue
		}
		if ranker != nil && !p.frontier.recalled && !ranker.TakesFirst(v.Page) {
			p.frontier.doubt(v.Page)
			continue
		}
		if least := p.options.LeastValue; least > 0 && FirstWorth*p.newWorth(v.Page) < least {
			p.frontier.leave(v.Page)
			continue
		}
		if step := p.admit(&v); step != skip {
			return v, step
		}
	}
	return Visit{}, skip
}

// nextProposed asks the policy until it names a page that is not skipped and has room under the
// limits; skip: it names none.
func (p *Planner) nextProposed() (Visit, step) {
	if v, step := p.nextAside(); step != skip || p.Policy == nil {
		return v, step
	}
	pulls := 0
	for v, ok := p.propose(); ok; v, ok = p.propose() {
		if p.Pages.Outside(v.Page) || p.rested(v.Page) {
			p.Pages.Propose(v.Page)
			continue
		}
		if least := p.options.LeastValue; least > 0 && p.Pages.gain(&v) < least {
			p.Pages.Propose(v.Page)
			continue
		}
		if p.Pages.Closed(p.Pages.Graph.Server(v.Page)) {
			p.putOff(v, false)
			if pulls++; pulls == mostPulls {
				p.Pages.turns.more = true
				return Visit{}, wait
			}
			continue
		}
		if step := p.admit(&v); step != skip {
			return v, step
		}
	}
	return Visit{}, skip
}

// ofShare marks a first visit as one of their share.
func (p *Planner) ofShare(v Visit) Visit {
	v.ofShare = v.First
	return v
}

// ShareByServer applies the share of first visits also to the visits of each server. That suits
// budgets that cover all that politeness allows: a share of such a budget bounds nothing, and a
// server with new pages would get no other visits. It needs Options.Turns.
func (p *Planner) ShareByServer(on bool) {
	share := 0.0
	if on && p.options.Turns {
		share = p.options.NewShare
	}
	p.frontier.shareOut(share)
}

func (p *Planner) account(v Visit) Visit {
	v.round = p.rounds
	p.frontier.count(p.Pages.Graph.Server(v.Page), &v)
	p.Pages.Propose(v.Page)
	p.Pages.price.See(p.Pages.worth(&v))
	p.spendSource(&v, 1)
	p.made++
	if p.left > 0 {
		p.left--
	}
	if v.ofShare && p.newLeft > 0 {
		p.newLeft--
	}
	return v
}

// Return hands back a visit that could not be made in this round. Its budget is free again, unless
// its round is over. The page waits for the next round.
func (p *Planner) Return(v Visit) {
	if v.round == p.rounds {
		p.caps.unplan(&v)
		p.spendSource(&v, -1)
		p.made--
		if p.left != Unlimited {
			p.left++
		}
		if v.ofShare && p.newLeft >= 0 {
			p.newLeft++
		}
	} else if k := p.sources.groups[v.Page]; k != nil {
		k.returned(v.Page)
	}
	if v.Asked {
		p.returnAsked(&v)
	}
	if v.First {
		if p.Pages.Aside(v.Page) {
			p.Pages.Memory(v.Page).queued = true // until release, or for the next process
		} else {
			p.frontier.failed = append(p.frontier.failed, v.Page)
		}
		p.frontier.uncount(p.Pages.Graph.Server(v.Page), &v)
	}
}

// PutBack queues new pages again that were handed back in this round. Other pages wait for the next
// round.
func (p *Planner) PutBack(pages []sitegraph.PageID) {
	for _, page := range pages {
		if m := p.Pages.Memory(page); m.State == sitegraph.StateNew {
			m.mark = 0 // it was proposed, and not visited
			p.frontier.add(page)
		}
	}
}

// Postpone takes back a visit that was started and could not ask for its page yet. It may be
// started again. Of the bytes that it might read, only those it did read count.
func (p *Planner) Postpone(v *Visit, might, read int64) {
	if p.caps != nil {
		p.caps.postpone(v, might, read)
	}
}

// Left returns the rest of the round's budget; Unlimited if there is no bound.
func (p *Planner) Left() int { return p.left }

// NewLeft returns the rest of the share of first visits; Unlimited if there is no bound.
func (p *Planner) NewLeft() int { return p.newLeft }

// Made returns the number of visits of this round so far, except those handed back.
func (p *Planner) Made() int { return p.made }

// Found adds a page that became known, or known again, to the frontier.
func (p *Planner) Found(page sitegraph.PageID) {
	if !p.Pages.Memory(page).queued {
		p.found = append(p.found, page)
	}
	p.frontier.add(page)
}

// Waiting returns the number of new pages that wait for a visit.
func (p *Planner) Waiting() int {
	waiting := p.frontier.len()
	if p.caps != nil {
		waiting += p.caps.heldNew
		if v := p.caps.pending; v != nil && v.First {
			waiting++
		}
	}
	return waiting
}

// Observe learns from the outcome of a visit. The record has the outcome applied.
func (p *Planner) Observe(r *sitegraph.Record, verdict sitegraph.Verdict) {
	found := p.found
	p.found = found[:0]
	p.Pages.Hints.Test(r.Page, verdict)
	stillLeft := verdict == sitegraph.VerdictLeft && p.Pages.Memory(r.Page).State.Left()
	p.Pages.remember(r)
	p.Pages.awaitDue(r.Page)
	p.aging.note(p.Pages, r.Page)
	if stillLeft {
		return // nothing new
	}
	if r.State == sitegraph.StateSource {
		p.observedSource(r.Page)
		return // policies know pages only
	}
	if r.State == sitegraph.StateNew && r.Errors > 0 {
		p.frontier.failed = append(p.frontier.failed, r.Page)
	}
	if p.caps != nil && p.caps.inBytes {
		p.caps.sizes.See(p.Pages.Graph.Server(r.Page), p.Pages.Memory(r.Page).size)
	}
	if ranker, ok := p.Policy.(Ranker); ok &&
		(verdict == sitegraph.VerdictChanged || len(found) > 0) {
		ranker.Discovered(r.Page, verdict, found)
	}
	if p.Policy != nil {
		p.Policy.Observe(r.Page, verdict)
	}
}

// UpdateHints applies the claims of a feed or sitemap that was just read (Hints.Update). The policy
// learns of them when the page comes into play: at once, if it is due by the end of this round.
func (p *Planner) UpdateHints(source sitegraph.PageID, kind HintKind, said []Claim,
	whole bool) {
	c := p.Pages
	changed := c.Hints.Update(source, kind, said, whole)
	if _, ok := p.Policy.(Hinter); !ok {
		return
	}
	p.creditSource(source, changed)
	for _, turn := range changed {
		page := turn.Page
		if m := c.Memory(page); m.State == sitegraph.StateAlive && !p.RanksAll() &&
			!c.InPlay(page) {
			due, _ := p.Due(page, c.round.Start)
			m.Due = sitegraph.Unix32(due.When)
			if due.When.After(c.round.End) {
				c.play.queue.Message(page, MessageClaimed)
				c.put(page)
				continue
			}
		}
		c.Promote([]sitegraph.PageID{page})
		p.apply(page, MessageClaimed)
	}
}

// Due returns when a page is due next, after now, and why. The caller passes it to Pages.Remember,
// which puts the page into the queue.
func (p *Planner) Due(page sitegraph.PageID, now time.Time) (Due, time.Duration) {
	p.found = p.found[:0] // later pages are of feeds and sitemaps
	due, interval := p.dueOf(page, now)
	if soon := now.Add(time.Second); due.When.Before(soon) {
		due.When = soon
	}
	due.When = due.When.Truncate(time.Second) // like the queue keeps it
	return due, interval
}

func (p *Planner) dueOf(page sitegraph.PageID, now time.Time) (Due, time.Duration) {
	m := p.Pages.Memory(page)
	tried := time.Unix(int64(m.Tried), 0).UTC()
	switch {
	case m.State == sitegraph.StateSource:
		return p.sourceDue(page), 0
	case m.State.Left() && (p.options.AgainShare > 0 || p.Pages.MaxAge(page) > 0):
		return p.againDue(page), 0 // later, if the share of looks has no room for it
	case m.Errors > 0:
		return Due{
			tried.Add(p.Pages.within(page, BackOff(m.Errors))),
			Because("its last visits failed"),
		}, 0
	case m.State == sitegraph.StateAlive && m.misses > 0:
		return Due{
			tried.Add(p.Pages.wait(page)),
			Because(
				"its last %.0f answers say that it is not to be had; it is asked for again "+
					"before it is given up",
				float64(m.misses),
			),
		}, 0
	case m.State == sitegraph.StateNew:
		return Due{now, Because("never fetched")}, 0
	case m.State != sitegraph.StateAlive:
		return Due{now.Add(farOff), Because("it left; only a new link brings it back")}, 0
	case p.Pages.Weight(page) == 0:
		return Due{now.Add(farOff), Because("its weight is 0")}, 0
	case p.Policy == nil:
		return Due{now, Because("no policy was asked")}, 0
	}
	due, interval := p.Policy.Due(page, now)
	if p.RanksAll() {
		due, _ = EachRound{}.Due(page, now)
		return due, interval
	}
	due.When = p.strained(page, now, due.When)
	if age := p.Pages.MaxAge(page); age > 0 {
		if last := m.History.LastVisit().Add(age); last.Before(due.When) {
			due = Due{last, Because("the greatest age of its copy is %s",
				age.Hours()/24)}
		}
	}
	return due, interval
}

// farOff is after how long the store hands out pages that left.
const farOff = 365 * 24 * time.Hour
