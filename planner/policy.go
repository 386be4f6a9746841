package planner

import (
	"fmt"
	"slices"
	"strings"
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
	Oracle Oracle // for clairvoyant; nil elsewhere
	// PerDay is the budget in fetches a day, for policies that plan ahead; 0: not known.
	PerDay float64
}

type constructor struct {
	make  func(Settings) Policy
	about string
}

var policies = map[string]constructor{
	"random":        {newRandom, "pages in seeded random order"},
	"breadth-first": {newBreadthFirst, "pages by depth from the start page"},
	"a":             {newMethodA, "directory tops first; members only of sites whose top changed [LINK 4.1]"},
	"interval":      {newInterval, "pages when the interval of [SAT eq. 1] is over, earliest due first"},
	"ebayes":        {newEBayes, "highest probability of change, gamma-Poisson with the prior of all pages (default)"},
	"clairvoyant":   {newClairvoyant, "reference line: knows what changed"},
}

// DefaultPolicy is the one that run uses unless told otherwise.
const DefaultPolicy = "ebayes"

// PolicyNames lists all policies by name.
func PolicyNames() []string {
	names := make([]string, 0, len(policies))
	for name := range policies {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// About says in a line what a policy does.
func About(name string) string { return policies[name].about }

// Published reports whether a policy is one of the published methods, not an oracle.
func Published(name string) bool { return name != "clairvoyant" }

// NewPolicy builds a policy by name.
func NewPolicy(name string, s Settings) (Policy, error) {
	c, ok := policies[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown policy %q: want one of %s", name, strings.Join(PolicyNames(), ", "))
	case name == "clairvoyant" && s.Oracle == nil:
		return nil, fmt.Errorf("policy clairvoyant knows the future: it works in evaluations only")
	case s.Mode != Sweep && s.Mode != Stream:
		return nil, fmt.Errorf("policy %s: mode is neither sweep nor stream", name)
	}
	return c.make(s), nil
}
