package eval

import (
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/value"
)

// Learnt says what policies that learn from other histories go by (planner.Learns).
type Learnt struct {
	Source string `json:"source"` // who learnt it, and the fingerprint of the histories
	// Folds is the number of parts the servers fall into (Fold), each judged by what was learnt
	// on the others; 0: all servers are judged by the same parameters.
	Folds int `json:"folds"`
	// SameServers: the parameters of no folds were learnt on the very histories they are judged on.
	SameServers bool `json:"same_servers"`
	// ModelOf is what a policy goes by on a server.
	ModelOf func(policy, server string) *value.Model `json:"-"`
}

// modelOf is what a policy goes by on each server; nil: what comes with the program.
func (c *Corpus) modelOf(policy string) func(server string) *value.Model {
	if c.Learnt == nil || c.Learnt.ModelOf == nil {
		return nil
	}
	return func(server string) *value.Model { return c.Learnt.ModelOf(policy, server) }
}

// learntOf is what a report says of what these policies go by; nil if none of them learns.
func (c *Corpus) learntOf(policies []string) *Learnt {
	for _, name := range policies {
		if policy.Learns(name) {
			return c.Learnt
		}
	}
	return nil
}
