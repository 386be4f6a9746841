package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/fetch/push"
	"github.com/recrawl/recrawl/fetch/watch"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/satstore/seen/intake"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

func (p *Program) runCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use: "run --data DIRECTORY --user-agent AGENT URL...",
	}, p.run)
}

func (p *Program) run(ctx context.Context, args []string) (err error) {
	p.clock = crawl.NewSteadyClock(func(err error) { p.Warn(err.Error()) })
	p.silence = silenceIn(p.config.Data)
	l := &liveRun{Program: p, result: present.NewRun(), status: p.status()}
	defer Closing(&l.base.parts, &err)
	if err := l.open(ctx, args); err != nil {
		return err
	}
	work, stop := context.WithCancel(ctx) // a visit that cannot be journaled is the last one
	defer stop()
	l.makeLoop(stop)
	if err := l.prepare(work); err != nil {
		return err
	}
	err = l.loop.Run(work, p.config.PerDay(), p.config.Round, l.endRound)
	return l.end(ctx, err)
}

// liveRun is a run: its open parts and its state.
type liveRun struct {
	*Program
	base   basis
	seeds  []string
	hints  *push.Service
	others *intake.Others
	watch  *watch.Watch
	desk   *view.Desk

	loop       *crawl.Loop
	result     *present.Run
	status     *statusLine
	lookout    *present.Lookout
	journalErr error // no visit begins after it
}

// open opens everything for a run.
func (l *liveRun) open(ctx context.Context, args []string) (err error) {
	p, c := l.Program, &l.config
	if l.seeds, err = Addresses(args); err != nil {
		return err
	}
	if err := p.readScope(); err != nil {
		return err
	}
	if p.scope != nil {
		l.seeds = append(l.seeds, p.scope.Seeds...)
	}
	if _, err := p.watched(); err != nil {
		return err
	}
	if err = satstore.AwaitReaders(ctx, c.Data, satstore.Options{}, func() {
		p.Warn("another recrawl reads " + c.Data + ", as check and serve do; waiting until it ends")
	}); err != nil {
		return err
	}
	if err = l.base.open(ctx, p); err != nil {
		return err
	}
	if err = p.keepSettings(); err != nil {
		return err
	}
	if len(l.seeds) == 0 && l.base.data.pages.Count() == 0 {
		return UsageError(
			fmt.Errorf("no address given, and %s knows none", c.Data),
			"recrawl run --data DIRECTORY URL... starts from these pages",
		)
	}
	if graph := l.base.data.pages.Graph; p.scope != nil {
		p.scope.Remember(func(url string) (redirect string, links []string) {
			page, ok := graph.Lookup(url)
			if !ok || int(page) >= l.base.data.pages.Count() {
				return "", nil
			}
			for _, to := range graph.Links(page) {
				links = append(links, graph.URL(to))
			}
			if l.base.data.pages.Memory(page).State == sitegraph.StateMoved && len(links) == 1 {
				return links[0], nil
			}
			return "", links
		})
	}
	if l.hints, err = p.push(l.base.client, l.base.data.store); err != nil {
		return err
	}
	l.base.parts.add(l.hints)
	if l.others, err = intake.OpenOthers(c.Others, p.clock.Now()); err != nil {
		return err
	}
	l.base.parts.add(l.others)
	if l.watch, err = p.openWatch(l.base.data.store); err != nil {
		return err
	}
	desk, served, err := p.dashboard(ctx, l.base.data, view.Options{Run: l.result})
	if err != nil {
		return err
	}
	l.desk = desk
	l.base.parts.add(served)
	p.Note("robots.txt is searched for the name %s", l.base.client.RobotsAgent())
	return nil
}

// makeLoop makes the loop. It calls stop when visits can no longer be journaled.
func (l *liveRun) makeLoop(stop func()) {
	result := l.result
	l.lookout = present.NewLookout(result, l.clock.Now())
	sight := &watch.Sight{Watch: l.watch}
	o := l.base.options(l.Program)
	o.Fetcher = liveFetcher{l.base.client, l.base.underWay, l.base.archive, l.base.keeper, l.watch,
		l.silence, l.scope}
	o.Clock, o.Workers = l.clock, l.workers()
	o.PerDay = func() float64 {
		l.config.KnownPages = l.base.data.pages.Count()
		return l.config.PerDay()
	}
	o.Attentive, o.Woken, o.Peek = l.hints != nil || l.desk != nil, l.hints.Woken(), l.desk.Peek()
	o.Stalled = func(why error) { l.status.stalled(why); l.desk.Stalled(why) }
	o.Dispatched = func(d crawl.Dispatch) { l.status.note(result.Dispatched(d)) }
	o.Found = func(page sitegraph.PageID) { sight.Found(l.base.data.pages, page) }
	o.Seen = func(e *crawl.Event) {
		result.See(e)
		l.hints.See(e.Record.URL, e.Record.State, &e.Observation)
		l.others.See(e.Record.URL, e.Observation.Links)
		sight.See(e)
		l.desk.See(e)
	}
	o.Denied = func(d sitegraph.Denial) { l.status.note(present.Denied(d)) }
	o.Between = func() error {
		now := l.clock.Now()
		return errors.Join(l.base.client.KeepIn(l.base.data.store), l.copies(l.base.data.store),
			hand(l.hints, l.loop, l.base.data.store),
			l.watch.Step(now, l.base.data.store), l.others.Rest(now), l.desk.Between(l.loop))
	}
	o.Acknowledged = func(events []crawl.Event) {
		if l.journalErr == nil {
			if l.journalErr = journal.AppendVisits(l.base.journal, events); l.journalErr != nil {
				stop()
			}
		}
		l.status.Show(func() string { return result.Status(l.base.data.plan) })
		l.look()
	}
	l.loop = crawl.New(o)
	l.desk.Attach(l.loop)
}

func (l *liveRun) workers() int { return max(l.config.Workers, 2) }

// look warns about goals that the run misses.
func (l *liveRun) look() {
	l.status.note(l.lookout.Look(l.clock.Now(), l.loop, l.workers(), l.config.PerDay()))
}

// prepare gives the loop its start pages, and waits until servers may be asked again.
func (l *liveRun) prepare(ctx context.Context) error {
	if err := l.loop.Seed(l.seeds...); err != nil {
		return err
	}
	perDay := l.config.PerDay()
	if promise := l.base.data.plan.Promise(); promise != nil && promise.Broken(perDay) != "" {
		l.Warn(promise.Says(perDay))
	}
	return l.loop.KeepDistance(ctx, func() {
		l.Note("going on; waiting %v, since servers may have been asked a moment ago",
			l.config.Delay)
	})
}

// endRound reports whether another round follows.
func (l *liveRun) endRound(r planner.Round) bool {
	l.result.EndRound(l.base.data.plan, r, l.config.PerDay())
	l.look()
	l.desk.EndRound()
	l.status.Print(l.result.Rest(l.base.data.plan, r.End))
	if l.config.Listen == "" && l.result.RefusedAll(l.base.data.plan) {
		return false // nobody can announce other pages
	}
	return l.journalErr == nil && (l.config.Rounds == 0 || l.result.Rounds < l.config.Rounds)
}

// end reports the result of a run that ended with err.
func (l *liveRun) end(ctx context.Context, err error) error {
	l.desk.Close()
	if err == nil {
		err = l.finish(ctx)
	}
	l.status.End()
	if ended := err == nil; ended || ctx.Err() != nil && onlyCanceled(err) {
		if told := l.watch.End(endWithin, l.clock.Now, l.base.data.store, ended); told != nil &&
			ended {
			err = told
		}
		if events, messages := l.watch.Waiting(); events+messages > 0 {
			l.Note("%s and %s wait to be told by the next start",
				words.Plural(events, "event"), words.Plural(messages, "message"))
		}
	}
	if l.journalErr != nil && (err == nil || ctx.Err() == nil && errors.Is(err, context.Canceled)) {
		err = l.journalErr
	}
	result := l.result
	result.End(l.base.data.plan, l.loop)
	result.Judge(l.loop, l.workers(), l.config.PerDay())
	if err == nil || ctx.Err() != nil {
		if printed := l.Print(result, result.Finding(), result.Tables()); err == nil {
			err = printed
		}
	}
	if err == nil && len(result.NotAsked) > 0 && result.Failed == 0 && !result.Fetched() {
		return WorkError(errors.New("nothing was fetched: settings refuse what is known"),
			"they are asked for at once when a run starts with settings that allow it",
			ExitVisits)
	}
	if err == nil && result.Failed > 0 {
		return WorkError(
			fmt.Errorf("%d of %s failed", result.Failed, words.Plural(result.Visits, "visit")),
			"they are asked for again later; "+filepath.Join(l.config.Data, "journal")+
				" says why each failed",
			ExitVisits,
		)
	}
	return err
}

// finish waits for the requisites of the last round, at most for a round.
func (l *liveRun) finish(ctx context.Context) error {
	k := l.base.keeper
	if n := k.Counts().Waiting; n > 0 {
		l.Note("asking for %s that the pages show; Ctrl-C leaves them for the next run",
			words.Plural(n, "requisite"))
	}
	_, err := k.Finish(ctx, l.clock.Now().Add(l.config.Round))
	if c := k.Counts(); c.Requests+c.Waiting > 0 {
		l.Note("%s", c)
	}
	return err
}

// parts are open. They are closed in reverse order.
type parts []io.Closer

func (p *parts) add(c io.Closer) { *p = append(*p, c) }

// Close closes all parts, and returns the first error.
func (p *parts) Close() (err error) {
	for _, c := range slices.Backward(*p) {
		Closing(c, &err)
	}
	return err
}

// endWithin is how long an ending run waits for messages in delivery.
const endWithin = 10 * time.Second

// Closing closes c. Its error is used only if there is no other: on a full disk everything fails in
// turn.
func Closing(c io.Closer, err *error) {
	if closed := c.Close(); *err == nil {
		*err = closed
	}
}
