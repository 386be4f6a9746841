package policy

import (
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
)

// Oracle reports whether a refetch of p would see a change now, in evaluations only.
type Oracle func(p sitegraph.PageID) bool

// Settings configure a policy.
type Settings struct {
	Pages  *planner.Pages
	Mode   planner.Mode
	Seed   uint64
	Oracle Oracle // for the reference lines; nil elsewhere
	// TrueRate returns each page's long-run changes a day, for true-rates and true-freshness.
	TrueRate func(sitegraph.PageID) float64
	// Alpha is the importance of a page of mean weight in gamma, in [0, 1); above 0 pages are
	// drawn.
	Alpha float64
	// PreviousRate returns each server's change rate in the window before, for server-previous;
	// nil: that of the last week.
	PreviousRate func(sitegraph.ServerID) float64
	Sample       int     // pages sampled a server by server-sample; 5 in the evaluations
	Threshold    float64 // least rate of the servers that policies by servers visit
	// PerDay is the budget in fetches a day, for policies that plan ahead; 0: unknown.
	PerDay float64 `state:"-"`
	// GoneWorth is the worth to sites of finding that a page is gone, in changes found; 0: such
	// pages are not looked for.
	GoneWorth float64
	// Objective is the aim of the visits of sites.
	Objective preferences.Objective
	// Programs runs policies that are programs; nil: there are none.
	Programs *ProgramHost `state:"-"`
	// Lag is the delay after a visit until its result is of use, for sites; 0: at once.
	Lag time.Duration
}
