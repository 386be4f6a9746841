package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/fetch/apart"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/fetch/meter"
	"github.com/recrawl/recrawl/fetch/push"
	"github.com/recrawl/recrawl/fetch/watch"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/planner/present"
	"github.com/recrawl/recrawl/planner/tracing"
	"github.com/recrawl/recrawl/planner/view"
	"github.com/recrawl/recrawl/planner/watching"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/satstore/journal/visits"
	"github.com/recrawl/recrawl/satstore/seen/intake"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *program) runCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use: "run --data DIRECTORY --user-agent AGENT URL...",
	}, p.run)
}

func (p *program) run(ctx context.Context, args []string) (err error) {
	l := &crawl{program: p, result: present.NewRun(), status: p.status()}
	defer closing(&l.parts, &err)
	if err := l.open(ctx, args); err != nil {
		return err
	}
	work, stop := context.WithCancel(ctx) // a visit that cannot be written down is the last one
	defer stop()
	l.makeLoop(stop)
	if err := l.prepare(work); err != nil {
		return err
	}
	err = l.loop.Run(work, p.config.PerDay(), p.config.Round, l.endRound)
	return l.end(ctx, err)
}

// crawl is a run: what it has open, and how it goes.
type crawl struct {
	*program
	data     *opened
	seeds    []string
	filters  *filter.Set
	client   *meter.Client
	underWay *apart.Register
	archive  *archive.Archive
	journal  *journal.Journal
	hints    *push.Service
	others   *intake.Others
	watch    *watch.Watch
	desk     *view.Desk
	trace    *tracing.Tracer
	parts    parts // of these, what is closed at the end

	loop       *cycle.Loop
	result     *present.Run
	status     *statusLine
	lookout    *present.Lookout
	journalErr error // no visit begins after it
}

// open opens all that a run works with.
func (l *crawl) open(ctx context.Context, args []string) (err error) {
	p, c := l.program, &l.config
	if l.seeds, err = canonicalSeeds(args); err != nil {
		return err
	}
	if _, err := p.watched(); err != nil {
		return err
	}
	if l.filters, err = p.filters(); err != nil {
		return err
	}
	l.parts.add(l.filters)
	reader := apart.NewReader(apart.Again(readsApart)...)
	if l.client, err = p.client(reader.Read, l.filters); err != nil {
		return err
	}
	if l.data, err = p.open(ctx, false); err != nil {
		return err
	}
	l.parts.add(l.data.store)
	if len(l.seeds) == 0 && l.data.corpus.Pages() == 0 {
		return usageError{
			fmt.Errorf("no address given, and %s knows none", c.Data),
			"recrawl run --data DIRECTORY URL... starts from these pages",
		}
	}
	if l.underWay, err = p.underWay(reader); err != nil {
		return err
	}
	l.parts.add(l.underWay)
	if l.archive, err = p.archive(); err != nil {
		return err
	}
	l.parts.add(l.archive)
	if l.journal, err = journal.Open(filepath.Join(c.Data, "journal")); err != nil {
		return err
	}
	l.parts.add(l.journal)
	if l.hints, err = p.push(l.client, l.data.store); err != nil {
		return err
	}
	l.parts.add(l.hints)
	if l.others, err = intake.OpenOthers(c.Others, time.Now()); err != nil {
		return err
	}
	l.parts.add(l.others)
	if l.watch, err = p.openWatch(l.data.store); err != nil {
		return err
	}
	l.trace, err = tracing.Open(tracing.Options{Address: c.Trace, Share: c.TraceShare, Version: versionName(), Warn: func(err error) { p.warn(err.Error()) }})
	if err != nil {
		return err
	}
	l.parts.add(l.trace)
	desk, served, err := p.dashboard(l.data, view.Options{Run: l.result})
	if err != nil {
		return err
	}
	l.desk = desk
	l.parts.add(served)
	p.note("robots.txt is searched for the name %s", l.client.RobotsAgent())
	return nil
}

// makeLoop makes the loop. It calls stop when visits can no longer be written down.
func (l *crawl) makeLoop(stop func()) {
	c, result := &l.config, l.result
	bounds := sitegraph.DefaultBounds
	bounds.MaxPages = c.MaxPages
	l.lookout = present.NewLookout(result, time.Now())
	sight := &watching.Sight{Watch: l.watch}
	l.loop = cycle.New(cycle.Options{
		Planner:    l.data.plan,
		Fetcher:    liveFetcher{l.client, l.underWay, l.archive, l.watch, l.trace},
		Store:      l.data.store,
		Clock:      cycle.WallClock{},
		Change:     c.ChangeBy(),
		Workers:    l.workers(),
		Discover:   true,
		Forecast:   true,
		Proof:      true,
		Bounds:     &bounds,
		Pause:      c.Delay,
		PauseOf:    l.client.PauseOf,
		Able:       l.hasSpace,
		Stalled:    func(why error) { l.status.stalled(why); l.desk.Stalled(why) },
		Unkept:     func(err error) { l.warn(err.Error() + "; the next start reads all records") },
		Dispatched: func(d cycle.Dispatch) { l.status.note(result.Dispatched(d)) },
		Found:      func(page sitegraph.PageID) { sight.Found(l.data.corpus, page) },
		Seen: func(e *cycle.Event) {
			result.See(e)
			l.hints.See(e.Record.URL, e.Record.State, &e.Observation)
			l.others.See(e.Record.URL, e.Observation.Links)
			sight.See(e)
			l.desk.See(e)
		},
		Between: func() error {
			now := time.Now()
			return errors.Join(l.client.KeepIn(l.data.store), l.copies(l.data.store), hand(l.hints, l.loop, l.data.store),
				l.watch.Step(now, l.data.store), l.others.Rest(now), l.desk.Between(l.loop))
		},
		Attentive: l.hints != nil || l.desk != nil,
		Filters:   l.filters.Fingerprint(),
		Woken:     l.hints.Woken(),
		Peek:      l.desk.Peek(),
		Acknowledged: func(events []cycle.Event) {
			if l.journalErr == nil {
				if l.journalErr = visits.Append(l.journal, events); l.journalErr != nil {
					stop()
				}
			}
			l.trace.Acknowledged(events)
			l.status.show(result, l.data.plan)
			l.look()
		},
	})
	l.desk.Attach(l.loop)
}

func (l *crawl) workers() int { return max(l.config.Workers, 2) }

// look warns of what the run does not reach.
func (l *crawl) look() {
	l.status.note(l.lookout.Look(time.Now(), l.loop, l.workers(), l.config.PerDay()))
}

// prepare gives the loop its start pages, and waits until servers may be asked again.
func (l *crawl) prepare(ctx context.Context) error {
	if err := l.loop.Seed(l.seeds...); err != nil {
		return err
	}
	perDay := l.config.PerDay()
	if promise := l.data.plan.Promise(); promise != nil && promise.Broken(perDay) != "" {
		l.warn(promise.Says(perDay))
	}
	return l.loop.KeepDistance(ctx, func() {
		l.note("going on; waiting %v, since servers may have been asked a moment ago", l.config.Delay)
	})
}

// endRound reports whether there is another one.
func (l *crawl) endRound(r planner.Round) bool {
	l.result.EndRound(l.data.plan, r, l.config.PerDay())
	l.look()
	l.desk.EndRound()
	l.trace.EndRound(r)
	l.status.rest(l.result, l.data.plan, r.End)
	return l.journalErr == nil && (l.config.Rounds == 0 || l.result.Rounds < l.config.Rounds)
}

// end tells what came of a run that ended with err.
func (l *crawl) end(ctx context.Context, err error) error {
	l.desk.Close()
	l.status.end()
	if ended := err == nil; ended || ctx.Err() != nil && onlyCanceled(err) {
		if told := l.watch.End(endWithin, time.Now, l.data.store, ended); told != nil && ended {
			err = told
		}
		if events, messages := l.watch.Waiting(); events+messages > 0 {
			l.note("%s and %s wait to be told by the next start", report.Plural(events, "event"), report.Plural(messages, "message"))
		}
	}
	if l.journalErr != nil && (err == nil || ctx.Err() == nil && errors.Is(err, context.Canceled)) {
		err = l.journalErr
	}
	result := l.result
	result.End(l.data.plan, l.loop)
	result.Judge(l.loop, l.workers(), l.config.PerDay())
	if err == nil || ctx.Err() != nil {
		if printed := l.print(result, result.Finding(), result.Tables()); err == nil {
			err = printed
		}
	}
	if err == nil && result.Failed > 0 {
		return failed{
			fmt.Errorf("%d of %s failed", result.Failed, report.Plural(result.Visits, "visit")),
			"they are asked for again later; " + filepath.Join(l.config.Data, "journal") + " says why each failed",
			exitVisits,
		}
	}
	return err
}

// parts are open. They are closed in the reverse of the order in which they were opened.
type parts []io.Closer

func (p *parts) add(c io.Closer) { *p = append(*p, c) }

// Close closes all, and says what failed first.
func (p *parts) Close() (err error) {
	for _, c := range slices.Backward(*p) {
		closing(c, &err)
	}
	return err
}

// endWithin is how long a run waits for messages that are under way when it ends.
const endWithin = 10 * time.Second

// closing ends the use of what was opened. Its error matters only where there is no other:
// on a full disk everything fails, one thing after the other.
func closing(c io.Closer, err *error) {
	if closed := c.Close(); *err == nil {
		*err = closed
	}
}
