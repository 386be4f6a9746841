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

// Visit is the intent to fetch a page: what to visit.
type Visit struct {
	Page  sitegraph.PageID
	First bool // the page has no copy: discovery, not a refetch
	// Asked: somebody asked for it. It goes before visits of its server that were chosen earlier.
	Asked    bool
	planned  bool // what it needs is set aside under the limits
	ofShare  bool // a first visit that counts in the share of new pages
	leftover bool // a first visit beyond the share of new pages, from what the policy left

	Due         time.Time // since when it has been due; zero: the policy has no due times
	Probability float64   // of having changed since the copy; NaN: the policy does not estimate it
	Gone        float64   // probability that it is gone, where that is why it is visited; else 0
	Value       float64   // what the policy ranked it by; larger is earlier; NaN: not ranked
	// Beside is what it is worth beside the changes expected, as the copy that it brings.
	Beside float64
	Reason Reason // why it was chosen
	// DrawnFrom is how many pages a visit of exploration was drawn from: each was as likely as the
	// others. 0: it was made for its worth.
	DrawnFrom int

	need  int64 // bytes set aside for it
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

// Because makes a reason of a format with a verb for each value: %s writes it as a span of so many
// days. All reasons are made by it.
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

// reasonValue is a number, and by %s so many days in the unit that suits them.
type reasonValue float64

func (days reasonValue) String() string {
	if !(days < longestSpan) { // a rate of 0 makes it endless
		return "more than 200 years"
	}
	return words.Span(time.Duration(float64(days) * float64(Day)))
}

// longestSpan is how many days are said as they are: time.Duration holds no more than 292 years.
const longestSpan = 200 * 365

// Round is one planning period: a day in the evaluations, an hour or a day on the live web.
type Round struct {
	Number int       // from 0
	Start  time.Time // inclusive
	End    time.Time // exclusive; the state of the world seen by replays is that at End
	Budget int       // fetches that may be made; Unlimited: as many as the policy proposes
}

// Day is 24 hours.
const Day = budget.Day

// Unlimited as a budget sets no bound.
const Unlimited = budget.Unlimited

// share is how many visits of the round a share of its budget allows. The fraction is carried over
// to the next round. Without a bound it is math.MaxInt.
func (r *Round) share(of float64, carry *float64) int {
	if r.Budget == Unlimited {
		return math.MaxInt
	}
	share := budget.Grant{PerDay: float64(r.Budget) * of, Carry: *carry}
	visits := min(share.Of(budget.Day), r.Budget)
	*carry = share.Carry
	return visits
}

// Unranked is a visit without probability and value, by a policy that estimates neither.
func Unranked(p sitegraph.PageID, reason Reason) Visit {
	return Visit{Page: p, Probability: math.NaN(), Value: math.NaN(), Reason: reason}
}
