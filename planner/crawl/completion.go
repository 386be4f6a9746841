package crawl

import (
	"context"
	"errors"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// completion is a visit that a worker makes, with its result.
type completion struct {
	visit   planner.Visit
	request Request
	seen    sitegraph.Observation
	err     error
	took    time.Duration
}

// applyCompletion applies the result of a visit from a worker.
func (p *pool) applyCompletion(ctx context.Context, done *completion) error {
	now := p.Clock.Now()
	q := p.release(done)
	var wait *Wait
	var local *LocalError
	isWait, isLocal := errors.As(done.err, &wait), errors.As(done.err, &local)
	denied := done.err == nil && !done.seen.Denied.IsZero() // the user's settings refused the page
	if !isLocal && !isWait && !denied {
		if err := p.noteDownload(q.server, done.took); err != nil {
			return err
		}
	}
	if !isLocal && !denied {
		p.met.note(q.server, done.took, done.seen.Status != 0 || done.seen.Transferred > 0)
	}
	switch {
	case isWait && wait.Scheme && p.hasOther(q, done.visit.Page):
		p.blockScheme(q, done, wait.Until, now)
		return nil
	case isWait:
		q.notBefore, q.pause = wait.Until, max(q.pause, wait.Until.Sub(now))
		q.address.notBefore = later(q.address.notBefore,
			sooner(wait.Until, now.Add(min(p.Pause, q.usual))))
		p.requeueFirst(q, done, now)
		return p.saveWait(q, false)
	case isLocal && !p.blames(q, local, now):
		p.noteFault(local.Err, q.began, now)
		p.requeueFirst(q, done, now)
		return nil
	case isLocal:
		done.err = nil // the observation counts as a failure of the server
	}
	if denied {
		p.returnSurplus(q, now)
		p.openOrClose(q, now)
		return p.deny(done.visit, &done.request, &done.seen)
	}
	p.chargeBytes(&done.visit, &done.request, done.seen, done.err)
	if done.err != nil {
		p.Planner.Return(done.visit)
		return fetchError(ctx, done.request.Record.URL, done.err)
	}
	p.noteSuccess(q.began, now)
	q.blameless = 0
	if done.seen.Status != 0 {
		p.answered = now
	}
	changed := p.noteVanished(q, done, now)
	if !q.vanished.holdsBack(done.seen.Trouble) {
		changed = q.note(done.seen.Trouble) || changed
	}
	usual := max(done.seen.NotBefore.Sub(now), 0)
	q.pause = q.backOff.pause(usual)
	if longest := p.Planner.LongestPause(q.server); longest > 0 {
		q.pause = max(min(q.pause, longest), usual)
	}
	q.notBefore = now.Add(q.pause)
	if !done.seen.ByRobots || done.seen.Transferred > 0 { // otherwise no request was sent
		q.address.notBefore = now.Add(min(p.Pause, q.usual))
	}
	p.returnSurplus(q, now)
	p.openOrClose(q, now)
	if err := p.saveWait(q, changed); err != nil {
		return err
	}
	defer p.askAgain(done.visit.Page)
	return p.apply(done.visit, &done.request, done.seen)
}

// release frees the server and the address of a finished visit.
func (p *pool) release(done *completion) *serverQueue {
	q := p.queues[p.graph.Server(done.visit.Page)]
	p.noteEnd(&q.attempt)
	p.outage.noteEnd(q.began)
	q.address.busy = false
	p.dispatch.noteEnd(q.address)
	return q
}

// requeueFirst puts a visit that could not ask for its page back at the head of its queue, and
// returns its fetch to the budget. A visit of an earlier round waits for the next one.
func (p *pool) requeueFirst(q *serverQueue, done *completion, now time.Time) {
	p.postpone(&done.visit, &done.request, done.seen)
	if p.isOf(&done.request) {
		p.enqueue(q, done.visit, true)
	} else {
		p.Planner.Return(done.visit)
	}
	p.returnSurplus(q, now)
	p.openOrClose(q, now)
}
