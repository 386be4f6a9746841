package planner

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Policy decides which page with a copy to fetch again next. It serves the snapshot and
// the stream protocol of the evaluation and the live loop alike. Calls come from one
// goroutine, in the order Begin, then any mix of Next, Observe and Due.
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
	// store. Interval is the estimate behind it; 0 if the policy makes none. It is asked after each
	// outcome, but of a Forecaster only where such an order is kept.
	Due(p sitegraph.PageID, now time.Time) (due Due, interval time.Duration)
}

// Forecaster is a policy that does not go by what its own Due said: that is for the store's order
// and for people.
type Forecaster interface {
	OnlyForecasts()
}

// Forecasts makes a policy of what it is embedded in a Forecaster.
type Forecasts struct{}

func (Forecasts) OnlyForecasts() {}

// Estimator is a policy that tells how likely any page is to have changed, chosen or not.
type Estimator interface {
	// Probability that a refetch of p at a moment would see a change; NaN: no estimate. It
	// changes nothing in the policy: the same visits follow as if nobody had asked.
	Probability(p sitegraph.PageID, at time.Time) float64
}

// Discoverer is a policy that learns which pages bring new ones.
type Discoverer interface {
	// Discovered is told of a visit which pages became known, or known again, by its links; of one
	// that saw a change also if there are none. It comes before Observe; the slice is good until it
	// returns.
	Discovered(p sitegraph.PageID, verdict sitegraph.Verdict, pages []sitegraph.PageID)
}

// Expecter is a policy that knows which new addresses are worth their first visit: many links lead
// nowhere.
type Expecter interface {
	// Expect is the probability that a page without a copy is there. It changes nothing.
	Expect(p sitegraph.PageID) float64
	// TakesFirst reports whether the first visit to p is worth one of this round; if so, it is
	// taken to be made.
	TakesFirst(p sitegraph.PageID) bool
}

// Hinter is a policy that wants to know within a round that a source says something else of pages
// than when the round began, so that it can rank them anew. Corpus.Hints tells what.
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
}

// Contribution is what one piece of evidence adds to the logarithm of the odds that a page has
// changed.
type Contribution struct {
	Evidence string  // a feature, or who claims
	Value    float64 // of the feature
	LogOdds  float64 // added
}

// Contributions tell how a policy comes to the probability of a page.
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

// Explainer is a policy that tells what its probability is made of.
type Explainer interface {
	// Explain tells it for a page at a moment, largest contributions first, those of nothing left
	// out. Start and contributions add up to the log odds. It changes nothing.
	Explain(p sitegraph.PageID, at time.Time) Contributions
}

// Sort puts the largest first.
func (c *Contributions) Sort() {
	slices.SortStableFunc(c.All, func(a, b Contribution) int {
		return cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds))
	})
}

// Mode is the protocol a policy works under.
type Mode uint8

const (
	ModeUnknown Mode = iota
	Sweep            // one round; the policy stops when its method is through
	Stream           // round after round; the policy always has something to fetch
)
