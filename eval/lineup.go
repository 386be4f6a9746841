package eval

import (
	"slices"
	"strings"

	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/value"
)

// OwnPolicy is what a comparison is of, unless another is named.
const OwnPolicy = "value"

// Lineup says which policies are measured, and which of them is compared with the others.
type Lineup struct {
	Protocol string
	Named    []string // policies, or "all"
	Compare  string   // a policy, or "none"; "": OwnPolicy, if it takes part
	Ablate   bool     // also the compared policy without each kind of evidence
}

// Policies are those that take part, without the Variants. "all" are all but the variants of value;
// one that is named beside it takes part, too.
func (l *Lineup) Policies() []string {
	if !slices.Contains(l.Named, "all") {
		return l.Named
	}
	return slices.DeleteFunc(policy.Names(), func(name string) bool {
		variant := slices.Contains(value.Ablations(), name) ||
			slices.Contains(value.ForObjectives(), name)
		return variant && !slices.Contains(l.Named, name)
	})
}

// WithWorth are those of All that tell what a visit is worth, and the variants.
func (l *Lineup) WithWorth() []string {
	variants := l.Variants()
	return slices.DeleteFunc(l.All(), func(name string) bool {
		return !policy.GivesWorth(name) && !slices.Contains(variants, name)
	})
}

// All are the policies that take part, and the variants behind them.
func (l *Lineup) All() []string {
	all := slices.Clone(l.Policies())
	for _, v := range l.Variants() {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

// Compared is the policy to set beside the others, "" for none.
func (l *Lineup) Compared() string {
	switch {
	case l.Compare == "none":
		return ""
	case l.Compare == "" && slices.Contains(l.Policies(), OwnPolicy):
		return OwnPolicy
	}
	return l.Compare
}

// Variants are the compared policy without each kind of evidence that histories have.
func (l *Lineup) Variants() []string {
	if !l.Ablate {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(value.Ablations()), func(name string) bool {
		w := value.WithoutOf(name)
		return !strings.HasPrefix(name, l.Compared()+"-") || w.FromSources() || w.OfSearch() ||
			l.Protocol != "stream" && w.StreamsOnly()
	})
}
