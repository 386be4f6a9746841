package crawl

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// liveWrongClock bounds how far ahead a visit may be that this clock, or another node's, noted.
const liveWrongClock = time.Minute

// isOver reports whether an earlier process used up the budget of a round. Beginning it again would
// let the planner learn twice from it.
func (l *Loop) isOver(r planner.Round) bool {
	before, ok := l.Planner.Before()
	return ok && r.Budget == 0 && r.Number == before
}

// resume takes over from the process before: its accounts, and the pages that were excluded by
// filters, settings or a name that no longer exclude them.
func (l *Loop) resume() (err error) {
	l.Reserve = true
	before := l.account
	if l.account, err = readAccount(l.Store); err != nil {
		return err
	}
	if before.Number > 0 { // it includes what this process did
		l.account.Traffic = before.Traffic
	}
	if err := l.Planner.Caps().Load(l.Store.Setting); err != nil {
		return l.storeError(err, "read the budgets")
	}
	l.wrongClock = liveWrongClock
	l.backs = l.clockBacks()
	l.Planner.Pages.NotAfter(l.Clock.Now(), l.wrongClock)
	if err := l.recallFilters(); err != nil {
		return err
	}
	if err := l.recallDenied(); err != nil {
		return err
	}
	return l.recallAgent()
}

// nextRound continues the current round, or opens its account. A new account is durable before the
// first visit, so that no two rounds have the same number.
func (l *Loop) nextRound(ctx context.Context, perDay float64, length time.Duration) (
	planner.Round, error) {
	l.reserved = 0
	switch {
	case l.Grant != nil:
		perDay = planner.Unlimited
	case l.PerDay != nil:
		perDay = l.PerDay()
	}
	back := l.wentBack()
	if back {
		l.goBack()
	}
	now, opened := l.account.at(l.Clock.Now(), perDay, length, back)
	if opened && l.Grant != nil {
		var err error
		if now.Granted, err = l.Grant(ctx, now.Start, length); err != nil {
			return planner.Round{}, err
		}
	}
	if l.account = now; opened {
		if err := l.saveAccount(); err != nil {
			return planner.Round{}, err
		}
	}
	r := l.account.round(length)
	return r, l.retryStarts(r.Start)
}

// Round carries out one round, until its budget is used up, nothing is left to visit or, with
// several workers, its time is over. Then it waits for the visits under way.
func (l *Loop) Round(ctx context.Context, r planner.Round) error {
	p := l.startPool(ctx)
	defer p.end()
	err := l.carryOutRound(ctx, p, r)
	if err != nil || p == nil {
		return err
	}
	return l.closeRound(p, p.finishVisits(ctx))
}

// beginRound hands the due pages to the planner.
func (l *Loop) beginRound(r planner.Round) error {
	if err := l.restoreHints(); err != nil {
		return err
	}
	l.round = r
	if l.graph.Scratch() != nil &&
		(l.graph.Pages() >= manyPages || l.graph.Servers() >= manyServers) {
		arena.KeepHeapSmall()
	}
	l.weighStrains()
	l.lastCommit = time.Now()
	for _, q := range l.queues {
		if q.up {
			l.Planner.Carry(q.page)
		}
	}
	l.graph.SpareMemory(l.graph.Pages())
	l.Planner.Begin(r)
	if err := l.flushDues(); err != nil {
		return err
	}
	l.graph.Scratch().Apart(true)
	return nil
}

// From these sizes on it pays to keep memory small: a server takes as much of the heap as 20 pages.
const manyPages, manyServers = 1_000_000, 50_000

// closeRound commits, whatever ended the round. After an error no worker is left.
func (l *Loop) closeRound(p *pool, err error) error {
	if err != nil {
		p.end()
	}
	if l.broken {
		return err
	}
	end := l.round.End
	if err != nil { // another process may continue the round
		end = l.Clock.Now()
	}
	l.Planner.EndRound(end)
	if l.dues != nil {
		l.dues.dropLists()
	}
	l.graph.Scratch().Apart(false)
	if learnt := l.saveLearnt(true); learnt != nil {
		return errors.Join(err, learnt)
	}
	l.graph.Release()
	return errors.Join(err, l.commit())
}

// returnReserved returns unused reservations to the budget after a round that ended with err. It
// returns err, or else its own error.
func (l *Loop) returnReserved(err error) error {
	if l.broken {
		return err
	}
	l.account.Used -= l.reserved
	l.reserved = 0
	l.Planner.Caps().Settle()
	_, settled := l.saveCaps()
	if settled == nil {
		settled = l.saveAccount()
	}
	return cmp.Or(err, settled)
}

// isOf reports whether a visit began in the current round.
func (l *Loop) isOf(r *Request) bool { return r.Round.Number == l.round.Number }

// awaitEnd waits for the end of a round, or until the clock steps back.
func (l *Loop) awaitEnd(ctx context.Context, until time.Time) error {
	for l.Between != nil {
		step := l.Clock.Now().Add(time.Second)
		if !step.Before(until) {
			break
		}
		if l.wentBack() {
			return nil
		}
		if err := l.sleepUntil(ctx, step); err != nil {
			return err
		}
		if err := l.between(); err != nil {
			return err
		}
	}
	return l.sleepUntil(ctx, until)
}

// Advance moves the store's clock to now. The planner gives records that are due and were not
// visited their next due time.
func (l *Loop) Advance(now time.Time) error {
	if err := l.awaitVerified(); err != nil {
		return err
	}
	l.graph.Scratch().Apart(true)
	defer l.graph.Scratch().Apart(false)
	passed := now
	if l.dues != nil {
		if err := l.flushDues(); err != nil {
			return err
		}
		passed = l.dues.passed(now)
	}
	err := l.Store.Advance(passed, func(r *sitegraph.Record) {
		if l.dues != nil && l.dues.keeps(r, now) {
			return
		}
		due, _ := l.Planner.Due(r.Page, now)
		if m := l.Planner.Pages.Memory(r.Page); l.dues != nil &&
			m.State == sitegraph.StateAlive {
			m.Due = sitegraph.Unix32(due.When)
			l.dues.place(r.Page, m.Due)
		}
		r.Due = due.When
		if l.Forecast && !l.Planner.Pages.Aside(r.Page) { // its reason says so
			r.Reason = due.Reason.String()
		}
	})
	if err != nil {
		return l.storeError(err, "advance the store to %s", now.Format(time.RFC3339))
	}
	return nil
}

// Used returns the start of the last round, the fetches granted to it, and the fetches used. Call
// it between two rounds.
func (l *Loop) Used() (start time.Time, granted, used int) {
	return l.account.Start, l.account.Granted, l.account.Used
}

// Upcoming returns the round that Run would carry out at now, with the rest of its budget, and the
// one after it. Nothing is written.
func Upcoming(
	s Store,
	perDay float64,
	length time.Duration,
	now time.Time,
) (current, next planner.Round, err error) {
	a, err := readAccount(s)
	if err != nil {
		return current, next, err
	}
	a, _ = a.at(now, perDay, length, false)
	after, _ := a.at(a.Start.Add(length), perDay, length, false)
	return a.round(length), after.round(length), nil
}
