package papers

import (
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/satstore/machine"
)

// Claim is a statement of a paper with measurements of it.
type Claim struct {
	Claim  string `json:"claim"`
	Source string `json:"source"`
	// Fitted means that the input was made to have these numbers, so that they prove nothing.
	Fitted  bool         `json:"fitted,omitempty"`
	Verdict Verdict      `json:"verdict"`
	Found   []Comparison `json:"found"`
}

// Comparison is one number of a claim. Differences of shares are shares.
type Comparison struct {
	Comparison string      `json:"comparison"`
	Weeks      int         `json:"weeks,omitempty"` // 0: all periods
	Group      string      `json:"group,omitempty"` // "": all servers
	Value      eval.Number `json:"value"`
	// Interval is the 5th and 95th percentile over resamples, or the extremes of repetitions.
	Interval Interval `json:"interval"`
	Wanted   string   `json:"wanted"`
	Verdict  Verdict  `json:"verdict"`

	Share bool `json:"-"` // a share, shown in percent

	wanted  Wanted
	servers int // servers with changed pages behind it
	of      statistic
}

// Verdict on a claim.
type Verdict string

// The verdicts.
const (
	Holds  Verdict = "holds"
	Fails  Verdict = "does not hold"
	Untold Verdict = "cannot be told"
)

// LeastServers is the least number of servers with changed pages that a comparison needs. By
// chance, four servers all favour a given policy once in 16 times, and five servers once in 32
// times. The latter is below 5 %, the share of results beyond each end of an interval.
const LeastServers = 5

// statistic computes a number from a resampled corpus; NaN if it is undefined.
type statistic func(times []int) float64

// Wanted is the range that a claim allows, from low to high.
type Wanted struct {
	text      string
	low, high float64
	open      bool // without the limits themselves
}

// Above returns the values above a limit.
func Above(low float64) Wanted {
	return Wanted{fmt.Sprintf("above %v", low), low, math.Inf(1), true}
}

// AtLeast returns the values from a limit on.
func AtLeast(low float64) Wanted {
	return Wanted{fmt.Sprintf("%v or more", low), low, math.Inf(1), false}
}

// AtMost returns the values up to a limit.
func AtMost(high float64) Wanted {
	return Wanted{fmt.Sprintf("at most %v", high), math.Inf(-1), high, false}
}

// Between returns the values from one limit to another.
func Between(low, high float64) Wanted {
	return Wanted{fmt.Sprintf("%v to %v", low, high), low, high, false}
}

// About returns the values within a factor of two.
func About(v float64) Wanted { return Between(v/2, v*2) }

func (w Wanted) allows(v float64) bool {
	return w.low < v && v < w.high || !w.open && (v == w.low || v == w.high)
}

// verdict judges an interval: it lies in the wanted range as a whole, not at all, or in part.
func (w Wanted) verdict(interval Interval) Verdict {
	low, high := float64(interval[0]), float64(interval[1])
	switch {
	case w.allows(low) && w.allows(high):
		return Holds
	case high <= w.low && !w.allows(high), low >= w.high && !w.allows(low):
		return Fails
	}
	return Untold // also for NaN
}

// leastRepetitions is the least number of repetitions for a verdict: one has no spread.
const leastRepetitions = 2

// Measured returns a comparison from repetitions: their mean, with extremes. The verdict on fewer
// than two is Untold.
func Measured(name string, w Wanted, values ...float64) Comparison {
	c := Across(name, w, values...)
	if len(values) < leastRepetitions {
		c.Verdict = Untold
	}
	return c
}

// Across returns a comparison from one measurement at each of several settings: the mean, with
// extremes. One setting suffices for a verdict.
func Across(name string, w Wanted, values ...float64) Comparison {
	r := spreadOf(values)
	c := Comparison{Comparison: name, Value: r.Value, Interval: Interval{r.Low, r.High},
		Wanted: w.text}
	c.Verdict = w.verdict(c.Interval)
	return c
}

// Judged returns a claim with the verdict of its numbers.
func Judged(source, claim string, found ...Comparison) Claim {
	return Claim{Claim: claim, Source: source, Verdict: together(found), Found: found}
}

// judge computes all comparisons over resamples, and the verdicts.
func judge(claims []Claim, d draws) []Claim {
	var all []*Comparison
	for i := range claims {
		for k := range claims[i].Found {
			all = append(all, &claims[i].Found[k])
		}
	}
	machine.EachOnCores(len(all), func(i int) { all[i].judge(d) })
	for i := range claims {
		claims[i].Verdict = together(claims[i].Found)
		claims[i].Found = append([]Comparison{}, claims[i].Found...) // not nil: null in JSON
	}
	return claims
}

func (c *Comparison) judge(d draws) {
	c.Wanted = c.wanted.text
	servers := 1 // not resampled
	if len(d) > 0 {
		servers = len(d[0])
	}
	c.Value = eval.Number(rounded(c.of(slices.Repeat([]int{1}, servers))))
	var values []float64
	undefined := 0
	for _, times := range d {
		v := rounded(c.of(times))
		if math.IsNaN(v) {
			undefined++
		}
		values = append(values, v)
	}
	c.Interval = eval.Interval(values)
	c.Verdict = c.wanted.verdict(c.Interval)
	if math.IsNaN(float64(c.Value)) || undefined > len(d)/2 || c.servers < LeastServers {
		c.Verdict = Untold
	}
}

// rounded removes rounding errors: two equal shares differ by 0, and not by -0, which JSON would
// show.
func rounded(v float64) float64 { return math.Round(v*1e12)/1e12 + 0 }

// together holds if every comparison holds, and fails if one fails.
func together(found []Comparison) Verdict {
	if slices.ContainsFunc(found, func(c Comparison) bool { return c.Verdict == Fails }) {
		return Fails
	}
	if len(found) == 0 || slices.ContainsFunc(found, func(c Comparison) bool {
		return c.Verdict == Untold
	}) {
		return Untold
	}
	return Holds
}
