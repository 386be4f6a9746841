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
	took    time.Duration
}

// crew does the concurrent work: up to Workers visits under way, each in a goroutine of its own.
// Whoever must wait, for a server, an address, a name or the machine, waits in a line and holds
// none. Visits that are under way when a round ends go on in the next one, and count to the round
// in which they began.
type crew struct {
	*Loop
	work    context.Context // of the workers
	stop    func()
	locator Locator             // nil: nobody knows which servers share an address
	ready   [allPaces]readiness // places
	parked  int                 // visits in lines
	flights
	done chan completion

	unsought [allPaces][]*line // whose address is to be looked up
	seeks    flights
	found    chan found

	ample   bool // the budget suffices for all that politeness allows
	few     bool // visits of a server are chosen ahead
	weighed time.Time
}

// hire makes the crew of a loop; nil if it has one worker.
func (l *Loop) hire(ctx context.Context) *crew {
	if l.Workers < 2 {
		return nil
	}
	c := &crew{
		Loop:    l,
		flights: newFlights(l.Workers, &l.answers),
		done:    make(chan completion, flightsPerWorker*l.Workers),
		seeks:   newFlights(seekers, &l.names),
		found:   make(chan found, flightsPerWorker*seekers),
	}
	c.locator, _ = l.Fetcher.(Locator)
	c.work, c.stop = context.WithCancel(ctx)
	return c
}

// dismiss ends what is under way, so that no worker outlives the crew.
func (c *crew) dismiss() {
	if c != nil {
		c.stop()
		c.drain()
	}
}

// run keeps up to Workers visits under way. It returns when nothing is left to do, when the
// round's time is over (what has not begun goes back to the planner), or on the first error.
func (c *crew) run(ctx context.Context) error {
	c.weighed = time.Time{}
	for {
		now := c.Clock.Now()
		if !now.Before(c.round.End) {
			return c.over(ctx)
		}
		if err := c.start(c.work, now); err != nil {
			return err
		}
		if c.inFlight == 0 && c.parked == 0 && !now.Before(c.stall.until) && !c.Planner.More() && !c.awaitsBar() {
			c.giveBack()
			return ctx.Err()
		}
		if err := c.wait(ctx, now); err != nil {
			return err
		}
	}
}

// over ends a round whose time is over. What visits have brought by now is still of it.
func (c *crew) over(ctx context.Context) error {
	for len(c.done) > 0 {
		if err := c.complete(ctx, <-c.done); err != nil {
			return err
		}
	}
	c.giveBack()
	return ctx.Err()
}

// await waits for the visits under way when no round is to follow.
func (c *crew) await(ctx context.Context) error {
	if c == nil {
		return nil
	}
	for c.inFlight > 0 {
		if err := c.wait(ctx, c.Clock.Now()); err != nil {
			return err
		}
	}
	c.giveBack()
	return ctx.Err()
}

// mayBegin reports whether one more visit may begin.
func (c *crew) mayBegin(now time.Time) bool { return c.free(now) && !c.stall.holds(c.inFlight, now) }

// start chooses and begins visits until all workers are busy or no server is ready.
func (c *crew) start(ctx context.Context, now time.Time) error {
	if c.unable(now) {
		return nil
	}
	c.measure(now)
	for c.mayBegin(now) {
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
	c.lookUp(ctx, now)
	return nil
}

// park puts a visit in its server's line, or hands it back if the server has no room for it in this
// round.
func (c *crew) park(v planner.Visit, now time.Time) error {
	l, err := c.line(c.graph.Server(v.Page))
	if err != nil {
		return err
	}
	if b := l.bars(c.graph.URL(v.Page), now); b != nil {
		b.pages = append(b.pages, v.Page)
		c.Planner.Return(v)
		return nil
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
	of, ok := c.next(now, func(p pace) bool { return len(c.ready[p]) > 0 && !c.ready[p][0].turn().After(now) })
	if !ok {
		return false, nil
	}
	p := c.ready[of][0]
	l := p.lines[0]
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
	l.page, p.busy = v.Page, true
	c.takeOff(&l.flight, of, now)
	c.stall.last = now
	c.admit(l, now)
	go func() {
		began := c.Clock.Now()
		o, err := c.Fetcher.Fetch(ctx, request)
		c.done <- completion{v, request, o, err, c.Clock.Now().Sub(began)}
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

// nextWake is when something can be done without an outcome: a server may be asked, a visit or a
// look-up has become old, or the round ends.
func (c *crew) nextWake(now time.Time) time.Time {
	end := c.round.End
	switch {
	case !end.After(now): // only outcomes are waited for
		return now.Add(time.Hour)
	case now.Before(c.stall.until):
		return sooner(c.stall.until, end)
	case !c.free(now):
		return c.nextOld(end)
	case c.stall.holds(c.inFlight, now):
		return sooner(c.stall.last.Add(slowAnswer), end)
	case c.Planner.More() && c.parked < maxParked:
		return now
	}
	wake := end
	for p := range c.ready {
		switch {
		case len(c.ready[p]) == 0:
		case c.ready[p][0].turn().After(now):
			wake = sooner(c.ready[p][0].turn(), wake)
		default: // so many are young
			wake = c.nextOld(wake)
		}
		if len(c.unsought[p]) > 0 {
			wake = c.seeks.nextOld(wake)
		}
	}
	return wake
}

// complete takes what a worker hands back.
func (c *crew) complete(ctx context.Context, done completion) error {
	now := c.Clock.Now()
	l := c.landed(&done)
	var wait *Wait
	var local *LocalError
	isWait, isLocal := errors.As(done.err, &wait), errors.As(done.err, &local)
	if !isLocal {
		c.met.see(l.server, done.took, done.seen.Status != 0 || done.seen.Transferred > 0)
	}
	switch {
	case isWait && wait.Scheme && c.hasOther(l, done.visit.Page):
		c.bar(l, &done, wait.Until, now)
		return nil
	case isWait:
		l.notBefore, l.pause = wait.Until, max(l.pause, wait.Until.Sub(now))
		l.at.notBefore = later(l.at.notBefore, sooner(wait.Until, now.Add(c.Pause)))
		c.again(l, &done, now)
		return c.hold(l, false)
	case isLocal && !c.blames(l, local, now):
		c.fault(local.Err, l.began, now)
		c.again(l, &done, now)
		return nil
	case isLocal:
		done.err = nil // what was seen is the failure of the server
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
	changed := l.see(done.seen.Trouble)
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
	return c.apply(done.visit, &done.request, done.seen)
}

// landed frees the line and the place of a visit that is over.
func (c *crew) landed(done *completion) *line {
	l := c.lines[c.graph.Server(done.visit.Page)]
	c.land(&l.flight)
	c.stall.land(l.began)
	l.at.busy = false
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
		for i := range l.barred {
			l.barred[i].pages = nil // the next round has them again
		}
		c.Planner.Open(s)
		if l.up {
			l.seeking = l.search.up
			continue
		}
		l.at, l.seeking = nil, l.search.up
		if !l.search.up && l.steps == 0 && l.pause <= c.Pause && !l.notBefore.After(now) && len(l.barred) == 0 {
			delete(c.lines, s)
		}
	}
	for address, p := range c.places {
		p.lines, p.parked, p.index = nil, 0, -1
		if !p.busy && !p.notBefore.After(now) {
			delete(c.places, address)
		}
	}
	c.ready, c.unsought, c.parked = [allPaces]readiness{}, [allPaces][]*line{}, 0
}

// drain waits for the workers after an error, so that none outlives the crew. Outcomes that are in
// by then are lost with their visits: they were not acknowledged.
func (c *crew) drain() {
	for c.seeks.inFlight > 0 {
		c.locate(<-c.found, c.Clock.Now())
	}
	c.giveBack()
	for c.inFlight > 0 {
		lost := <-c.done
		c.landed(&lost)
		c.finish(&lost.visit, &lost.request, lost.seen, lost.err)
		c.Planner.Return(lost.visit)
	}
}
