package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/apart"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/cycle"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *program) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run --data DIRECTORY --user-agent AGENT URL...",
		Short: "Discover pages from the given ones and keep them fresh",
		Long: `run crawls the servers of the given addresses, following links inside each server, and
fetches known pages again when the policy finds it worth while, within the budgets:

  --budget 10000/day --budget 2GB/day        of all servers together
  --server-budget 500/day                    of each server
  --server-budget '*.example.org=20MB/hour'  of those below example.org, instead
  --weight https://example.com/news/=3       what a change there is worth, beside others

None is ever exceeded, in any hour or day of UTC, over crashes and restarts neither. Bytes are what is
read from the network. The summary says what did not fit and what it would have been worth.

It obeys robots.txt, waits 10 s between two requests to a server or address (longer where
robots.txt or Retry-After ask for it), refuses private addresses, and says who asks.
Stop it with Ctrl-C and start it again: it goes on where it stopped, without addresses too.
What is known is in the directory; journal/ in it has a line for every visit made.`,
		Example: `  recrawl run --data crawl --user-agent "mybot/1.0 (+https://example.org/bot)" https://example.org/
  recrawl run --data crawl --user-agent "mybot/1.0 (ops@example.org)" --budget 5000
  recrawl run --config recrawl.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.run(cmd.Context(), args)
		},
	}
	addSettings(cmd)
	return cmd
}

// runResult is what run did, printed at its end.
type runResult struct {
	Rounds     int     `json:"rounds"`
	Visits     int     `json:"visits"`
	First      int     `json:"first"`   // pages fetched for the first time
	Changed    int     `json:"changed"` // among the others
	Unchanged  int     `json:"unchanged"`
	Left       int     `json:"left"`    // gone, moved or excluded
	Doubted    int     `json:"doubted"` // said to be gone, moved or excluded, which is not proved yet
	Failed     int     `json:"failed"`
	Sources    int     `json:"sources"`     // visits to feeds and sitemaps, in none of the six above
	UpdateRate float64 `json:"update_rate"` // changed among refetches that told something; 0 if none
	Known      int     `json:"known"`       // pages
	Waiting    int     `json:"waiting"`     // new pages in line

	// Refused are the addresses that did not become known because they look like traps or are too many.
	Refused refusedResult `json:"refused"`

	Budget budgetResult `json:"budget"` // of the last round
	Hints  hintsResult  `json:"hints"`
}

func (r *runResult) add(e *cycle.Event) {
	r.Visits++
	if e.Record.State == sitegraph.StateSource {
		r.Sources++
		return
	}
	switch e.Verdict {
	case sitegraph.VerdictFirst:
		r.First++
	case sitegraph.VerdictChanged:
		r.Changed++
	case sitegraph.VerdictUnchanged:
		r.Unchanged++
	case sitegraph.VerdictLeft:
		r.Left++
	case sitegraph.VerdictDoubted:
		r.Doubted++
	default:
		r.Failed++
	}
	if told := r.Changed + r.Unchanged; told > 0 {
		r.UpdateRate = float64(r.Changed) / float64(told)
	}
}

func (p *program) run(ctx context.Context, args []string) (err error) {
	c := &p.config
	seeds, err := canonicalSeeds(args)
	if err != nil {
		return err
	}
	reader := apart.NewReader(readerCommand()...)
	client, err := p.client(reader)
	if err != nil {
		return err
	}
	o, err := p.open(false)
	if err != nil {
		return err
	}
	defer closing(o.store, &err)
	if len(seeds) == 0 && o.corpus.Pages() == 0 {
		return usageError{fmt.Errorf("no address given, and %s knows none", c.Data), "recrawl run --data DIRECTORY URL... starts from these pages"}
	}
	underWay, err := p.underWay(reader)
	if err != nil {
		return err
	}
	defer closing(underWay, &err)
	log, err := journal.Open(filepath.Join(c.Data, "journal"))
	if err != nil {
		return err
	}
	defer closing(log, &err)

	result := runResult{Budget: noBudgets(), Hints: hintsResult{Servers: []hintsOf{}}}
	bounds := sitegraph.DefaultBounds
	bounds.MaxPages = c.MaxPages
	var journalErr error
	if !p.quiet {
		fmt.Fprintf(p.stderr, "recrawl: robots.txt is searched for the name %s\n", client.RobotsAgent())
	}
	work, stop := context.WithCancel(ctx) // a visit that cannot be written down is the last one
	defer stop()
	status := p.status()
	loop := cycle.New(cycle.Options{
		Planner: o.plan, Fetcher: liveFetcher{client, underWay}, Store: o.store, Clock: cycle.WallClock{}, Change: c.changeBy(),
		Workers: max(c.Workers, 2), Discover: true, Forecast: true, Proof: true, Bounds: &bounds, Pause: c.Delay,
		Able: p.hasSpace, Stalled: status.stalled,
		Seen:    result.add,
		Between: func() error { return errors.Join(keepRobots(client, o.store), p.grantWishes(o.store)) },
		Acknowledged: func(events []cycle.Event) {
			if journalErr == nil {
				if journalErr = writeDown(log, events); journalErr != nil {
					stop()
				}
			}
			status.show(&result, o)
		},
	})
	if err := loop.Seed(seeds...); err != nil {
		return err
	}
	if err := p.keepDistance(work, o); err != nil {
		return err
	}
	err = loop.Run(work, c.perDay(), c.Round, func(r planner.Round) bool {
		result.Rounds++
		result.Budget = o.budgets(r)
		status.rest(&result, o, r.End)
		return journalErr == nil && (c.Rounds == 0 || result.Rounds < c.Rounds)
	})
	status.end()
	if journalErr != nil && (err == nil || ctx.Err() == nil && errors.Is(err, context.Canceled)) {
		err = journalErr
	}
	result.Refused = refusedBy(loop)
	result.Known, result.Waiting, result.Hints = o.known(), o.plan.Waiting(), o.hints()
	if err == nil || ctx.Err() != nil {
		if printed := p.printRun(result); err == nil {
			err = printed
		}
	}
	if err == nil && result.Failed > 0 {
		return visitsFailed{fmt.Errorf("%d of %s failed", result.Failed, report.Plural(result.Visits, "visit")),
			"they are asked for again later; " + filepath.Join(c.Data, "journal") + " says why each failed"}
	}
	return err
}

// keepDistance waits before the first request of a process that goes on where another stopped:
// what that one asked last is not known to the second, let alone what was under way when it
// was killed.
func (p *program) keepDistance(ctx context.Context, o *opened) error {
	const longestVisit = 2 * time.Minute // no visit that began earlier is still to be feared
	var last int64
	for page := range sitegraph.PageID(o.corpus.Pages()) {
		last = max(last, int64(o.corpus.Memory(page).Tried))
	}
	clock := cycle.WallClock{}
	if p.config.Delay == 0 || clock.Now().Sub(time.Unix(last, 0)) > longestVisit+p.config.Delay {
		return nil
	}
	if !p.quiet {
		fmt.Fprintf(p.stderr, "recrawl: going on; waiting %v, since servers may have been asked a moment ago\n", p.config.Delay)
	}
	return clock.SleepUntil(ctx, clock.Now().Add(p.config.Delay))
}

// keepRobots makes durable what was read of robots.txt before any page was, as where a Crawl-delay
// must pass first: the loop commits visits alone.
func keepRobots(client *fetch.Client, store *satstore.Store) error {
	if !client.KeepDue() {
		return nil
	}
	if err := client.Keep(store.SaveSetting); err != nil {
		return err
	}
	return store.Commit()
}

func canonicalSeeds(args []string) ([]string, error) {
	seeds := make([]string, 0, len(args))
	for _, arg := range args {
		url, err := webAddress(arg)
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, url)
	}
	return seeds, nil
}

func (p *program) printRun(r runResult) error {
	if p.json {
		return p.printJSON(r)
	}
	w := bufio.NewWriter(p.stdout)
	fmt.Fprintf(w, `%s, %s: %d first, %d changed, %d unchanged, %d left, %d doubted, %d failed
update rate %.3f; %s known, %d new waiting
`, report.Plural(r.Rounds, "round"), report.Plural(r.Visits, "visit"), r.First, r.Changed, r.Unchanged, r.Left, r.Doubted, r.Failed, r.UpdateRate, report.Plural(r.Known, "page"), r.Waiting)
	if r.Rounds > 0 {
		for _, t := range slices.Concat(r.Budget.tables(p.config.perDay()), r.Hints.tables(), r.Refused.tables()) {
			w.WriteByte('\n')
			if err := t.Text(w); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// closing ends the use of what was opened. Its error matters only where there is no other:
// on a full disk everything fails, one thing after the other.
func closing(c io.Closer, err *error) {
	if closed := c.Close(); *err == nil {
		*err = closed
	}
}

// writeDown hands acknowledged visits to the journal.
func writeDown(log *journal.Journal, events []cycle.Event) error {
	for i := range events {
		if err := log.Append(entryOf(&events[i])); err != nil {
			return err
		}
	}
	return log.Flush()
}

// entryOf is an acknowledged visit as the journal keeps it.
func entryOf(e *cycle.Event) journal.Entry {
	o := &e.Observation
	entry := journal.Entry{URL: e.Record.URL, Time: o.Time, Round: e.Round.Number, First: e.Visit.First, Reason: e.Visit.Reason.String(),
		Outcome: o.Outcome.String(), Verdict: e.Verdict.String(), Status: o.Status, Detail: o.Detail, Bytes: o.Size,
		ElapsedMillis: o.Elapsed.Milliseconds(), Next: e.Record.Due}
	entry.Moved, entry.Cut, entry.Type, entry.Address = o.Transferred, o.Truncated, o.MediaType, o.Address
	entry.Redirect, entry.NoIndex = o.RedirectTo, o.NoIndex
	if o.Trouble > sitegraph.TroubleNone {
		entry.Trouble = o.Trouble.String()
	}
	if !e.Visit.Due.IsZero() {
		entry.Due = &e.Visit.Due
	}
	if v := e.Visit.Probability; v == v { // not NaN
		entry.Probability = &v
	}
	if o.Outcome == sitegraph.OutcomeFetched {
		entry.Digest, entry.Text = o.Digests.Bytes.String(), o.Digests.Text.String()
		if !o.Digests.Main.IsZero() { // it is made only where change is judged by it
			entry.Main = o.Digests.Main.String()
		}
	}
	return entry
}

var _ cycle.Store = (*satstore.Store)(nil)

// statusLine tells how a run goes: one line rewritten on a terminal, a line every few
// seconds elsewhere.
type statusLine struct {
	p       *program
	rewrite bool
	last    time.Time
}

func (p *program) status() *statusLine {
	return &statusLine{p: p, rewrite: isTerminal(p.stderr), last: time.Now()}
}

func (s *statusLine) show(r *runResult, o *opened) {
	every := lineEvery
	if s.rewrite {
		every = 200 * time.Millisecond
	}
	if s.p.quiet || time.Since(s.last) < every {
		return
	}
	s.print(s.line(r, o))
}

// rest says that a round is done and when the next begins.
func (s *statusLine) rest(r *runResult, o *opened, next time.Time) {
	if !s.p.quiet {
		s.print(s.line(r, o) + "; next round at " + inUTC(next))
	}
}

func (s *statusLine) line(r *runResult, o *opened) string {
	return fmt.Sprintf("%s done: %s, %d first, %d changed (%.0f %%), %d failed; %s known, %d waiting, %s",
		report.Plural(r.Rounds, "round"), report.Plural(r.Visits, "visit"), r.First, r.Changed, 100*r.UpdateRate, r.Failed, report.Plural(o.known(), "page"), o.plan.Waiting(), leftOf(o.plan))
}

func (s *statusLine) print(line string) {
	s.last = time.Now()
	if s.rewrite {
		fmt.Fprintf(s.p.stderr, "\r\x1b[K%s", line)
		return
	}
	fmt.Fprintln(s.p.stderr, line)
}

func leftOf(p *planner.Planner) string {
	if p.Left() == planner.Unlimited {
		return "no budget to keep"
	}
	return fmt.Sprintf("%d of the budget left", p.Left())
}

// stalled says why no visit is made, or that visits go on.
func (s *statusLine) stalled(why error) {
	switch {
	case s.p.quiet:
	case why == nil:
		s.note("going on")
	default:
		s.note("waiting: " + why.Error() + "; no page is blamed, visits go on when this is over")
	}
}

// note prints a line that stays.
func (s *statusLine) note(text string) {
	s.end()
	fmt.Fprintln(s.p.stderr, "recrawl: "+text)
}

func (s *statusLine) end() {
	if s.rewrite && !s.p.quiet {
		fmt.Fprint(s.p.stderr, "\r\x1b[K")
	}
}
