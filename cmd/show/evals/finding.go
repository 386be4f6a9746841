package evals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// mostFindings bounds the runs that a finding names.
const mostFindings = 5

// StreamFinding returns the share of changes that the best policies find in each run of the stream
// protocol.
func StreamFinding(runs []Run) string {
	return finding(runs, eval.Coverage, "finds %s of the changes", ofHundred)
}

// finding names for each run the policy with most of a measure, the next one, and the best policy
// that knows the changes. does says what a policy does, for example "finds %s of the changes".
func finding(runs []Run, measure, does string, show func(eval.Number) string) string {
	var says []string
	for _, run := range runs[:min(len(runs), mostFindings)] {
		own := func(name string) bool { return !policy.Reference(name) }
		best := run.best(measure, own)
		if best == nil {
			continue
		}
		// a policy that is equal in the shown digits has not lost
		level := run.level(measure, own, show(best.Measure(measure)), show)
		text := fmt.Sprintf("%s: %s "+does, run.label, best.name, show(best.Measure(measure)))
		switch others := slices.DeleteFunc(slices.Clone(level), func(policy string) bool {
			return policy == best.policy
		}); len(others) {
		case 0:
		case 1:
			text += ", as " + others[0] + " does"
		default:
			text += ", as " + words.Shorten(others, 3, ", ") + " do"
		}
		if next := run.best(measure, func(name string) bool {
			return own(name) && !slices.Contains(level, name)
		}); next != nil {
			text += fmt.Sprintf(", the next best (%s) %s", next.name, show(next.Measure(measure)))
		}
		if most := run.best(measure, policy.Reference); most != nil {
			text += fmt.Sprintf("; %s can be had (%s)", show(most.Measure(measure)), most.name)
		}
		says = append(says, text+".")
	}
	if more := len(runs) - mostFindings; more > 0 {
		says = append(says, fmt.Sprintf("And %d more runs.", more))
	}
	return strings.Join(says, "\n")
}

// level returns the policies of a kind that reach a value as it is shown, in the order of the
// results.
func (r Run) level(measure string, kind func(policy string) bool, value string,
	show func(eval.Number) string) (policies []string) {
	for i := range r.results {
		result := &r.results[i]
		if kind(result.policy) && show(result.Measure(measure)) == value {
			policies = append(policies, result.policy)
		}
	}
	return slices.Compact(policies)
}

// ofHundred shows a share with its unit.
func ofHundred(v eval.Number) string { return fmt.Sprintf("%.1f %%", 100*float64(v)) }
