package present

import (
	"fmt"
	"math"
	"strings"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/policy"
)

// mostFindings bounds the runs that a finding names.
const mostFindings = 5

// finding says of each run which policy has most of a measure, which comes next, and what can be
// had by one that knows what is to be found out. does is what a policy does, as "finds %s of the
// changes".
func finding(runs []Run, measure, does string, show func(eval.Number) string) string {
	var says []string
	for _, run := range runs[:min(len(runs), mostFindings)] {
		own := func(name string) bool { return !policy.Reference(name) }
		best := run.best(measure, own)
		if best == "" {
			continue
		}
		text := fmt.Sprintf("%s: %s "+does, run.label, best, show(run.measure(best, measure)))
		first := run.policyOf(best)
		if next := run.best(measure, func(name string) bool { return own(name) && name != first }); next != "" {
			text += fmt.Sprintf(", the next best (%s) %s", next, show(run.measure(next, measure)))
		}
		if most := run.best(measure, policy.Reference); most != "" {
			text += fmt.Sprintf("; %s can be had (%s)", show(run.measure(most, measure)), most)
		}
		says = append(says, text+".")
	}
	if more := len(runs) - mostFindings; more > 0 {
		says = append(says, fmt.Sprintf("And %d more runs.", more))
	}
	return strings.Join(says, "\n")
}

// measure is that of a result; NaN if there is none.
func (r Run) measure(name, measure string) eval.Number {
	for _, result := range r.results {
		if result.name == name {
			return result.Measure(measure)
		}
	}
	return eval.Number(math.NaN())
}

func (r Run) policyOf(name string) string {
	for _, result := range r.results {
		if result.name == name {
			return result.policy
		}
	}
	return ""
}

// ofHundred shows a share with its unit.
func ofHundred(v eval.Number) string { return fmt.Sprintf("%.1f %%", 100*float64(v)) }
