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
	Oracle Oracle // for the reference lines; nil elsewhere
	// PreviousRate is each server's change rate in the window before, for server-previous;
	// nil: what was seen in the last week.
	PreviousRate func(sitegraph.ServerID) float64
	Sample       int     // pages sampled a server by server-sample; 5 in the evaluations
	Threshold    float64 // least rate of the servers that policies by servers visit
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
	"interval":      {newInterval, "pages when the interval of [SAT eq. 1] is over, earliest due first"},
	"ebayes":        {newEBayes, "highest probability of change, gamma-Poisson with the prior of all pages (default)"},
	"clairvoyant":   {newClairvoyant, "reference line: knows what changed"},

	"a":                {newBySite("a"), "directory tops first; members only of sites whose top changed [LINK 4.1]"},
	"b":                {newBySite("b"), "as a, with sites by links inside directories, direct members [LINK 4.2]"},
	"b-closure":        {newBySite("b-closure"), "as b, with all members reached inside the directory"},
	"c":                {newBySite("c"), "as b; a site is checked only if the top of an upper site changed [LINK 4.3]"},
	"c-closure":        {newBySite("c-closure"), "as c, on the sites of b-closure"},
	"c-then-b":         {newBySite("c-then-b"), "c, and then what b would add [LINK 7]"},
	"c-then-b-closure": {newBySite("c-then-b-closure"), "c-closure, and then what b-closure would add"},

	"server-true":     {newByServer(ratingTrue, ""), "reference line: whole servers by their true change rate, as [LINK 6] did"},
	"server-previous": {newByServer(ratingPrevious, ""), "whole servers by their change rate in the window before"},
	"server-sample":   {newByServer(ratingSample, ""), "a few sampled pages a server, then whole servers by the samples' rate (Cho and Ntoulas 2002)"},
}

func init() {
	for _, m := range []string{"a", "b", "b-closure", "c", "c-closure"} {
		policies["server-true+"+m] = constructor{newByServer(ratingTrue, m), "reference line: server-true, with " + m + " inside each server"}
		policies["server-sample+"+m] = constructor{newByServer(ratingSample, m), "server-sample, with " + m + " inside each server"}
	}
}

// SweepOnly reports whether a policy works in the snapshot protocol alone.
func SweepOnly(name string) bool { return strings.Contains(name, "+") }

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

// StreamPolicyNames lists those that work in a stream, by name.
func StreamPolicyNames() []string { return slices.DeleteFunc(PolicyNames(), SweepOnly) }

// About says in a line what a policy does.
func About(name string) string { return policies[name].about }

// Published reports whether a policy is one of the published methods, not an oracle.
func Published(name string) bool { return !needsOracle(name) }

func needsOracle(name string) bool {
	return name == "clairvoyant" || strings.HasPrefix(name, "server-true")
}

// NewPolicy builds a policy by name.
func NewPolicy(name string, s Settings) (Policy, error) {
	c, ok := policies[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("unknown policy %q: want one of %s", name, strings.Join(PolicyNames(), ", "))
	case needsOracle(name) && s.Oracle == nil:
		return nil, fmt.Errorf("policy %s knows the future: it works in evaluations only", name)
	case SweepOnly(name) && s.Mode != Sweep:
		return nil, fmt.Errorf("policy %s works in the snapshot protocol only", name)
	case s.Mode != Sweep && s.Mode != Stream:
		return nil, fmt.Errorf("policy %s: mode is neither sweep nor stream", name)
	}
	return c.make(s), nil
}
