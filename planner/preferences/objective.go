package preferences

import (
	"fmt"
	"strconv"
	"strings"
)

// Objective is the aim of visits, in weights; only their ratios count. The zero Objective is the
// default: changes found, and defaultFreshness beside them.
type Objective struct {
	Changes float64 // of a change found
	// Freshness is the weight of a copy that is fresh for a cycle, the time in which the budget
	// visits all pages once.
	Freshness float64
	Age       float64 // of copies younger by a cycle, for a cycle
}

// defaultFreshness is the default of Freshness, and costs almost no changes. With half of it,
// servers without changes get no visits if pages that surely change can use the whole budget.
const defaultFreshness = 1. / 4

// OrDefault returns the objective, or the default if it is zero.
func (o Objective) OrDefault() Objective {
	if (o == Objective{}) {
		return Objective{Changes: 1, Freshness: defaultFreshness}
	}
	return o
}

// Objectives are the names of those with one weight.
var Objectives = []string{"changes", "freshness", "age"}

// ParseObjective parses "changes", "freshness" or "age", or weights such as
// "changes=1,freshness=0.5".
func ParseObjective(text string) (o Objective, err error) {
	if text == "changes" || text == "" {
		return Objective{}, nil
	}
	weights := map[string]*float64{"changes": &o.Changes, "freshness": &o.Freshness, "age": &o.Age}
	for part := range strings.SplitSeq(text, ",") {
		name, weight, weighed := strings.Cut(strings.TrimSpace(part), "=")
		of, ok := weights[name]
		if !ok {
			return Objective{}, fmt.Errorf("unknown objective %q: want %s, or weights such as "+
				"changes=1,freshness=0.5", name, strings.Join(Objectives, ", "))
		}
		*of = 1
		if weighed {
			if *of, err = strconv.ParseFloat(weight, 64); err != nil || !(*of >= 0 && *of <= 1000) {
				return Objective{}, fmt.Errorf("objective %s has the weight %q: want a number "+
					"from 0 to 1000", name, weight)
			}
		}
	}
	if (o == Objective{}) {
		return o, fmt.Errorf("objective %q: all weights are 0", text)
	}
	return o, nil
}
