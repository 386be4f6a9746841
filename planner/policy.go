package planner

import (
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Policy decides which page with a copy to fetch again next. It serves the snapshot and
// the stream protocol of the evaluation and the live loop alike. Calls come from one
// goroutine, in the order Begin, then any mix of Next, Observe, Defer and Due.
type Policy interface {
	// Begin starts a round. Depths in the graph are up to date.
	Begin(r Round)
	// Next proposes the page most worth a refetch; false: nothing for now. It may be asked
	// again after an outcome, which can make new pages worth it. The page must be
	// Refetchable; the planner marks it as proposed.
	Next() (Visit, bool)
	// Observe tells the outcome of a visit, refetch or first. The corpus already knows it.
	Observe(p sitegraph.PageID, verdict sitegraph.Verdict)
	// Due forecasts when p will be wanted next, after now; it decides the bucket of the
	// store. Interval is the estimate behind it; 0 if the policy makes none.
	Due(p sitegraph.PageID, now time.Time) (due Due, interval time.Duration)
}

// Mode is the protocol a policy works under.
type Mode uint8

const (
	ModeUnknown Mode = iota
	Sweep            // one round; the policy stops when its method is through
	Stream           // round after round; the policy always has something to fetch
)

// Oracle tells whether a refetch of p would see a change now. Evaluation only.
type Oracle func(p sitegraph.PageID) bool

// Settings are what a policy is built with.
type Settings struct {
	Corpus *Corpus
	Mode   Mode
	Seed   uint64
	Oracle Oracle // for the reference lines; nil elsewhere
	// PreviousRate is each server's change rate in the window before, for server-previous;
	// nil: what was seen in the last week.
	PreviousRate func(sitegraph.ServerID) float64
	Sample       int     // pages sampled a server by server-sample; 5 in the evaluations
	Threshold    float64 // least rate of the servers that policies by servers visit
	// PerDay is the budget in fetches a day, for policies that plan ahead; 0: not known.
	PerDay float64
}
