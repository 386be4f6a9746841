package cycle

import (
	"context"
	"errors"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// completion is a visit that a worker makes, and what it hands back.
type completion struct {
	visit   planner.Visit
	request Request
	seen    sitegraph.Observation
	err     error
	took    time.Duration
}

// complete takes what a worker hands back.
func (c *crew) complete(ctx context.Context, done *completion) error {
	now := c.Clock.Now()
	l := c.landed(done)
	var wait *Wait
	var local *LocalError
	isWait, isLocal := errors.As(done.err, &wait), errors.As(done.err, &local)
	denied := done.err == nil && !done.seen.Denied.IsZero() // no server was asked
	if !isLocal && !isWait && !denied {
		if err := c.time(l.server, done.took); err != nil {
			return err
		}
	}
	if !isLocal && !denied {
		c.met.see(l.server, done.took, done.seen.Status != 0 || done.seen.Transferred > 0)
	}
	switch {
	case isWait && wait.Scheme && c.hasOther(l, done.visit.Page):
		c.bar(l, done, wait.Until, now)
		return nil
	case isWait:
		l.notBefore, l.pause = wait.Until, max(l.pause, wait.Until.Sub(now))
		l.at.notBefore = later(l.at.notBefore, sooner(wait.Until, now.Add(min(c.Pause, l.usual))))
		c.again(l, done, now)
		return c.hold(l, false)
	case isLocal && !c.blames(l, local, now):
		c.fault(local.Err, l.began, now)
		c.again(l, done, now)
		return nil
	case isLocal:
		done.err = nil // what was seen is the failure of the server
	}
	if denied {
		c.trim(l, now)
		c.admit(l, now)
		return c.deny(done.visit, &done.request, &done.seen)
	}
	c.finish(&done.visit, &done.request, done.seen, done.err)
	if done.err != nil {
		c.Planner.Return(done.visit)
		return fetchError(ctx, done.request.Record.URL, done.err)
	}
	c.wentWell(l.began, now)
	l.blameless = 0
	if done.seen.Status != 0 {
		c.answered = now
	}
	changed := c.vanish(l, done, now)
	if !l.vanished.holdsBack(done.seen.Trouble) {
		changed = l.see(done.seen.Trouble) || changed
	}
	usual := max(done.seen.NotBefore.Sub(now), 0)
	l.pause = l.slowdown.pause(usual)
	if longest := c.Planner.LongestPause(l.server); longest > 0 {
		l.pause = max(min(l.pause, longest), usual)
	}
	l.notBefore = now.Add(l.pause)
	if !done.seen.ByRobots || done.seen.Transferred > 0 { // otherwise no request was sent
		l.at.notBefore = now.Add(min(c.Pause, l.usual))
	}
	c.trim(l, now)
	c.admit(l, now)
	if err := c.hold(l, changed); err != nil {
		return err
	}
	defer c.askAgain(done.visit.Page)
	return c.apply(done.visit, &done.request, done.seen)
}

// landed frees the line and the place of a visit that is over.
func (c *crew) landed(done *completion) *line {
	l := c.lines[c.graph.Server(done.visit.Page)]
	c.land(&l.flight)
	c.stall.land(l.began)
	l.at.busy = false
	c.dispatch.land(l.at)
	return l
}

// again puts a visit back that could not ask for its page: it is the first of its line, and its
// fetch is not used. One of an earlier round waits for the next one.
func (c *crew) again(l *line, done *completion, now time.Time) {
	c.postpone(&done.visit, &done.request, done.seen)
	if c.isOf(&done.request) {
		c.enqueue(l, done.visit, true)
	} else {
		c.Planner.Return(done.visit)
	}
	c.trim(l, now)
	c.admit(l, now)
}
