package eval

import (
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/planner/policy"
)

// Comparison compares one policy with the others of a run. Each pair is measured on the same
// resampled servers, so that the difficulty of a corpus does not widen the intervals.
type Comparison struct {
	Policy string `json:"policy"`
	// Best is the best published policy by each measure, without the compared one. It is chosen
	// once, on the whole corpus: no crawler can run a policy that changes with the sample. A
	// measure is missing if no published policy has a value.
	Best map[string]Against `json:"best_published"`
	With []Opponent         `json:"with"` // all others, in the order of the results
	// Without compares the policy with itself without each of its parts, if requested.
	Without []Ablation `json:"without,omitempty"`
}

// Against names the opponent of a comparison.
type Against struct {
	Policy    string  `json:"policy"`
	Threshold float64 `json:"threshold,omitempty"`
	Paired
}

// Opponent is one other policy.
type Opponent struct {
	Policy    string            `json:"policy"`
	Threshold float64           `json:"threshold,omitempty"`
	Published bool              `json:"published"`
	Reference bool              `json:"reference"`
	Measures  map[string]Paired `json:"measures"`
}

// Ablation compares the policy with itself without one of its parts.
type Ablation struct {
	Policy   string            `json:"policy"`
	Part     string            `json:"part"` // the part that is switched off
	Measures map[string]Paired `json:"measures"`
}

// Paired is one measure of two policies. Spreads are the 5th and 95th percentile over the resamples
// in which both are defined.
type Paired struct {
	Value            Number    `json:"value"` // of the compared policy
	Other            Number    `json:"other"`
	Difference       Number    `json:"difference"` // value - other
	DifferenceSpread [2]Number `json:"difference_spread"`
	Ratio            Number    `json:"ratio"` // value / other; null unless other is above 0
	RatioSpread      [2]Number `json:"ratio_spread"`

	values, others []float64 // by resample
}

// contender is the part of a result that a comparison needs.
type contender struct {
	policy    string
	threshold float64
	values    map[string]Number
	draws     draws
}

// compare compares a policy with all others. The policies in without are the same one, each without
// one of its parts.
func compare(name string, without []string, measures []string, all []contender) (
	*Comparison, error) {
	own := slices.IndexFunc(all, func(r contender) bool { return r.policy == name })
	if own < 0 {
		return nil, fmt.Errorf("policy %s cannot be compared: it takes no part", name)
	}
	value := &all[own]
	c := &Comparison{Policy: name, Best: map[string]Against{}, With: []Opponent{}}
	for i := range all {
		other := &all[i]
		if i == own {
			continue
		}
		pairs := make(map[string]Paired, len(measures))
		for _, m := range measures {
			pairs[m] = pair(m, value, other)
		}
		if slices.Contains(without, other.policy) {
			c.Without = append(c.Without,
				Ablation{other.policy, policy.WithoutPart(other.policy), pairs})
			continue
		}
		c.With = append(
			c.With,
			Opponent{
				other.policy,
				other.threshold,
				policy.Published(other.policy),
				policy.Reference(other.policy),
				pairs,
			},
		)
	}
	for _, m := range measures {
		if best := bestPublished(c.With, m); best != nil {
			c.Best[m] = Against{best.Policy, best.Threshold, best.Measures[m]}
		}
	}
	return c, nil
}

// bestPublished returns the first published policy with the largest value, or nil.
func bestPublished(all []Opponent, measure string) *Opponent {
	var best *Opponent
	for i := range all {
		o := &all[i]
		if v := o.Measures[measure].Other; !o.Published || math.IsNaN(float64(v)) ||
			best != nil && v <= best.Measures[measure].Other {
			continue
		}
		best = o
	}
	return best
}

// pair compares one measure, draw by draw.
func pair(measure string, a, b *contender) Paired {
	return Paired{Value: a.values[measure], Other: b.values[measure],
		values: a.draws[measure], others: b.draws[measure]}.filled()
}

// filled fills in difference, ratio and spreads.
func (p Paired) filled() Paired {
	p.Difference, p.Ratio = p.Value-p.Other, over(p.Value, p.Other)
	var differences, ratios []float64
	for i := range min(len(p.values), len(p.others)) {
		x, y := Number(p.values[i]), Number(p.others[i])
		differences = append(differences, float64(x-y))
		ratios = append(ratios, float64(over(x, y)))
	}
	p.DifferenceSpread, p.RatioSpread = Interval(differences), Interval(ratios)
	return p
}

// over returns a / b if b is above 0, and else NaN.
func over(a, b Number) Number {
	if !(b > 0) {
		return Number(math.NaN())
	}
	return a / b
}

// Mean returns the mean of one measure's comparisons over several runs, resample by resample, for
// example over all budgets. The runs must have one corpus and seed, so that their resamples are the
// same. The ratio is that of the means.
func Mean(pairs []Paired) Paired {
	if len(pairs) == 0 {
		return Paired{}
	}
	var mean Paired
	mean.values, mean.others = make([]float64, len(pairs[0].values)),
		make([]float64, len(pairs[0].others))
	n := float64(len(pairs))
	for _, p := range pairs {
		mean.Value += p.Value / Number(n)
		mean.Other += p.Other / Number(n)
		for i := range mean.values {
			mean.values[i] += p.values[i] / n
			mean.others[i] += p.others[i] / n
		}
	}
	return mean.filled()
}
