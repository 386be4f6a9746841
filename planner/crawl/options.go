package crawl

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Event is a visit and its outcome.
type Event struct {
	Round       planner.Round
	Visit       planner.Visit
	Observation sitegraph.Observation
	Verdict     sitegraph.Verdict
	// Record has the observation applied, and the next due time if the loop keeps one.
	Record sitegraph.Record
	// Before is when the page was last compared with its copy before this visit; zero: never.
	Before time.Time
}

// Options configure a loop. Planner, Fetcher, Store and Clock are required.
type Options struct {
	Planner *planner.Planner
	Fetcher Fetcher
	Store   Store
	Clock   Clock
	Change  sitegraph.ChangeBy
	Workers int // concurrent visits; 1 if not set

	// Pause is the least time that the Fetcher keeps between two visits to a server or address. The
	// loop chooses no more visits than fit. 0: unknown.
	Pause time.Duration
	// PauseOf is the Pause of single servers, named host or host:port; nil: Pause for all.
	PauseOf func(server string) time.Duration

	// Batch bounds the visits that are chosen ahead with several workers, like the batch of [NICT
	// 3.6]. If not set: 16,384 for each processor, between 32,768 and 65,536 in all.
	Batch int

	// Discover follows the links of fetched pages to new pages. Without it the set of pages and the
	// graph stay as they are.
	Discover bool
	// Proof keeps a page with a copy until several answers in a row, over days, show that it is
	// gone, moved or forbidden. Without it one answer is enough.
	Proof bool
	// Bounds say which addresses may become known; nil: all. With them, a page counts as moved if
	// it names another page with the same text as canonical.
	Bounds *sitegraph.Bounds
	// MaxHops bounds chains of redirects; 5 if not set.
	MaxHops int
	// Reserve keeps the budget of a round across crashes; see guarantee 2.
	Reserve bool
	// Forecast writes the reason of the due time into each record, and weighs demands that servers
	// cannot meet.
	Forecast bool
	// CommitEvery and CommitAfter bound the visits, and the time, without acknowledgement; 64 and a
	// second if not set.
	CommitEvery int
	CommitAfter time.Duration

	// Seen is called with each outcome at once, in order. May be nil. The event is valid until Seen
	// returns.
	Seen func(*Event)
	// Found is called with each page that becomes known, or known again after it left. May be nil.
	Found func(sitegraph.PageID)
	// Denied is called when the user's settings refuse a page for a new reason. May be nil.
	Denied func(sitegraph.Denial)
	// Acknowledged is called with the events that became durable. May be nil. The loop reuses the
	// slice.
	Acknowledged func([]Event)
	// Able returns why this machine cannot make visits now, for example because its disk is full;
	// nil: it can. The loop calls it about once a second, and waits while it returns an error. May
	// be nil.
	Able func() error
	// Stalled is called with the reason for which the loop waits, an error of Able or a LocalError,
	// and with nil when the loop continues. May be nil.
	Stalled func(why error)
	// Dispatched is called when the way of choosing servers changes. May be nil.
	Dispatched func(Dispatch)
	// Between is called between visits when everything is committed: after each commit, and each
	// second while the loop waits. Only Between may use the store then. Its error ends the loop.
	// May be nil.
	Between func() error
	// Filters is the fingerprint of the filters by which the fetcher rejects pages; 0: no filters.
	Filters uint64
	// Agent is the fetcher's name in robots.txt; "": unknown.
	Agent string
	// Attentive keeps a round with several workers open until its time is over, even if nothing is
	// left to visit, since Between may Ask for pages.
	Attentive bool
	// ImagePages is the least number of pages for which the loop keeps the planner as an image of
	// its scratch files; 0: 200,000. The store must be a satstore.
	ImagePages int
	// Unkept is called when an image cannot be written, for example on a full disk. The loop
	// continues. May be nil.
	Unkept func(error)
	// Grant returns the fetches of a round with the given start and length, for loops that share a
	// budget; nil: Run's perDay decides. It is called once for a round, before its first visit, and
	// its answer is durable before that visit. It may wait. Its error ends the loop.
	Grant func(ctx context.Context, start time.Time, length time.Duration) (fetches int, err error)
	// PerDay returns the fetches a UTC day when a round begins, if they depend on what is known;
	// nil: Run's perDay.
	PerDay func() float64
	// Woken receives a value when Between is to be called at once although all workers wait. May be
	// nil.
	Woken <-chan struct{}
	// Peek receives functions that look at the planner, the store and the loop, and change nothing.
	// Run calls each between two visits or while it waits, at once rather than at a commit. They
	// should take milliseconds, since no visit begins meanwhile. May be nil.
	Peek <-chan func()
}
