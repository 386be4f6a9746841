package planner

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Policy decides which page with a copy to fetch next, in both protocols of the evaluation and in
// the live loop. Calls come from one goroutine: Begin first, then Next, Observe and Due in any
// order. The interfaces below are optional: the planner checks whether a policy has them.
type Policy interface {
	// Begin starts a round. Depths in the graph are up to date.
	Begin(r Round)
	// Offer passes candidates to the policy: pages that are due in this round or, if too few are
	// due, come next. A page may be offered twice. The slice is valid until Offer returns.
	Offer(pages []sitegraph.PageID)
	// Next returns the page in play that is most worth a refetch; false: none for now. It may be
	// called again after an outcome, which can make other pages worth a refetch, and after Offer.
	// The page must be Refetchable; the planner marks it as proposed. The planner refuses a page
	// that is not in play (Pages.InPlay), that is, neither offered nor promoted (Pages.Promote).
	Next() (Visit, bool)
	// Observe learns from the outcome of a visit, refetch or first. The corpus already has it.
	Observe(p sitegraph.PageID, verdict sitegraph.Verdict)
	// Due returns when p is due next, after now, so that the queue hands it out then. It is called
	// after each outcome, and for a page that was handed out and not visited before the next round
	// begins. interval is the estimate behind it; 0 if the policy makes none.
	Due(p sitegraph.PageID, now time.Time) (due Due, interval time.Duration)
}

// Estimator is a policy that estimates the probability of change of any page, chosen or not.
type Estimator interface {
	// Probability returns the probability that a refetch of p at a given time sees a change; NaN:
	// no estimate. It changes no later visit.
	Probability(p sitegraph.PageID, at time.Time) float64
}

// Ranker is a policy that also judges pages it does not propose. The default policy is one
// (planner/sites); published policies are not.
type Ranker interface {
	Policy
	// Discovered learns which pages became known, or known again, by the links of a visit. After a
	// visit that saw a change it is also called if there are none. It is called before Observe; the
	// slice is valid until it returns.
	Discovered(p sitegraph.PageID, verdict sitegraph.Verdict, pages []sitegraph.PageID)
	// ObserveLate is Observe for an outcome that came long before others, for example before a
	// restart. It is faster, since the policy does not reconsider other pages.
	ObserveLate(p sitegraph.PageID, verdict sitegraph.Verdict)
	// Expect returns the probability that an address without a copy holds a page, since many links
	// are dead. It changes nothing.
	Expect(p sitegraph.PageID) float64
	// TakesFirst reports whether the first visit to p is worth a fetch of this round. If so, the
	// policy assumes that it is made.
	TakesFirst(p sitegraph.PageID) bool
	// Worth returns the worth of a visit to a page, proposed or not: expected changes times weight,
	// and what the policy adds.
	Worth(p sitegraph.PageID) float64
	// AtLeast keeps Next from proposing visits that are worth less (Options.LeastValue), so that
	// the planner need not ask for all others.
	AtLeast(worth float64)
	// Choice returns the range of how many pages a round of a budget chooses among: at least few,
	// even if fewer are due, and at most many. Pages due earliest come first.
	Choice(budget int) (few, many int)
	// Opened is called when a closed server is open again (Pages.Closed). A Ranker proposes no page
	// of a closed server; proposals of other policies are kept until then.
	Opened(s sitegraph.ServerID)
}

// Hinter is a policy that ranks a page anew when, within a round, a feed or sitemap makes a new
// claim about it. Pages.Hints has the claims.
type Hinter interface {
	Hinted(p sitegraph.PageID)
}

// Learner is a policy with lessons that outlive the process.
type Learner interface {
	// Learnt returns the lessons so far, for Recall.
	Learnt() ([]byte, error)
	// Recall restores what Learnt returned, before the first round. After an error it restored
	// nothing.
	Recall(learnt []byte) error
	// Lessons describes the lessons to users.
	Lessons() []Lesson
}

// Lesson is one thing that a policy has learnt.
type Lesson struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	About string  `json:"about"` // its origin and meaning; may be empty
}

// Contribution is what one piece of evidence adds to the log odds that a page has changed.
type Contribution struct {
	Evidence string  // name of a feature, or of a source of claims
	Value    float64 // of the feature
	LogOdds  float64 // added
}

// Contributions are the parts of the probability of a page.
type Contributions struct {
	Probability float64
	Start       float64 // log odds of the mean page
	All         []Contribution
	Rebuilt     bool     // its server looks rebuilt since its last visit
	Experts     []Expert // whose predictions were combined; nil if there is one
}

// Expert is one of several predictions that a policy combines.
type Expert struct {
	Name        string
	Weight      float64 // of its log odds; all weights sum to 1
	Probability float64 // by it alone, before corrections
}

// Explainer is a policy that can explain its probabilities.
type Explainer interface {
	// Explain returns the contributions to the probability of a page at a given time, largest
	// first, without those of 0. Start and the contributions sum to the log odds. It changes
	// nothing.
	Explain(p sitegraph.PageID, at time.Time) Contributions
}

// Sort puts the largest contributions first.
func (c *Contributions) Sort() {
	slices.SortStableFunc(c.All, func(a, b Contribution) int {
		return cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds))
	})
}

// Sited is a policy that divides servers into sites.
type Sited interface {
	// Site returns the top of a page's site (sitegraph.NoPage: it has none), the division that it
	// comes from, and the number of its pages.
	Site(p sitegraph.PageID) (top sitegraph.PageID, division string, pages int)
	// Division returns how a server is divided, and the number of its sites and pages.
	Division(s sitegraph.ServerID) (method string, sites, pages int)
}

// Mode is the protocol under which a policy works.
type Mode uint8

const (
	ModeUnknown Mode = iota
	Sweep            // one round; the policy stops when its method has no more pages
	Stream           // round after round; the policy always has something to fetch
)
