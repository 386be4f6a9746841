package planner

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Visit is the intent to fetch a page.
type Visit struct {
	Page  sitegraph.PageID
	First bool // the page has no copy: discovery, not a refetch
	// Asked is set if a user asked for it. It precedes visits of its server that were chosen
	// earlier.
	Asked    bool
	planned  bool // its need is reserved under the limits
	ofShare  bool // a first visit that counts in the share of new pages
	leftover bool // a first visit beyond that share, from the policy's rest

	Due         time.Time // since when it has been due; zero: the policy has no due times
	Probability float64   // that it changed since the copy; NaN: not estimated
	Gone        float64   // probability that it is gone, if that is the reason; else 0
	Value       float64   // rank by the policy; larger is earlier; NaN: not ranked
	// Beside is its worth beside expected changes, for example of the new copy.
	Beside float64
	Reason Reason // why it was chosen
	// DrawnFrom is the number of pages from which a visit of exploration was drawn, each equally
	// likely. 0: it was chosen for its worth.
	DrawnFrom int

	need  int64 // bytes reserved for it
	round int   // by Planner.rounds
}

// Due is when a page is to be visited next, and why.
type Due struct {
	When   time.Time
	Reason Reason
}

// Reason says in one short clause why a page is visited. It becomes text only when String is
// called, so that it costs little in millions of replayed visits.
type Reason struct {
	format string // with one verb for each value
	values [3]float64
}

// Because returns a reason of a format with a verb for each value: %s writes a number of days as a
// span. It makes all reasons.
func Because(format string, values ...float64) Reason {
	r := Reason{format: format}
	copy(r.values[:], values)
	return r
}

func (r Reason) String() string {
	n := strings.Count(r.format, "%") - 2*strings.Count(r.format, "%%")
	args := make([]any, n)
	for i := range args {
		args[i] = reasonValue(r.values[i])
	}
	return fmt.Sprintf(r.format, args...)
}

// reasonValue is a number that %s writes as a number of days, in a suitable unit.
type reasonValue float64

func (days reasonValue) String() string {
	if !(days < longestSpan) { // a rate of 0 makes it endless
		return "more than 200 years"
	}
	return words.Span(time.Duration(float64(days) * float64(Day)))
}

// longestSpan is the longest span in days that is written in full: time.Duration holds at most 292
// years.
const longestSpan = 200 * 365

// Round is one planning period: a day in the evaluations, an hour or a day on the live web.
type Round struct {
	Number int       // from 0
	Start  time.Time // inclusive
	End    time.Time // exclusive; replays see the world at End
	Budget int       // bound on fetches; Unlimited: all that the policy proposes
}

// Day is 24 hours.
const Day = budget.Day

// Unlimited as a budget sets no bound.
const Unlimited = budget.Unlimited

// share returns how many visits of the round a share of its budget allows. The fraction is carried
// over to the next round. Without a bound it returns math.MaxInt.
func (r *Round) share(of float64, carry *float64) int {
	if r.Budget == Unlimited {
		return math.MaxInt
	}
	share := budget.Grant{PerDay: float64(r.Budget) * of, Carry: *carry}
	visits := min(share.Of(budget.Day), r.Budget)
	*carry = share.Carry
	return visits
}

// Unranked returns a visit without probability and value, for a policy that estimates neither.
func Unranked(p sitegraph.PageID, reason Reason) Visit {
	return Visit{Page: p, Probability: math.NaN(), Value: math.NaN(), Reason: reason}
}
