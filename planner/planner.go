package planner

import (
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Options of a planner.
type Options struct {
	// NewShare is the share of a round's budget that first visits of new pages may take,
	// in [0, 1]; 0.25 in the evaluations.
	NewShare float64
	// Leftover lets new pages have what the policy does not want.
	Leftover bool
	// Skip names pages that must not be visited whatever the policy says, at no cost; nil: none.
	Skip func(p sitegraph.PageID) bool
}

// Planner yields visits: new pages while their share lasts, else what the policy wants.
type Planner struct {
	Corpus   *Corpus
	Policy   Policy // may be nil: then only new pages are visited
	options  Options
	frontier frontier
	left     int     // visits left in this round; Unlimited
	newLeft  int     // of these, first visits
	newCarry float64 // fraction of a first visit carried over
}

// New returns a planner. Pages that are already known and new are in line, in the order
// in which they became known.
func New(corpus *Corpus, policy Policy, o Options) *Planner {
	corpus.skip = o.Skip
	p := &Planner{Corpus: corpus, Policy: policy, options: o, frontier: frontier{corpus: corpus}}
	for id := range sitegraph.PageID(corpus.Pages()) {
		if corpus.Memory(id).State == sitegraph.StateNew {
			p.frontier.add(id)
		}
	}
	return p
}

// Begin starts a round. Visits of the round before must have an outcome by then, or be handed
// back.
func (p *Planner) Begin(r Round) {
	p.Corpus.Graph.Refresh()
	p.Corpus.grow()
	p.Corpus.round = r
	p.left, p.newLeft = r.Budget, r.Budget
	if r.Budget != Unlimited {
		share := Budget{PerDay: float64(r.Budget) * p.options.NewShare, Carry: p.newCarry}
		p.newLeft = min(share.Grant(24*time.Hour), r.Budget)
		p.newCarry = share.Carry
	}
	p.frontier.begin()
	if p.Policy != nil {
		p.Policy.Begin(r)
	}
}

// Next yields the next visit; false: nothing for now, or the budget is used up.
func (p *Planner) Next() (Visit, bool) {
	if p.left == 0 {
		return Visit{}, false
	}
	if p.newLeft != 0 {
		if v, ok := p.nextNew(); ok {
			return v, true
		}
	}
	if v, ok := p.nextWanted(); ok {
		return p.take(v), true
	}
	if p.options.Leftover && p.newLeft == 0 {
		v, ok := p.nextNew()
		v.leftover = true
		return v, ok
	}
	return Visit{}, false
}

func (p *Planner) nextNew() (Visit, bool) {
	for v, ok := p.frontier.next(); ok; v, ok = p.frontier.next() {
		if p.Corpus.outside(v.Page) {
			continue
		}
		if p.newLeft > 0 {
			p.newLeft--
		}
		return p.take(v), true
	}
	return Visit{}, false
}

// nextWanted asks the policy until it names a page that is not to be skipped.
func (p *Planner) nextWanted() (Visit, bool) {
	if p.Policy == nil {
		return Visit{}, false
	}
	for v, ok := p.Policy.Next(); ok; v, ok = p.Policy.Next() {
		if !p.Corpus.outside(v.Page) {
			return v, true
		}
		p.Corpus.propose(v.Page)
	}
	return Visit{}, false
}

func (p *Planner) take(v Visit) Visit {
	p.Corpus.propose(v.Page)
	if p.left > 0 {
		p.left--
	}
	return v
}

// Return hands back a visit that could not be made in this round. Its budget is free again;
// the page waits for the next round.
func (p *Planner) Return(v Visit) {
	if p.left != Unlimited {
		p.left++
	}
	if v.First && p.newLeft >= 0 && !v.leftover {
		p.newLeft++
	}
	if v.First {
		p.frontier.failed = append(p.frontier.failed, v.Page)
	}
}

// Left is what is left of the round's budget; Unlimited if there is no bound.
func (p *Planner) Left() int { return p.left }

// Found puts a page in line that has become known, or known again.
func (p *Planner) Found(page sitegraph.PageID) { p.frontier.add(page) }

// Waiting is the number of new pages in line.
func (p *Planner) Waiting() int { return p.frontier.waiting.len() + len(p.frontier.failed) }

// Observe tells the outcome of a visit. The record is the page's, with the outcome applied.
func (p *Planner) Observe(r *sitegraph.Record, verdict sitegraph.Verdict) {
	p.Corpus.Remember(r)
	if r.State == sitegraph.StateNew && r.Errors > 0 {
		p.frontier.failed = append(p.frontier.failed, r.Page)
	}
	if p.Policy != nil {
		p.Policy.Observe(r.Page, verdict)
	}
}

// Due asks when a page will be wanted next, after now.
func (p *Planner) Due(page sitegraph.PageID, now time.Time) (Due, time.Duration) {
	m := p.Corpus.Memory(page)
	soon := now.Add(time.Second)
	switch {
	case m.Errors > 0:
		return Due{now.Add(backOff(m.Errors)), because("its last visits failed")}, 0
	case m.State == sitegraph.StateNew:
		return Due{soon, because("never fetched")}, 0
	case m.State != sitegraph.StateAlive:
		return Due{now.Add(farOff), because("it left; only a new link brings it back")}, 0
	case p.Policy == nil:
		return Due{soon, because("no policy was asked")}, 0
	}
	due, interval := p.Policy.Due(page, now)
	if !due.When.After(now) {
		due.When = soon
	}
	return due, interval
}

// farOff is when pages that left are next looked at by the store.
const farOff = 365 * 24 * time.Hour
