package eval

import (
	"slices"

	"github.com/recrawl/recrawl/planner/policy"
)

// OwnPolicy is what a comparison is of, unless another is named.
const OwnPolicy = policy.Default

// Lineup says which policies are measured, and which of them is compared with the others.
type Lineup struct {
	Protocol string
	Named    []string // policies, "all" or "peers"
	Compare  string   // a policy, or "none"; "": OwnPolicy, if it takes part
	Ablate   bool     // also the default policy without each of its parts
}

// Policies are those that take part, without the Variants. "all" are those of policy.Worthwhile,
// and what is named beside it: another policy, or a program. "peers" are the default policy and
// policy.Peers.
func (l *Lineup) Policies() []string {
	if !slices.Contains(l.Named, "all") {
		return withPeers(l.Named)
	}
	policies := policy.Worthwhile()
	for _, name := range l.Named {
		if name != "all" && !slices.Contains(policies, name) {
			policies = append(policies, name)
		}
	}
	return policies
}

// withPeers puts the policies in the place of "peers", each once.
func withPeers(named []string) (policies []string) {
	i := slices.Index(named, Peers)
	if i < 0 {
		return named
	}
	for _, name := range slices.Concat(named[:i], []string{policy.Default}, policy.Peers,
		named[i+1:]) {
		if name != Peers && !slices.Contains(policies, name) {
			policies = append(policies, name)
		}
	}
	return policies
}

// Peers stands for the default policy and those of programs in use.
const Peers = "peers"

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

// Variants are the default policy without each of its parts that matter on histories: these have
// no claims of feeds and sitemaps, and know nothing of a search.
func (l *Lineup) Variants() []string {
	if !l.Ablate {
		return nil
	}
	return slices.DeleteFunc(policy.Variants(), func(name string) bool {
		part := policy.WithoutPart(name)
		return l.Compared() != OwnPolicy || part == "claims" || part == "weights" || part == "lag"
	})
}
