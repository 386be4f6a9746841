package policy

import (
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// Oracle tells whether a refetch of p would see a change now. Evaluation only.
type Oracle func(p sitegraph.PageID) bool

// Settings are what a policy is built with.
type Settings struct {
	Pages  *planner.Pages
	Mode   planner.Mode
	Seed   uint64
	Oracle Oracle // for the reference lines; nil elsewhere
	// TrueRate is each page's long-run rate of changes a day, for true-rates and true-freshness.
	TrueRate func(sitegraph.PageID) float64
	// Alpha is the importance of a page of mean weight in gamma, in [0, 1); above 0 pages are
	// drawn.
	Alpha float64
	// PreviousRate is each server's change rate in the window before, for server-previous;
	// nil: what was seen in the last week.
	PreviousRate func(sitegraph.ServerID) float64
	Sample       int     // pages sampled a server by server-sample; 5 in the evaluations
	Threshold    float64 // least rate of the servers that policies by servers visit
	// PerDay is the budget in fetches a day, for policies that plan ahead; 0: not known.
	PerDay float64 `state:"-"`
	// GoneWorth is what it is worth to sites to find that a page is gone, in changes found; 0: such
	// pages are not looked for.
	GoneWorth float64
	// Objective says what sites visits pages for.
	Objective preferences.Objective
	// Programs runs policies that are programs; nil: there are none.
	Programs *ProgramHost `state:"-"`
	// Lag is how long after a visit what it found is of use, for sites; 0: at once.
	Lag time.Duration
}
