package eval

import (
	"slices"

	"github.com/recrawl/recrawl/planner/policy"
)

// OwnPolicy is the compared policy, unless another is named.
const OwnPolicy = policy.Default

// Lineup selects the policies to measure, and the one to compare with the others.
type Lineup struct {
	Protocol string
	Named    []string // policies, "all" or "peers"
	Compare  string   // a policy, or "none"; "": OwnPolicy, if it takes part
	Ablate   bool     // also measure the default policy without each of its parts
}

// Policies returns the policies that take part, without the Variants. "all" means policy.Worthwhile
// and any other named policy or program. "peers" means the default policy and policy.Peers.
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

// withPeers replaces "peers" by its policies, each once.
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

// Peers is the name for the default policy and those of programs in use.
const Peers = "peers"

// WithWorth returns the policies of All that estimate the worth of a visit.
func (l *Lineup) WithWorth() []string {
	variants := l.Variants()
	return slices.DeleteFunc(l.All(), func(name string) bool {
		return !policy.GivesWorth(name) && !slices.Contains(variants, name)
	})
}

// All returns the policies that take part, followed by the variants.
func (l *Lineup) All() []string {
	all := slices.Clone(l.Policies())
	for _, v := range l.Variants() {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

// Compared returns the policy to compare with the others, or "".
func (l *Lineup) Compared() string {
	switch {
	case l.Compare == "none":
		return ""
	case l.Compare == "" && slices.Contains(l.Policies(), OwnPolicy):
		return OwnPolicy
	}
	return l.Compare
}

// Variants returns the default policy without each of its parts that matter on histories, which
// have no claims of feeds and sitemaps, and no search.
func (l *Lineup) Variants() []string {
	if !l.Ablate {
		return nil
	}
	return slices.DeleteFunc(policy.Variants(), func(name string) bool {
		part := policy.WithoutPart(name)
		return l.Compared() != OwnPolicy || part == "claims" || part == "weights" || part == "lag"
	})
}
