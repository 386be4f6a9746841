package crawl

import (
	"context"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// Event is a visit with its outcome.
type Event struct {
	Round       planner.Round
	Visit       planner.Visit
	Observation sitegraph.Observation
	Verdict     sitegraph.Verdict
	// with the observation applied, and the next due time if that is kept
	Record sitegraph.Record
	// when the page was last compared with its copy, before this visit; zero: never
	Before time.Time
}

// Options of a loop. Planner, Fetcher, Store and Clock are required.
type Options struct {
	Planner *planner.Planner
	Fetcher Fetcher
	Store   Store
	Clock   Clock
	Change  sitegraph.ChangeBy
	Workers int // visits at a time; 1 if not set

	// Pause is the least time that the Fetcher keeps between two visits to a server or address. The
	// loop chooses no more visits than can be made. 0: not known.
	Pause time.Duration
	// PauseOf is the same for single servers, as host or host:port; nil: Pause for all.
	PauseOf func(server string) time.Duration

	// Batch bounds the visits that are chosen ahead, with several workers: those of a batch of
	// [NICT 3.6]. If not set: 16,384 for each processor, 32,768 to 65,536 in all.
	Batch int

	// Discover takes in the links of fetched pages, and so new pages. Without it the set of pages
	// and the graph stay as they are.
	Discover bool
	// Proof lets a page with a copy leave only after several answers in a row, over days, that it
	// is gone, moved or forbidden. Without it one answer is enough.
	Proof bool
	// Bounds say which addresses may become known; nil: all. With them pages that name another as
	// canonical and are the same count as moved there.
	Bounds *sitegraph.Bounds
	// MaxHops bounds chains of redirects; 5 if not set.
	MaxHops int
	// Reserve keeps the budget of a round across crashes; see guarantee 2.
	Reserve bool
	// Forecast writes into each record why its page is due when it is, and weighs what servers
	// cannot answer.
	Forecast bool
	// CommitEvery and CommitAfter bound how much is not yet acknowledged: visits, time.
	// 64 and a second if not set.
	CommitEvery int
	CommitAfter time.Duration

	// Seen is called with each outcome at once, in order. May be nil. The event is valid until it
	// returns.
	Seen func(*Event)
	// Found is called with each page that becomes known, or known again after it left. May be nil.
	Found func(sitegraph.PageID)
	// Denied is called when the user's settings refuse a page for a reason that no other page was
	// refused for. May be nil.
	Denied func(sitegraph.Denial)
	// Acknowledged is called with the events that have become durable. May be nil. The slice is
	// reused.
	Acknowledged func([]Event)
	// Able returns why this machine cannot make visits now, as when its disk is full; nil: it can.
	// It is called about once a second, and the loop waits while it returns an error. May be nil.
	Able func() error
	// Stalled is called with the reason why the loop waits, an error of Able or a LocalError, and
	// with nil when the loop continues. May be nil.
	Stalled func(why error)
	// Dispatched is called when the way in which servers are chosen changes. May be nil.
	Dispatched func(Dispatch)
	// Between is called between visits when everything is committed: after each commit, and each
	// second while the loop waits. It may use the store, which nothing else uses then. Its error
	// ends the loop. May be nil.
	Between func() error
	// Filters is the fingerprint of the filters by which the fetcher rejects pages; 0: it has none.
	Filters uint64
	// Agent is the name by which the fetcher obeys robots.txt; "": not known.
	Agent string
	// Attentive keeps a round with several workers open until its time is over, also when nothing
	// is left to visit: Between may Ask for pages.
	Attentive bool
	// ImagePages is how many pages make it worth the time to keep the planner as an image of its
	// scratch files; 0: 200,000. The store must be a satstore.
	ImagePages int
	// Unkept is called when an image cannot be written, as on a full disk. The loop goes on. May be
	// nil.
	Unkept func(error)
	// Grant returns the fetches of a round that begins at a time and lasts so long, where several
	// loops share a budget; nil: Run's perDay says it. It is called once for a round, before the
	// first visit of it, and its answer is durable before that visit. It may wait. Its error ends
	// the loop.
	Grant func(ctx context.Context, start time.Time, length time.Duration) (fetches int, err error)
	// PerDay returns the fetches a UTC day as they stand when a round begins, where they change
	// with what is known; nil: Run's perDay says it.
	PerDay func() float64
	// Woken gets a value when Between is to be called at once, where several workers wait. May be
	// nil.
	Woken <-chan struct{}
	// Peek gets functions that look at the planner, the store and the loop, and change nothing. Run
	// calls each between two visits, or while it waits, at once and not at a commit. They should
	// take milliseconds: no visit begins meanwhile. May be nil.
	Peek <-chan func()
}
