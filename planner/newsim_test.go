package planner_test

import (
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/simtest"
)

// newSim returns a simulation of a policy by name.
func newSim(t *testing.T, w *simtest.World, shuffle *rand.Rand, name string, s policy.Settings,
	o planner.Options) *simtest.Sim {
	t.Helper()
	return simtest.New(t, w, shuffle, s.Seed, func(m *simtest.Sim) (planner.Policy, error) {
		s.Pages = m.Pages
		return policy.New(name, s)
	}, o)
}
