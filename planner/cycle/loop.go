package cycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Event is a visit with what came of it.
type Event struct {
	Round       planner.Round
	Visit       planner.Visit
	Observation sitegraph.Observation
	Verdict     sitegraph.Verdict
	Record      sitegraph.Record // with the observation applied, and the next due time if that is kept
}

// Options of a loop. Planner, Fetcher, Store and Clock are required.
type Options struct {
	Planner *planner.Planner
	Fetcher Fetcher
	Store   Store
	Clock   Clock
	Change  sitegraph.ChangeBy
	Workers int // visits at a time; 1 if not set

	// Pause is the least time between two visits to a server or address that the Fetcher keeps, so
	// that the loop chooses no more than can be made. 0: none is known.
	Pause time.Duration

	// Discover makes the links of fetched pages known, and so new pages. Without it the
	// page set and the graph stay as they are.
	Discover bool
	// Proof lets a page with a copy leave only when several answers in a row, over days, say that
	// it is not to be had. Without it one answer does.
	Proof bool
	// Bounds say which addresses may become known; nil: all. With them pages that name another as
	// canonical and are the same count as moved there.
	Bounds *sitegraph.Bounds
	// MaxHops bounds chains of redirects; 5 if not set.
	MaxHops int
	// Reserve keeps the budget of a round across crashes; see promise 2.
	Reserve bool
	// Forecast keeps in each record when its page is wanted next, and why. A store that keeps its
	// records in that order needs it. Without it only policies that go by it themselves are asked.
	Forecast bool
	// CommitEvery and CommitAfter bound how much is not yet acknowledged: visits, time.
	// 64 and a second if not set.
	CommitEvery int
	CommitAfter time.Duration

	// Seen is told each outcome at once, in order. May be nil. The event is good until it
	// returns.
	Seen func(*Event)
	// Found is told each page that becomes known, or known again after it had left. May be nil.
	Found func(sitegraph.PageID)
	// Acknowledged is told the events that have become durable. May be nil. The slice is
	// reused.
	Acknowledged func([]Event)
	// Able says why this machine cannot make visits now, as when its disk is full; nil: it can. It
	// is asked about once a second, and the loop waits while it cannot. May be nil.
	Able func() error
	// Stalled is told why the loop waits, because of Able or a LocalError, and nil when it goes on.
	// May be nil.
	Stalled func(why error)
	// Between is called between visits whenever everything is committed: after each commit, and
	// each second while nothing happens or the next round is waited for. It may use the store,
	// which nobody else uses then. Its error ends the loop. May be nil.
	Between func() error
}

// Loop carries out what a planner plans.
type Loop struct {
	Options
	graph       *sitegraph.Graph
	round       planner.Round
	request     Request // of the visit under way; here so that a visit allocates nothing
	event       Event   // of the last visit
	unacked     []Event
	uncommitted int
	lastCommit  time.Time
	reserved    int // fetches reserved in the store and not yet begun
	account     account
	lines       map[sitegraph.ServerID]*line // of servers visited concurrently
	barring     map[sitegraph.ServerID]*line // those with pages that are barred
	places      map[string]*place            // by address, of those servers
	answers     paces                        // how quickly servers answer
	names       paces                        // and how quickly their names are looked up
	stall       stall
	answered    time.Time // when a server last answered
	discovery   discovery
	rules       map[sitegraph.ServerID]uint64 // fingerprints of robots.txt
	heard       map[sitegraph.PageID]bool     // sources whose claims are known; nil: not restored yet
	broken      bool                          // the store failed: nothing is asked of it any more
}

// New returns a loop.
func New(o Options) *Loop {
	if o.Workers < 1 {
		o.Workers = 1
	}
	if o.MaxHops == 0 {
		o.MaxHops = 5
	}
	if o.CommitEvery == 0 {
		o.CommitEvery = 64
	}
	if o.CommitAfter == 0 {
		o.CommitAfter = time.Second
	}
	return &Loop{
		Options:   o,
		graph:     o.Planner.Corpus.Graph,
		lines:     map[sitegraph.ServerID]*line{},
		barring:   map[sitegraph.ServerID]*line{},
		places:    map[string]*place{},
		rules:     map[sitegraph.ServerID]uint64{},
		discovery: discovery{fetched: map[sitegraph.ServerID]int{}},
	}
}

// Seed makes start pages known. Those known already stay as they are, but for those that had
// left: they are asked for anew.
func (l *Loop) Seed(urls ...string) error {
	for _, url := range urls {
		if err := l.addStart(url, "", 0); err != nil {
			return err
		}
		id, _ := l.graph.Lookup(url)
		if err := l.foundAgain(id, nil); err != nil {
			return err
		}
	}
	return l.commit()
}

// Round carries out one round: until its budget is used, or nothing is left to do, or, with several
// workers, its time is over. It waits for the visits that are under way then.
func (l *Loop) Round(ctx context.Context, r planner.Round) error {
	c := l.hire(ctx)
	defer c.dismiss()
	err := l.carryOut(ctx, c, r)
	if err != nil || c == nil {
		return err
	}
	return l.closeRound(c, c.await(ctx))
}

// carryOut does a round; with a crew, visits may be under way when it returns without an error.
func (l *Loop) carryOut(ctx context.Context, c *crew, r planner.Round) error {
	if err := l.restoreHints(); err != nil {
		return err
	}
	l.round = r
	l.lastCommit = time.Now()
	for _, line := range l.lines {
		if line.up {
			l.Planner.Carry(line.page)
		}
	}
	l.Planner.Begin(r)
	if c == nil {
		return l.closeRound(c, l.sequential(ctx))
	}
	return l.closeRound(c, c.run(ctx))
}

// closeRound commits what was done, whatever ended it. No worker outlives an error.
func (l *Loop) closeRound(c *crew, err error) error {
	if err != nil {
		c.dismiss()
	}
	if l.broken {
		return err
	}
	return errors.Join(err, l.commit())
}

// isOf reports whether a visit began in the round under way.
func (l *Loop) isOf(r *Request) bool { return r.Round.Number == l.round.Number }

// storeError says which step the store failed at. After a failure nobody knows what is
// durable, so that nothing more is saved, committed or acknowledged.
func (l *Loop) storeError(err error, format string, args ...any) error {
	l.broken = true
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// sequential makes one visit after the other.
func (l *Loop) sequential(ctx context.Context) error {
	for ctx.Err() == nil {
		v, ok := l.Planner.Next()
		if !ok {
			return nil
		}
		if ok, err := l.begin(&v, &l.request); err != nil {
			return err
		} else if !ok {
			l.Planner.Return(v)
			continue
		}
		o, err := l.Fetcher.Fetch(ctx, l.request)
		l.finish(&v, &l.request, o, err)
		if err != nil {
			l.Planner.Return(v)
			return fetchError(ctx, l.request.Record.URL, err)
		}
		if err := l.apply(v, &l.request, o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// begin reserves budget for a visit and loads what is remembered of the page. False: the limits
// have no room for it any more.
func (l *Loop) begin(v *planner.Visit, r *Request) (ok bool, err error) {
	if r.MaxBytes, ok = l.Planner.Start(v); !ok {
		return false, nil
	}
	if err := l.reserve(); err != nil {
		return false, err
	}
	r.Round = l.round
	if err := l.Store.Load(v.Page, &r.Record); err != nil {
		return false, l.storeError(err, "load record of %s", l.graph.URL(v.Page))
	}
	r.Record.NotAfter(l.Clock.Now())
	if keeper, ok := l.Fetcher.(Keeper); ok {
		if err := keeper.Recall(r.Record.URL, l.Store.Setting); err != nil {
			return false, l.storeError(err, "recall the server of %s", r.Record.URL)
		}
	}
	l.refresh(&r.Record)
	return true, nil
}

// finish settles what a visit has read. Of one that failed in the program nobody knows.
func (l *Loop) finish(v *planner.Visit, r *Request, o sitegraph.Observation, err error) {
	read := r.MaxBytes
	if err == nil {
		read = o.Transferred
		if read == 0 {
			read = o.Size
		}
	}
	l.Planner.Finish(v, r.MaxBytes, read)
}

// postpone takes back a visit that began and could not ask for its page. What it read counts, its
// fetch does not.
func (l *Loop) postpone(v *planner.Visit, r *Request, o sitegraph.Observation) {
	l.Planner.Postpone(v, r.MaxBytes, o.Transferred)
	if l.Reserve && l.account.Granted != planner.Unlimited && l.isOf(r) {
		l.reserved++
	}
}

func fetchError(ctx context.Context, url string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("visit %s: %w", url, err)
}

// apply remembers an outcome and learns from it.
func (l *Loop) apply(v planner.Visit, r *Request, o sitegraph.Observation) error {
	record := &r.Record
	before := record.Digests.Bytes
	if record.State != sitegraph.StateSource && o.Outcome == sitegraph.OutcomeFetched &&
		l.Planner.ReadsSources() {
		l.Planner.Corpus.Hints.ClaimHeader(record.Page, o.LastModified)
	}
	if err := l.duplicate(record, &o); err != nil {
		return err
	}
	if l.Proof && o.Outcome != sitegraph.OutcomeFetched &&
		!(o.Canonical != "" && o.RedirectTo == o.Canonical) &&
		record.Doubt(o) {
		if err := l.relax(record.Page, o.Robots); err != nil {
			return err
		}
		l.Planner.Corpus.Remember(record)
		return l.keep(v, r, o, sitegraph.VerdictDoubted)
	}
	verdict := record.Apply(o, l.Change)
	// The same bytes have the same links.
	sameBytes := verdict == sitegraph.VerdictUnchanged && before == o.Digests.Bytes && !before.IsZero() &&
		!record.More
	if l.Discover && !sameBytes && record.State != sitegraph.StateSource {
		if err := l.applyLinks(record, o); err != nil {
			return err
		}
	}
	if verdict == sitegraph.VerdictFirst {
		l.discovery.meet(l.graph.Server(record.Page), record.URL)
	}
	l.Planner.Observe(record, verdict)
	if l.Planner.ReadsSources() {
		if err := l.listen(record, o); err != nil {
			return err
		}
	}
	if err := l.relax(record.Page, o.Robots); err != nil {
		return err
	}
	return l.keep(v, r, o, verdict)
}

// keep saves the record of a visit that was applied, and tells of it.
func (l *Loop) keep(
	v planner.Visit,
	r *Request,
	o sitegraph.Observation,
	verdict sitegraph.Verdict,
) error {
	record := &r.Record
	if l.Forecast || l.Planner.GoesByDue(v.Page) {
		due, interval := l.Planner.Due(v.Page, o.Time)
		record.Due = due.When
		if interval > 0 {
			record.Interval = interval
		}
		if l.Forecast {
			record.Reason = due.Reason.String()
		}
	}
	l.Planner.Corpus.Remember(record)
	if err := l.Store.Save(record); err != nil {
		return l.storeError(err, "save record of %s", record.URL)
	}
	if l.Seen != nil || l.Acknowledged != nil {
		l.event = Event{Round: r.Round, Visit: v, Observation: o, Verdict: verdict, Record: *record}
		if l.Seen != nil {
			l.Seen(&l.event)
		}
		if l.Acknowledged != nil {
			l.event.Observation.Links, l.event.Observation.Frames = nil, nil // may hold a whole page alive
			l.event.Observation.Claims, l.event.Observation.Sources = nil, nil
			l.unacked = append(l.unacked, l.event)
		}
	}
	l.uncommitted++
	if l.uncommitted >= l.CommitEvery || l.uncommitted&15 == 0 && time.Since(l.lastCommit) > l.CommitAfter {
		return l.commit()
	}
	return nil
}

// commit makes durable what was done, and acknowledges it.
func (l *Loop) commit() error {
	if err := l.Planner.Corpus.Hints.Save(l.saveProofs); err != nil {
		return err
	}
	if keeper, ok := l.Fetcher.(Keeper); ok {
		if err := keeper.Keep(l.Store.SaveSetting); err != nil {
			return l.storeError(err, "keep what is known of servers")
		}
	}
	if err := l.Store.Commit(); err != nil {
		return l.storeError(err, "commit")
	}
	if l.Acknowledged != nil && len(l.unacked) > 0 {
		l.Acknowledged(l.unacked)
		l.unacked = l.unacked[:0]
	}
	l.uncommitted = 0
	l.lastCommit = time.Now()
	return l.between()
}

// between calls Between until it fails: what is committed after its error, to end the round,
// does not ask it again.
func (l *Loop) between() error {
	if l.Between == nil {
		return nil
	}
	err := l.Between()
	if err != nil {
		l.Between = nil
	}
	return err
}

// rest waits for the end of a round.
func (l *Loop) rest(ctx context.Context, until time.Time) error {
	for l.Between != nil {
		step := l.Clock.Now().Add(time.Second)
		if !step.Before(until) {
			break
		}
		if err := l.Clock.SleepUntil(ctx, step); err != nil {
			return err
		}
		if err := l.between(); err != nil {
			return err
		}
	}
	return l.Clock.SleepUntil(ctx, until)
}
