package figures

import (
	"math"
	"slices"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/satstore/machine"
)

// Claim is a sentence of the paper and what these servers say to it.
type Claim struct {
	Claim   string       `json:"claim"`
	Source  string       `json:"source"`
	Verdict Verdict      `json:"verdict"`
	Found   []Comparison `json:"found"`
}

// Comparison is one number that a claim speaks of. Differences of shares are shares.
type Comparison struct {
	Comparison string         `json:"comparison"`
	Weeks      int            `json:"weeks,omitempty"` // 0: over all periods
	Group      string         `json:"group,omitempty"` // "": all servers
	Value      eval.Number    `json:"value"`
	Interval   [2]eval.Number `json:"interval"` // 5th and 95th percentile over the resamples
	Wanted     string         `json:"wanted"`
	Verdict    Verdict        `json:"verdict"`

	Share bool `json:"-"` // it is a share, shown in percent

	wanted  wanted
	servers int // with changed pages, that it rests on
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

// noChange is what two coverages may differ by and be the same: no outcome hangs on less.
const noChange = 0.05

// LeastServers is how many servers with changed pages a comparison must rest on. All of four are on
// one side by chance once in 16 times, all of five once in 32: less than the 5 % of an interval's
// end.
const LeastServers = 5

// statistic is a number that can be computed of a resampled corpus; NaN where undefined.
type statistic func(times []int) float64

// wanted are the values that a claim allows, from low to high.
type wanted struct {
	text      string
	low, high float64
	open      bool // the limits themselves are not allowed
}

var (
	positive     = wanted{"above 0", 0, math.Inf(1), true}
	negative     = wanted{"below 0", math.Inf(-1), 0, true}
	twice        = wanted{"2 or more", 2, math.Inf(1), false}
	twoToThree   = wanted{"2 to 3", 2, 3, false}
	aboutTwo     = wanted{"1.5 to 2.5", 1.5, 2.5, false}
	seventies    = wanted{"0.7 to 0.8", 0.7, 0.8, false}
	sixties      = wanted{"0.6 to 0.7", 0.6, 0.7, false}
	fortyPercent = wanted{"0.4 or more", 0.4, math.Inf(1), false}
	same         = wanted{"-0.05 to 0.05", -noChange, noChange, false}
)

func (w wanted) allows(v float64) bool {
	return w.low < v && v < w.high || !w.open && (v == w.low || v == w.high)
}

// verdict judges an interval: all of it, none of it, or a part is in the range that the claim
// demands.
func (w wanted) verdict(interval [2]eval.Number) Verdict {
	low, high := float64(interval[0]), float64(interval[1])
	switch {
	case w.allows(low) && w.allows(high):
		return Holds
	case high <= w.low && !w.allows(high), low >= w.high && !w.allows(low):
		return Fails
	}
	return Untold // NaN too
}

// judge computes all comparisons and the verdicts.
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
	servers := 1 // which is not resampled
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

// rounded takes away what floating point adds: two shares that are the same differ by 0,
// and not by -0, which JSON would show.
func rounded(v float64) float64 { return math.Round(v*1e12)/1e12 + 0 }

// together holds if each comparison does, and fails if one does.
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
