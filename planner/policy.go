package planner

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Policy decides which page with a copy to fetch again next, in both protocols of the evaluation
// and in the live loop. Calls come from one goroutine: Begin first, then Next, Observe and Due in
// any order. The interfaces below are optional: the planner asks whether a policy has them.
type Policy interface {
	// Begin starts a round. Depths in the graph are up to date.
	Begin(r Round)
	// Offer hands the policy pages that are due in this round, or come next where too little is
	// due: its candidates. A page may be offered twice. The slice is valid until it returns.
	Offer(pages []sitegraph.PageID)
	// Next proposes the page in play that is most worth a refetch; false: none for now. It may be
	// asked again after an outcome, which can make other pages worth a refetch, and after Offer.
	// The page must be Refetchable; the planner marks it as proposed. It refuses a page that is
	// not in play (Pages.InPlay): one that was neither offered nor promoted (Pages.Promote).
	Next() (Visit, bool)
	// Observe learns from the outcome of a visit, refetch or first. The corpus already knows it.
	Observe(p sitegraph.PageID, verdict sitegraph.Verdict)
	// Due is when p is due next, after now: the queue hands it out then. It is called after each
	// outcome, and of a page that was handed out and not visited before the next round begins.
	// Interval is the estimate behind it; 0 if the policy makes none.
	Due(p sitegraph.PageID, now time.Time) (due Due, interval time.Duration)
}

// Estimator is a policy that estimates the probability of change of any page, chosen or not.
type Estimator interface {
	// Probability is that of a refetch of p at a moment to see a change; NaN: no estimate. Asking
	// does not change which visits follow.
	Probability(p sitegraph.PageID, at time.Time) float64
}

// Ranker is a policy that also judges pages it does not propose. The default policy is one
// (planner/sites); published policies are none.
type Ranker interface {
	Policy
	// Discovered learns which pages became known, or known again, by the links of a visit. After a
	// visit that saw a change it is called also if there are none. It is called before Observe; the
	// slice is valid until it returns.
	Discovered(p sitegraph.PageID, verdict sitegraph.Verdict, pages []sitegraph.PageID)
	// ObserveLate is Observe of an outcome that came long before others, for example before a
	// restart. It takes less time: the policy does not think again of other pages.
	ObserveLate(p sitegraph.PageID, verdict sitegraph.Verdict)
	// Expect returns the probability that there is a page at an address without a copy: many links
	// lead to none. It changes nothing.
	Expect(p sitegraph.PageID) float64
	// TakesFirst reports whether the first visit to p is worth a fetch of this round. If so, the
	// policy assumes that it is made.
	TakesFirst(p sitegraph.PageID) bool
	// Worth returns what a visit to a page is worth, proposed or not: changes expected, times
	// weight, and what counts beside them.
	Worth(p sitegraph.PageID) float64
	// AtLeast makes Next propose no visit that is worth less (Options.LeastValue), which saves the
	// planner asking for all others.
	AtLeast(worth float64)
	// Choice returns among how many pages a round of a budget chooses: few at least, also where
	// fewer are due, and many at most. Those that are due the earliest come first.
	Choice(budget int) (few, many int)
	// Opened is called when a server is open again that was closed (Pages.Closed). A Ranker
	// proposes no page of a closed server; proposals of other policies are kept until then.
	Opened(s sitegraph.ServerID)
}

// Hinter is a policy that ranks a page anew when, within a round, a feed or sitemap claims
// something new of it. Pages.Hints has the claims.
type Hinter interface {
	Hinted(p sitegraph.PageID)
}

// Learner is a policy that learns what is to outlive the process.
type Learner interface {
	// Learnt is what it has learnt so far, for Recall.
	Learnt() ([]byte, error)
	// Recall takes in what Learnt returned, before the first round. After an error it knows nothing
	// of it.
	Recall(learnt []byte) error
	// Lessons tell people what it has learnt.
	Lessons() []Lesson
}

// Lesson is one thing that a policy has learnt.
type Lesson struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	About string  `json:"about"` // how it came about, and what it means; may be empty
}

// Contribution is what one piece of evidence adds to the logarithm of the odds that a page has
// changed.
type Contribution struct {
	Evidence string  // name of a feature, or of a source of claims
	Value    float64 // of the feature
	LogOdds  float64 // added
}

// Contributions are what the probability of a page is made of.
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
	Weight      float64 // of its log odds; those of all add up to 1
	Probability float64 // by it alone, before corrections
}

// Explainer is a policy that can explain its probabilities.
type Explainer interface {
	// Explain returns the contributions to the probability of a page at a moment, largest first,
	// without those that are 0. Start and contributions add up to the log odds. It changes nothing.
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
	// Site tells of the site of a page: its top (sitegraph.NoPage: it has none), the division that
	// it comes from, and how many pages it has.
	Site(p sitegraph.PageID) (top sitegraph.PageID, division string, pages int)
	// Division tells how a server is divided, and how many sites and pages that makes.
	Division(s sitegraph.ServerID) (method string, sites, pages int)
}

// Mode is the protocol a policy works under.
type Mode uint8

const (
	ModeUnknown Mode = iota
	Sweep            // one round; the policy stops when its method is through
	Stream           // round after round; the policy always has something to fetch
)
