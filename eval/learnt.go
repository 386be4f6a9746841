package eval

import (
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/value"
)

// Learnt is which learnt parameters policies use (policy.Learns).
type Learnt struct {
	Source string `json:"source"` // who learnt it, and the fingerprint of the histories
	// Folds is the number of parts the servers fall into (Fold), each judged by what was learnt
	// on the others; 0: all servers are judged by the same parameters.
	Folds int `json:"folds"`
	// SameServers: without folds, the parameters were learnt on the histories on which they are
	// judged.
	SameServers bool `json:"same_servers"`
	// ModelOf returns the parameters that a policy uses on a server.
	ModelOf func(policy, server string) *value.Model `json:"-"`
}

// modelOf returns the parameters that a policy uses on each server; nil: those of the program.
func (c *Corpus) modelOf(policy string) func(server string) *value.Model {
	if c.Learnt == nil || c.Learnt.ModelOf == nil {
		return nil
	}
	return func(server string) *value.Model { return c.Learnt.ModelOf(policy, server) }
}

// learntOf is which learnt parameters these policies use, for a report; nil if none uses any.
func (c *Corpus) learntOf(policies []string) *Learnt {
	for _, name := range policies {
		if policy.Learns(name) {
			return c.Learnt
		}
	}
	return nil
}
