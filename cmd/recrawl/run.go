package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/fetch/apart"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/planner/present"
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
	c := &p.config
	seeds, err := canonicalSeeds(args)
	if err != nil {
		return err
	}
	if _, err := p.watched(); err != nil {
		return err
	}
	filters, err := p.filters()
	if err != nil {
		return err
	}
	defer closing(filters, &err)
	reader := apart.NewReader(apart.Again(readsApart)...)
	client, err := p.client(reader.Read, filters)
	if err != nil {
		return err
	}
	o, err := p.open(false)
	if err != nil {
		return err
	}
	defer closing(o.store, &err)
	if len(seeds) == 0 && o.corpus.Pages() == 0 {
		return usageError{
			fmt.Errorf("no address given, and %s knows none", c.Data),
			"recrawl run --data DIRECTORY URL... starts from these pages",
		}
	}
	underWay, err := p.underWay(reader)
	if err != nil {
		return err
	}
	defer closing(underWay, &err)
	kept, err := p.archive()
	if err != nil {
		return err
	}
	defer closing(kept, &err)
	log, err := journal.Open(filepath.Join(c.Data, "journal"))
	if err != nil {
		return err
	}
	defer closing(log, &err)

	said, err := p.push(client, o.store)
	if err != nil {
		return err
	}
	defer closing(said, &err)

	others, err := intake.OpenOthers(c.Others, time.Now())
	if err != nil {
		return err
	}
	defer closing(others, &err)
	watched, err := p.openWatch(o.store)
	if err != nil {
		return err
	}

	result := present.NewRun()
	desk, served, err := p.dashboard(o, view.Options{Run: result})
	if err != nil {
		return err
	}
	defer closing(served, &err)
	bounds := sitegraph.DefaultBounds
	bounds.MaxPages = c.MaxPages
	var journalErr error
	p.note("robots.txt is searched for the name %s", client.RobotsAgent())
	work, stop := context.WithCancel(ctx) // a visit that cannot be written down is the last one
	defer stop()
	status := p.status()
	workers := max(c.Workers, 2)
	lookout := present.NewLookout(result, time.Now())
	sight := &watching.Sight{Watch: watched}
	var loop *cycle.Loop
	look := func() { status.note(lookout.Look(time.Now(), loop, workers, c.PerDay())) }
	loop = cycle.New(cycle.Options{
		Planner:    o.plan,
		Fetcher:    liveFetcher{client, underWay, kept, watched},
		Store:      o.store,
		Clock:      cycle.WallClock{},
		Change:     c.ChangeBy(),
		Workers:    workers,
		Discover:   true,
		Forecast:   true,
		Proof:      true,
		Bounds:     &bounds,
		Pause:      c.Delay,
		PauseOf:    client.PauseOf,
		Able:       p.hasSpace,
		Stalled:    func(why error) { status.stalled(why); desk.Stalled(why) },
		Unkept:     func(err error) { p.warn(err.Error() + "; the next start reads all records") },
		Dispatched: func(d cycle.Dispatch) { status.note(result.Dispatched(d)) },
		Found:      func(page sitegraph.PageID) { sight.Found(o.corpus, page) },
		Seen: func(e *cycle.Event) {
			result.See(e)
			said.See(e.Record.URL, e.Record.State, &e.Observation)
			others.See(e.Record.URL, e.Observation.Links)
			sight.See(e)
			desk.See(e)
		},
		Between: func() error {
			now := time.Now()
			return errors.Join(client.KeepIn(o.store), p.copies(o.store), hand(said, loop, o.store), watched.Step(now, o.store), others.Rest(now), desk.Between(loop))
		},
		Attentive: said != nil || desk != nil,
		Filters:   filters.Fingerprint(),
		Woken:     said.Woken(),
		Peek:      desk.Peek(),
		Acknowledged: func(events []cycle.Event) {
			if journalErr == nil {
				if journalErr = visits.Append(log, events); journalErr != nil {
					stop()
				}
			}
			status.show(result, o.plan)
			look()
		},
	})
	desk.Attach(loop)
	if err := loop.Seed(seeds...); err != nil {
		return err
	}
	if promise := o.plan.Promise(); promise != nil && promise.Broken(c.PerDay()) != "" {
		p.warn(promise.Says(c.PerDay()))
	}
	if err := loop.KeepDistance(work, func() {
		p.note("going on; waiting %v, since servers may have been asked a moment ago", c.Delay)
	}); err != nil {
		return err
	}
	err = loop.Run(work, c.PerDay(), c.Round, func(r planner.Round) bool {
		result.EndRound(o.plan, r, c.PerDay())
		look()
		desk.EndRound()
		status.rest(result, o.plan, r.End)
		return journalErr == nil && (c.Rounds == 0 || result.Rounds < c.Rounds)
	})
	desk.Close()
	status.end()
	if ended := err == nil; ended || ctx.Err() != nil && onlyCanceled(err) {
		if told := watched.End(endWithin, time.Now, o.store, ended); told != nil && ended {
			err = told
		}
		if events, messages := watched.Waiting(); events+messages > 0 {
			p.note("%s and %s wait to be told by the next start", report.Plural(events, "event"), report.Plural(messages, "message"))
		}
	}
	if journalErr != nil && (err == nil || ctx.Err() == nil && errors.Is(err, context.Canceled)) {
		err = journalErr
	}
	result.End(o.plan, loop)
	result.Judge(loop, workers, c.PerDay())
	if err == nil || ctx.Err() != nil {
		if printed := p.print(result, result.Finding(), result.Tables()); err == nil {
			err = printed
		}
	}
	if err == nil && result.Failed > 0 {
		return failed{
			fmt.Errorf("%d of %s failed", result.Failed, report.Plural(result.Visits, "visit")),
			"they are asked for again later; " + filepath.Join(c.Data, "journal") + " says why each failed",
			exitVisits,
		}
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
