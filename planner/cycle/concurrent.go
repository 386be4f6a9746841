package cycle

import (
	"container/heap"
	"context"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// maxParked bounds the visits that are chosen and wait for their server: choices made long
// ago do not know the newest outcomes.
const maxParked = 10_000

// line is a server's queue of chosen visits. It outlives the round, because what a server
// asked for does.
type line struct {
	visits    []planner.Visit
	busy      bool // a visit is under way
	notBefore time.Time
	delay     time.Duration // last time between the end of a visit and notBefore
}

// readiness orders the idle lines that have visits by when they may begin: a heap.
type readiness []*line

func (r readiness) Len() int           { return len(r) }
func (r readiness) Less(i, j int) bool { return r[i].notBefore.Before(r[j].notBefore) }
func (r readiness) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *readiness) Push(x any)        { *r = append(*r, x.(*line)) }
func (r *readiness) Pop() any {
	last := len(*r) - 1
	l := (*r)[last]
	*r = (*r)[:last]
	return l
}

// completion is what a worker hands back.
type completion struct {
	visit   planner.Visit
	request Request
	seen    sitegraph.Observation
	err     error
}

// crew is one round's concurrent work.
type crew struct {
	*Loop
	ready    readiness
	parked   int // visits in lines
	inFlight int
	done     chan completion
}

// concurrent keeps up to Workers visits under way. It returns when nothing is left to do,
// when the round's time is over (what has not begun goes back to the planner), or on the
// first error.
func (l *Loop) concurrent(ctx context.Context) error {
	// Workers end with the round, whatever ends it.
	work, stop := context.WithCancel(ctx)
	c := &crew{Loop: l, done: make(chan completion, l.Workers)}
	defer func() { stop(); c.drain() }()
	for {
		now := l.Clock.Now()
		over := !now.Before(l.round.End)
		if over {
			c.giveBack()
		} else if err := c.start(work, now); err != nil {
			return err
		}
		if c.inFlight == 0 && c.parked == 0 {
			return ctx.Err()
		}
		if err := c.wait(ctx, now); err != nil {
			return err
		}
	}
}

// start chooses and begins visits until all workers are busy or no server is ready.
func (c *crew) start(ctx context.Context, now time.Time) error {
	for c.inFlight < c.Workers {
		began, err := c.beginReady(ctx, now)
		if err != nil {
			return err
		}
		if began {
			continue
		}
		if c.parked >= maxParked {
			return nil
		}
		v, ok := c.Planner.Next()
		if !ok {
			return nil
		}
		if err := c.park(v, now); err != nil {
			return err
		}
	}
	return nil
}

// park puts a visit in its server's line, or hands it back if the line already holds all
// that politeness allows for the rest of the round.
func (c *crew) park(v planner.Visit, now time.Time) error {
	server := c.graph.Server(v.Page)
	l := c.lines[server]
	if l == nil {
		until, err := c.heldUntil(server)
		if err != nil {
			return err
		}
		l = &line{notBefore: until}
		c.lines[server] = l
	}
	if l.delay > 0 {
		from := now
		if l.notBefore.After(now) {
			from = l.notBefore
		}
		if room := int(c.round.End.Sub(from)/l.delay) + 1; len(l.visits) >= room {
			c.Planner.Return(v)
			return nil
		}
	}
	l.visits = append(l.visits, v)
	c.parked++
	if !l.busy && len(l.visits) == 1 {
		heap.Push(&c.ready, l)
	}
	return nil
}

// beginReady begins one visit of a server that is idle and may be asked now.
func (c *crew) beginReady(ctx context.Context, now time.Time) (bool, error) {
	if len(c.ready) == 0 || c.ready[0].notBefore.After(now) {
		return false, nil
	}
	l := heap.Pop(&c.ready).(*line)
	v := l.visits[0]
	l.visits = l.visits[1:]
	c.parked--
	var request Request
	if ok, err := c.begin(&v, &request); err != nil {
		return false, err
	} else if !ok {
		c.Planner.Return(v)
		if len(l.visits) > 0 {
			heap.Push(&c.ready, l)
		}
		return true, nil
	}
	l.busy = true
	c.inFlight++
	go func() {
		o, err := c.Fetcher.Fetch(ctx, request)
		c.done <- completion{v, request, o, err}
	}()
	return true, nil
}

// wait for an outcome, for a server to become ready, or for the end of the round.
func (c *crew) wait(ctx context.Context, now time.Time) error {
	wake := make(chan struct{})
	sleep, cancel := context.WithCancel(ctx)
	defer cancel()
	if until := c.nextReady(now); c.inFlight < c.Workers || until.Equal(c.round.End) {
		go func() {
			if c.Clock.SleepUntil(sleep, until) == nil {
				close(wake)
			}
		}()
	}
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

// nextReady is when the first waiting server may be asked, at most the round's end.
func (c *crew) nextReady(now time.Time) time.Time {
	next := c.round.End
	if !next.After(now) { // the round is over: only outcomes are waited for
		return now.Add(time.Hour)
	}
	if len(c.ready) > 0 && c.ready[0].notBefore.Before(next) {
		next = c.ready[0].notBefore
	}
	return next
}

func (c *crew) complete(ctx context.Context, done completion) error {
	c.inFlight--
	l := c.lines[c.graph.Server(done.visit.Page)]
	l.busy = false
	c.finish(&done.visit, &done.request, done.seen, done.err)
	if done.err != nil {
		c.Planner.Return(done.visit)
		return fetchError(ctx, done.request.Record.URL, done.err)
	}
	now := c.Clock.Now()
	l.notBefore = done.seen.NotBefore
	l.delay = max(l.notBefore.Sub(now), 0)
	if len(l.visits) > 0 {
		heap.Push(&c.ready, l)
	}
	if err := c.hold(done.visit.Page, l); err != nil {
		return err
	}
	return c.apply(done.visit, &done.request.Record, done.seen)
}

// giveBack hands the visits that have not begun back to the planner.
func (c *crew) giveBack() {
	for _, l := range c.lines {
		for _, v := range l.visits {
			c.Planner.Return(v)
		}
		l.visits = nil
	}
	c.ready, c.parked = nil, 0
}

// drain waits for the workers after an error, so that none outlives the round. Outcomes
// that are in by then are lost with their visits: they were not acknowledged.
func (c *crew) drain() {
	c.giveBack()
	for ; c.inFlight > 0; c.inFlight-- {
		lost := <-c.done
		c.lines[c.graph.Server(lost.visit.Page)].busy = false
		c.finish(&lost.visit, &lost.request, lost.seen, lost.err)
		c.Planner.Return(lost.visit)
	}
}
