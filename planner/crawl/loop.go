package crawl

import (
	"cmp"
	"context"
	"time"

	"github.com/recrawl/recrawl/planner"
)

// Run carries out round after round of a given length, aligned to the clock, with perDay fetches a
// UTC day (planner.Unlimited: no bound). It calls more after each round, and returns when that
// returns false or when ctx ends; with nil it never stops by itself. A round that a crash or a stop
// interrupted continues with the rest of its budget. At the end Run writes an image of a large
// planner.
func (l *Loop) Run(ctx context.Context, perDay float64, length time.Duration,
	more func(planner.Round) bool) error {
	err := l.run(ctx, perDay, length, more)
	if l.broken {
		return err
	}
	return cmp.Or(err, l.saveImage(true))
}

// run is Run without an image at its end.
func (l *Loop) run(ctx context.Context, perDay float64, length time.Duration,
	more func(planner.Round) bool) error {
	if err := l.resume(); err != nil {
		return err
	}
	p := l.startPool(ctx)
	defer p.end()
	for {
		r, err := l.nextRound(ctx, perDay, length)
		if err != nil {
			return err
		}
		if l.round = r; !l.isOver(r) {
			err = l.carryOutRound(ctx, p, r)
		}
		if err := l.returnReserved(err); err != nil {
			return err
		}
		if more != nil && !more(r) {
			return l.returnReserved(l.closeRound(p, p.finishVisits(ctx)))
		}
		if err := l.saveImage(false); err != nil {
			return err
		}
		if err := l.awaitEnd(ctx, r.End); err != nil {
			return err
		}
		if l.wentBack() {
			continue
		}
		if err := l.Advance(r.End); err != nil { // the store's clock passes the round
			return err
		}
	}
}

// carryOutRound begins a round: the queue hands out due pages, and the policy ranks them. Then it
// makes visits until the budget is used up, nothing is due, or the time is over. With a pool,
// visits may be under way when it returns without an error.
func (l *Loop) carryOutRound(ctx context.Context, p *pool, r planner.Round) error {
	if err := l.beginRound(r); err != nil {
		return err
	}
	if p != nil {
		return l.closeRound(p, p.makeVisits(ctx))
	}
	return l.closeRound(nil, l.sequential(ctx))
}

// sequential makes visits one after the other. pool.makeVisits takes the same steps with many
// workers; there a chosen visit waits in the queue of its server until politeness permits it
// (pool.go).
func (l *Loop) sequential(ctx context.Context) error {
	for ctx.Err() == nil {
		l.peek()
		v, ok := l.Planner.Next() // the due page that is worth most, within the budget
		if !ok {
			return nil
		}
		if err := l.visit(ctx, v); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// visit makes one visit: it reserves the budget and loads the record of the page, fetches the page,
// applies the observation to record, links and policy, saves the record under its new due time, and
// commits in time (visit.go).
func (l *Loop) visit(ctx context.Context, v planner.Visit) error {
	if ok, err := l.begin(&v, &l.request); err != nil {
		return err
	} else if !ok {
		l.Planner.Return(v)
		return nil
	}
	o, err := l.Fetcher.Fetch(ctx, l.request) // as soon as politeness permits
	if err == nil && !o.Denied.IsZero() {
		return l.deny(v, &l.request, &o)
	}
	l.chargeBytes(&v, &l.request, o, err)
	if err != nil {
		l.Planner.Return(v)
		return fetchError(ctx, l.request.Record.URL, err)
	}
	return l.apply(v, &l.request, o)
}
