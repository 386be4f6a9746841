package cycle

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"
)

// crew does the concurrent work: up to Workers visits under way, each in a goroutine of its own. A
// visit that must wait, for a server, an address, a name or the machine, waits in a line and holds
// none. Visits that are under way when a round ends go on in the next one, and count to the round
// in which they began.
type crew struct {
	*Loop
	work     context.Context // of the workers
	stop     func()
	locator  Locator // nil: it is not known which servers share an address
	dispatch dispatch
	parked   int // visits in lines
	batch    int // of these, at most
	cut      bool
	speed    speed
	flights
	done chan *completion
	jobs chan *completion // to idle workers
	idle atomic.Int32     // workers

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
		done:    make(chan *completion, mostFlights(l.Workers)),
		jobs:    make(chan *completion),
		seeks:   newFlights(seekers, &l.names),
		found:   make(chan found, mostFlights(seekers)),
		batch:   cmp.Or(l.Batch, usualBatch()),
	}
	c.locator, _ = l.Fetcher.(Locator)
	c.dispatch.open(c.Clock.Now())
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
	c.cut, c.speed = false, speed{}
	now := c.Clock.Now()
	c.dispatch.end = c.dispatch.tick(anchored(c.round.End, now))
	for {
		c.peek()
		now = c.Clock.Now()
		if !now.Before(c.round.End) || c.wentBack() {
			return c.over(ctx)
		}
		if err := c.start(c.work, now); err != nil {
			return err
		}
		if c.inFlight == 0 && c.parked == 0 && !now.Before(c.stall.until) && !c.Planner.More() &&
			!c.awaitsBar() && !c.Attentive {
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
func (c *crew) mayBegin(now time.Time) bool {
	return c.free(now) && !c.stall.holds(c.inFlight, now)
}

// start chooses and begins visits until all workers are busy or no server is ready.
func (c *crew) start(ctx context.Context, now time.Time) error {
	if c.unable(now) {
		return nil
	}
	c.measure(now)
	c.choose(now)
	if err := c.fill(now); err != nil {
		return err
	}
	for c.mayBegin(now) {
		began, err := c.beginReady(ctx, now)
		if err != nil {
			return err
		}
		if began {
			continue
		}
		if c.parked >= c.batch {
			c.cutOff(now)
			break
		}
		v, ok := c.Planner.Next()
		if !ok {
			c.cutOff(now)
			break
		}
		if err := c.park(v, now); err != nil {
			return err
		}
	}
	c.lookUp(ctx, now)
	return nil
}

// beginReady begins one visit of a server that is idle and may be asked now.
func (c *crew) beginReady(ctx context.Context, now time.Time) (bool, error) {
	c.dispatch.wake(now)
	of, ok := c.next(now, c.dispatch.waits)
	if !ok {
		return false, nil
	}
	p := c.dispatch.take(of, now)
	l := p.lines[0]
	do := &completion{visit: c.takeFirst(l)}
	l.made++
	if ok, err := c.begin(&do.visit, &do.request); err != nil {
		return false, err
	} else if !ok {
		c.Planner.Return(do.visit)
		c.dispatch.land(p)
		c.admit(l, now)
		return true, nil
	}
	l.page, p.busy = do.visit.Page, true
	c.takeOff(&l.flight, of, now)
	c.stall.last = now
	c.speed.begin(now)
	c.admit(l, now)
	select {
	case c.jobs <- do:
	default: // no worker is idle
		go c.fetch(ctx, do)
	}
	return true, nil
}

// fetch is a worker: it makes a visit, and then others, unless so many workers are idle that all
// Workers are. A new worker must let its stack grow, which takes a twentieth of a short visit.
func (c *crew) fetch(ctx context.Context, do *completion) {
	for {
		began := c.Clock.Now()
		do.seen, do.err = c.Fetcher.Fetch(ctx, do.request)
		do.took = c.Clock.Now().Sub(began)
		c.done <- do
		if c.idle.Add(1) > int32(c.workers) {
			c.idle.Add(-1)
			return
		}
		select {
		case do = <-c.jobs:
			c.idle.Add(-1)
		case <-ctx.Done():
			return
		}
	}
}

// wait for an outcome, an address, for a server to become ready, or for the end of the round.
func (c *crew) wait(ctx context.Context, now time.Time) error {
	select { // without timers, where there is something already
	case done := <-c.done:
		return c.complete(ctx, done)
	case f := <-c.found:
		c.locate(f, c.Clock.Now())
		return ctx.Err()
	default:
	}
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
		return c.attend()
	case <-c.Woken:
		return c.attend()
	case look := <-c.Peek:
		look()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// attend calls Between, when everything is committed.
func (c *crew) attend() error {
	if c.uncommitted > 0 {
		return c.commit()
	}
	return c.between()
}

// nextWake is when something can be done without an outcome: a server may be asked, a visit or a
// look-up has become old, or the round ends.
func (c *crew) nextWake(now time.Time) time.Time {
	end := anchored(c.round.End, now)
	switch {
	case !end.After(now): // only outcomes are waited for
		return now.Add(time.Hour)
	case now.Before(c.stall.until):
		return sooner(c.stall.until, end)
	case !c.free(now):
		return c.nextOld(end)
	case c.stall.holds(c.inFlight, now):
		return sooner(c.stall.last.Add(slowAnswer), end)
	case c.Planner.More() && c.parked < c.batch:
		return now
	}
	wake := c.dispatch.nextWake(end)
	for p := range allPaces {
		if c.dispatch.waits(p) { // so many are young
			wake = c.nextOld(wake)
		}
		if len(c.unsought[p]) > 0 {
			wake = c.seeks.nextOld(wake)
		}
	}
	return wake
}

func sooner(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
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
		c.landed(lost)
		c.finish(&lost.visit, &lost.request, lost.seen, lost.err)
		c.Planner.Return(lost.visit)
	}
}
