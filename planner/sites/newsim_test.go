package sites

import (
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
)

// newSim returns a simulation of a stream with some visits a day, with life or without.
func newSim(t *testing.T, seed uint64, servers, perServer, perDay int, life bool) *simtest.Sim {
	t.Helper()
	w := simtest.NewWorld(seed, servers, perServer, life)
	return simtest.New(t, w, rand.New(rand.NewPCG(seed, 3)), seed,
		func(m *simtest.Sim) (planner.Policy, error) {
			return New(Settings{Pages: m.Pages, Mode: planner.Stream, Seed: seed,
				PerDay: float64(perDay), GoneWorth: DefaultGoneWorth}), nil
		}, planner.Options{NewShare: 0.25})
}

// policyOf returns the policy of a simulation.
func policyOf(m *simtest.Sim) *Policy { return m.Planner.Policy.(*Policy) }
