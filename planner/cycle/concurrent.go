package cycle

import (
	"context"
	"errors"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// completion is what a worker hands back.
type completion struct {
	visit   planner.Visit
	request Request
	seen    sitegraph.Observation
	err     error
}

// crew is one round's concurrent work: up to Workers visits under way, each in a goroutine of its
// own. Whoever must wait, for a server, an address, a name or the machine, waits in a line and
// holds none.
type crew struct {
	*Loop
	locator Locator // nil: nobody knows which servers share an address
	ready   readiness
	parked  int // visits in lines
	flights
	done chan completion

	unsought []*line // whose address is to be looked up
	seeking  int
	found    chan found

	ample   bool // the budget suffices for all that politeness allows
	weighed time.Time
}

// concurrent keeps up to Workers visits under way. It returns when nothing is left to do,
// when the round's time is over (what has not begun goes back to the planner), or on the
// first error.
func (l *Loop) concurrent(ctx context.Context) error {
	// Workers end with the round, whatever ends it.
	work, stop := context.WithCancel(ctx)
	c := &crew{
		Loop:  l,
		done:  make(chan completion, flightsPerWorker*l.Workers),
		found: make(chan found, mostSeeking),
	}
	c.locator, _ = l.Fetcher.(Locator)
	defer func() { stop(); c.drain() }()
	for {
		now := l.Clock.Now()
		over := !now.Before(l.round.End)
		if over {
			c.giveBack()
		} else if err := c.start(work, now); err != nil {
			return err
		}
		if c.inFlight == 0 && c.parked == 0 && (over || !now.Before(l.stall.until) && !c.Planner.More()) {
			return ctx.Err()
		}
		if err := c.wait(ctx, now); err != nil {
			return err
		}
	}
}

// start chooses and begins visits until all workers are busy or no server is ready.
func (c *crew) start(ctx context.Context, now time.Time) error {
	if c.unable(now) {
		return nil
	}
	c.weigh(now)
	for c.free(c.Workers, now) {
		began, err := c.beginReady(ctx, now)
		if err != nil {
			return err
		}
		if began {
			continue
		}
		if c.parked >= maxParked {
			break
		}
		v, ok := c.Planner.Next()
		if !ok {
			break
		}
		if err := c.park(v, now); err != nil {
			return err
		}
	}
	c.lookUp(ctx)
	return nil
}

// park puts a visit in its server's line, or hands it back if the server has no room for it in this
// round.
func (c *crew) park(v planner.Visit, now time.Time) error {
	l, err := c.line(c.graph.Server(v.Page))
	if err != nil {
		return err
	}
	if c.room(l, now) <= len(l.visits) {
		c.Planner.Close(l.server)
		c.Planner.Return(v)
		return nil
	}
	c.enqueue(l, v, false)
	c.seek(l, now)
	c.admit(l, now)
	return nil
}

// line returns that of a server.
func (c *crew) line(server sitegraph.ServerID) (*line, error) {
	l := c.lines[server]
	if l == nil {
		h, err := c.heldOf(server)
		if err != nil {
			return nil, err
		}
		l = &line{server: server, notBefore: h.Until, slowdown: slowdown{h.Steps}, index: -1}
		c.lines[server] = l
	}
	return l, nil
}

// enqueue puts a visit behind the others of its line, or before them.
func (c *crew) enqueue(l *line, v planner.Visit, first bool) {
	if first {
		l.visits = append([]planner.Visit{v}, l.visits...)
	} else {
		l.visits = append(l.visits, v)
	}
	c.parked++
	if l.at != nil {
		l.at.parked++
	}
}

// admit closes a server whose line is full, opens one whose is not, and gives both their places.
func (c *crew) admit(l *line, now time.Time) {
	if len(l.visits) >= c.depth(l, now) {
		c.Planner.Close(l.server)
	} else {
		c.Planner.Open(l.server)
	}
	if l.at != nil {
		c.settle(l)
	}
}

// beginReady begins one visit of a server that is idle and may be asked now.
func (c *crew) beginReady(ctx context.Context, now time.Time) (bool, error) {
	if len(c.ready) == 0 || c.ready[0].turn().After(now) {
		return false, nil
	}
	p := c.ready[0]
	l := p.lines[0]
	if l.slow && c.slow >= (flightsPerWorker-1)*c.Workers {
		c.unready(p)
		c.stalled = append(c.stalled, p)
		return true, nil
	}
	v := l.visits[0]
	l.visits = l.visits[1:]
	c.parked--
	p.parked--
	var request Request
	if ok, err := c.begin(&v, &request); err != nil {
		return false, err
	} else if !ok {
		c.Planner.Return(v)
		c.admit(l, now)
		return true, nil
	}
	l.busy, p.busy = true, true
	c.takeOff(l, now)
	c.admit(l, now)
	go func() {
		o, err := c.Fetcher.Fetch(ctx, request)
		c.done <- completion{v, request, o, err}
	}()
	return true, nil
}

// wait for an outcome, an address, for a server to become ready, or for the end of the round.
func (c *crew) wait(ctx context.Context, now time.Time) error {
	wake := make(chan struct{})
	sleep, cancel := context.WithCancel(ctx)
	defer cancel()
	until := c.nextWake(now)
	go func() {
		if c.Clock.SleepUntil(sleep, until) == nil {
			close(wake)
		}
	}()
	// What is done is acknowledged in time also when little happens.
	due := c.CommitAfter
	if c.uncommitted > 0 {
		due = max(due-time.Since(c.lastCommit), 0)
	}
	commit := time.NewTimer(due)
	defer commit.Stop()
	select {
	case done := <-c.done:
		return c.complete(ctx, done)
	case f := <-c.found:
		c.locate(f, c.Clock.Now())
		return nil
	case <-wake:
		return nil
	case <-commit.C:
		if c.uncommitted > 0 {
			return c.commit()
		}
		return c.between()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// nextWake is when something can be done without an outcome: a server may be asked, a visit has
// become old, or the round ends.
func (c *crew) nextWake(now time.Time) time.Time {
	end := c.round.End
	switch {
	case !end.After(now): // only outcomes are waited for
		return now.Add(time.Hour)
	case now.Before(c.stall.until):
		return sooner(c.stall.until, end)
	case !c.free(c.Workers, now):
		return c.nextOld(end)
	case c.Planner.More() && c.parked < maxParked:
		return now
	case len(c.ready) > 0:
		return sooner(c.ready[0].turn(), end)
	}
	return end
}

// complete takes what a worker hands back.
func (c *crew) complete(ctx context.Context, done completion) error {
	now := c.Clock.Now()
	l := c.landed(&done)
	var wait *Wait
	var local *LocalError
	switch {
	case errors.As(done.err, &wait):
		l.notBefore, l.pause = wait.Until, max(l.pause, wait.Until.Sub(now))
		l.at.notBefore = later(l.at.notBefore, sooner(wait.Until, now.Add(c.Pause)))
		c.again(l, &done, now)
		return c.hold(l, false)
	case errors.As(done.err, &local) && !c.blames(l, local, now):
		c.pauseFor(local.Err, now)
		c.again(l, &done, now)
		return nil
	case local != nil:
		done.err = nil // what was seen is the failure of the server
	}
	c.finish(&done.visit, &done.request, done.seen, done.err)
	if done.err != nil {
		c.Planner.Return(done.visit)
		return fetchError(ctx, done.request.Record.URL, done.err)
	}
	c.wentWell(l.began)
	l.blameless = 0
	if done.seen.Status != 0 {
		c.answered = now
	}
	changed := l.see(done.seen.Trouble)
	l.slow = done.seen.Elapsed >= slowAnswer
	l.pause = l.slowdown.pause(max(done.seen.NotBefore.Sub(now), 0))
	l.notBefore = now.Add(l.pause)
	if !done.seen.ByRobots || done.seen.Transferred > 0 { // else nobody was asked for anything
		l.at.notBefore = now.Add(c.Pause)
	}
	c.trim(l, now)
	c.admit(l, now)
	if err := c.hold(l, changed); err != nil {
		return err
	}
	return c.apply(done.visit, &done.request.Record, done.seen)
}

// landed frees the line and the place of a visit that is over.
func (c *crew) landed(done *completion) *line {
	l := c.lines[c.graph.Server(done.visit.Page)]
	l.busy, l.at.busy = false, false
	if c.land(l); l.slow {
		for _, p := range c.stalled {
			c.settlePlace(p)
		}
		c.stalled = c.stalled[:0]
	}
	return l
}

// again puts a visit back that could not ask for its page: it is the first of its line, and its
// fetch is not used.
func (c *crew) again(l *line, done *completion, now time.Time) {
	c.postpone(&done.visit, &done.request, done.seen)
	c.enqueue(l, done.visit, true)
	c.trim(l, now)
	c.admit(l, now)
}

// trim hands back what a server turned out to have no room for in this round: it asked for more
// time than was thought. What they would have taken of the budget is free for others.
func (c *crew) trim(l *line, now time.Time) {
	for room := max(c.room(l, now), 1); len(l.visits) > room; {
		last := len(l.visits) - 1
		c.Planner.Return(l.visits[last])
		l.visits = l.visits[:last]
		c.parked--
		l.at.parked--
	}
}

func sooner(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// giveBack hands the visits that have not begun back to the planner, and opens all servers again.
// Lines and places of which nothing need be remembered are forgotten; addresses are looked up anew
// in the next round.
func (c *crew) giveBack() {
	now := c.Clock.Now()
	for s, l := range c.lines {
		for _, v := range l.visits {
			c.Planner.Return(v)
		}
		l.visits, l.index = nil, -1
		c.Planner.Open(s)
		if l.busy {
			continue
		}
		l.at, l.seeking = nil, false
		if l.steps == 0 && l.pause <= c.Pause && !l.notBefore.After(now) {
			delete(c.lines, s)
		}
	}
	for address, p := range c.places {
		p.lines, p.parked, p.index = nil, 0, -1
		if !p.busy && !p.notBefore.After(now) {
			delete(c.places, address)
		}
	}
	c.ready, c.stalled, c.unsought, c.parked = nil, nil, nil, 0
}

// drain waits for the workers after an error, so that none outlives the round. Outcomes
// that are in by then are lost with their visits: they were not acknowledged.
func (c *crew) drain() {
	for ; c.seeking > 0; c.seeking-- {
		<-c.found
	}
	c.giveBack()
	for c.inFlight > 0 {
		lost := <-c.done
		c.landed(&lost)
		c.finish(&lost.visit, &lost.request, lost.seen, lost.err)
		c.Planner.Return(lost.visit)
	}
}
