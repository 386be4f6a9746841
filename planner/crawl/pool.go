package crawl

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"
)

// pool makes up to Workers visits at a time, each in its own goroutine. A visit that must wait for
// a server, an address, a name or the machine waits in a queue and holds no worker. Visits under
// way at the end of a round go on, and count in the round in which they began.
type pool struct {
	*Loop
	work       context.Context // context of the workers
	stop       func()
	locator    Locator // nil: no fetcher knows which servers share an address
	dispatch   dispatch
	waiting    int // visits in queues
	batch      int // bound on waiting
	cut        bool
	throughput throughput
	limiter
	done chan *completion
	jobs chan *completion // to idle workers
	idle atomic.Int32     // idle workers

	toLookUp [speedCount][]*serverQueue // queues that need the address of their server
	lookups  limiter
	found    chan lookup

	ample    bool // the budget covers all that politeness allows
	few      bool // only a few visits of each server are chosen ahead
	compared time.Time
}

// startPool starts and returns the workers of a loop; nil if it has only one.
func (l *Loop) startPool(ctx context.Context) *pool {
	if l.Workers < 2 {
		return nil
	}
	p := &pool{
		Loop:    l,
		limiter: newLimiter(l.Workers, &l.speeds),
		done:    make(chan *completion, mostUnderWay(l.Workers)),
		jobs:    make(chan *completion),
		lookups: newLimiter(seekers, &l.lookupSpeeds),
		found:   make(chan lookup, mostUnderWay(seekers)),
		batch:   cmp.Or(l.Batch, usualBatch()),
	}
	p.locator, _ = l.Fetcher.(Locator)
	p.dispatch.open(p.Clock.Now())
	p.work, p.stop = context.WithCancel(ctx)
	return p
}

// end stops the visits under way, so that no worker outlives the pool.
func (p *pool) end() {
	if p != nil {
		p.stop()
		p.abandon()
	}
}

// makeVisits keeps up to Workers visits under way. It returns when nothing is left to do, when the
// round's time is over, or on the first error. Visits that have not begun then go back to the
// planner.
func (p *pool) makeVisits(ctx context.Context) error {
	p.compared = time.Time{}
	p.cut, p.throughput = false, throughput{}
	now := p.Clock.Now()
	p.dispatch.end = p.dispatch.tick(anchored(p.round.End, now))
	for {
		p.peek()
		now = p.Clock.Now()
		if !now.Before(p.round.End) || p.wentBack() {
			return p.endRound(ctx)
		}
		if err := p.startVisits(p.work, now); err != nil {
			return err
		}
		if p.inFlight == 0 && p.waiting == 0 && !now.Before(p.outage.until) && !p.Planner.More() &&
			!p.awaitsUnblock() && !p.Attentive {
			p.returnAll()
			return ctx.Err()
		}
		if err := p.await(ctx, now); err != nil {
			return err
		}
	}
}

// endRound ends a round whose time is over. Results that have arrived still belong to it.
func (p *pool) endRound(ctx context.Context) error {
	for len(p.done) > 0 {
		if err := p.applyCompletion(ctx, <-p.done); err != nil {
			return err
		}
	}
	p.returnAll()
	return ctx.Err()
}

// finishVisits waits for the visits under way when no round follows.
func (p *pool) finishVisits(ctx context.Context) error {
	if p == nil {
		return nil
	}
	for p.inFlight > 0 {
		if err := p.await(ctx, p.Clock.Now()); err != nil {
			return err
		}
	}
	p.returnAll()
	return ctx.Err()
}

// mayBegin reports whether one more visit may begin.
func (p *pool) mayBegin(now time.Time) bool {
	return p.free(now) && !p.outage.blocksStart(p.inFlight, now)
}

// startVisits chooses and begins visits until all workers are busy or no server is ready.
func (p *pool) startVisits(ctx context.Context, now time.Time) error {
	if p.unable(now) {
		return nil
	}
	p.chooseDepth(now)
	p.choosePolicy(now)
	if err := p.fillWhenScarce(now); err != nil {
		return err
	}
	for p.mayBegin(now) {
		began, err := p.startReady(ctx, now)
		if err != nil {
			return err
		}
		if began {
			continue
		}
		if p.waiting >= p.batch {
			p.cutOff(now)
			break
		}
		v, ok := p.Planner.Next()
		if !ok {
			p.cutOff(now)
			break
		}
		if err := p.enqueueVisit(v, now); err != nil {
			return err
		}
	}
	p.startLookups(ctx, now)
	return nil
}

// startReady begins one visit at an idle server that may be asked now.
func (p *pool) startReady(ctx context.Context, now time.Time) (bool, error) {
	p.dispatch.wake(now)
	of, ok := p.next(now, p.dispatch.waits)
	if !ok {
		return false, nil
	}
	a := p.dispatch.next(of, now)
	q := a.queues[0]
	do := &completion{visit: p.takeFirst(q)}
	q.made++
	if ok, err := p.begin(&do.visit, &do.request); err != nil {
		return false, err
	} else if !ok {
		p.Planner.Return(do.visit)
		p.dispatch.noteEnd(a)
		p.openOrClose(q, now)
		return true, nil
	}
	q.page, a.busy = do.visit.Page, true
	p.noteStart(&q.attempt, of, now)
	p.outage.last = now
	p.throughput.note(now)
	p.openOrClose(q, now)
	select {
	case p.jobs <- do:
	default: // no worker is idle
		go p.fetch(ctx, do)
	}
	return true, nil
}

// fetch is a worker: it makes a visit, and then others, unless all of Workers are idle. A new
// goroutine must grow its stack, which costs about 5 % of a short visit.
func (p *pool) fetch(ctx context.Context, do *completion) {
	for {
		began := p.Clock.Now()
		do.seen, do.err = p.Fetcher.Fetch(ctx, do.request)
		do.took = p.Clock.Now().Sub(began)
		p.done <- do
		if p.idle.Add(1) > int32(p.workers) {
			p.idle.Add(-1)
			return
		}
		select {
		case do = <-p.jobs:
			p.idle.Add(-1)
		case <-ctx.Done():
			return
		}
	}
}

// await waits for a result, an address, a server to become ready, or the end of the round.
func (p *pool) await(ctx context.Context, now time.Time) error {
	select { // without timers, if something is already there
	case done := <-p.done:
		return p.applyCompletion(ctx, done)
	case f := <-p.found:
		p.applyLookup(f, p.Clock.Now())
		return ctx.Err()
	default:
	}
	wake := make(chan struct{})
	sleep, cancel := context.WithCancel(ctx)
	defer cancel()
	until := p.nextWake(now)
	go func() {
		if p.Clock.SleepUntil(sleep, until) == nil {
			close(wake)
		}
	}()
	// Results are acknowledged in time even if little happens.
	due := p.CommitAfter
	if p.uncommitted > 0 {
		due = max(due-time.Since(p.lastCommit), 0)
	}
	commit := time.NewTimer(due)
	defer commit.Stop()
	select {
	case done := <-p.done:
		return p.applyCompletion(ctx, done)
	case f := <-p.found:
		p.applyLookup(f, p.Clock.Now())
		return nil
	case <-wake:
		return nil
	case <-commit.C:
		return p.commitAndYield()
	case <-p.Woken:
		return p.commitAndYield()
	case look := <-p.Peek:
		look()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// commitAndYield commits, and then calls Between.
func (p *pool) commitAndYield() error {
	if p.uncommitted > 0 {
		return p.commit()
	}
	return p.between()
}

// nextWake returns when something can be done without a result: a server may be asked, a visit or a
// look-up becomes old, or the round ends.
func (p *pool) nextWake(now time.Time) time.Time {
	end := anchored(p.round.End, now)
	switch {
	case !end.After(now): // the pool waits for results only
		return now.Add(time.Hour)
	case now.Before(p.outage.until):
		return sooner(p.outage.until, end)
	case !p.free(now):
		return p.nextOld(end)
	case p.outage.blocksStart(p.inFlight, now):
		return sooner(p.outage.last.Add(slowAnswer), end)
	case p.Planner.More() && p.waiting < p.batch:
		return now
	}
	wake := p.dispatch.nextWake(end)
	for s := range speedCount {
		if p.dispatch.waits(s) { // too many attempts are young
			wake = p.nextOld(wake)
		}
		if len(p.toLookUp[s]) > 0 {
			wake = p.lookups.nextOld(wake)
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

// abandon waits for the workers after an error, so that none outlives the pool. Their results are
// lost with their visits, which were never acknowledged.
func (p *pool) abandon() {
	for p.lookups.inFlight > 0 {
		p.applyLookup(<-p.found, p.Clock.Now())
	}
	p.returnAll()
	for p.inFlight > 0 {
		lost := <-p.done
		p.release(lost)
		p.chargeBytes(&lost.visit, &lost.request, lost.seen, lost.err)
		p.Planner.Return(lost.visit)
	}
}
