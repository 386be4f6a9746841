package value

import (
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
)

// skipLong leaves out, in the short form, a test of which the race detector can tell nothing.
func skipLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a planner that works alone, for many days: TestWeighAtOnce and TestInPlace have " +
			"goroutines")
	}
}

// newSim is a simulation of value, or of value without a kind of evidence ("value-own").
func newSim(t *testing.T, w *simtest.World, shuffle *rand.Rand, name string, s Settings,
	o planner.Options) *simtest.Sim {
	t.Helper()
	m := simtest.New(t, w, shuffle, s.Seed, maker(name, s), o)
	m.Sweeps = s.Mode == planner.Sweep
	return m
}

// maker builds the policy for a simulation.
func maker(name string, s Settings) func(m *simtest.Sim) (planner.Policy, error) {
	s.Without = WithoutOf(name)
	return func(m *simtest.Sim) (planner.Policy, error) {
		s.Corpus = m.Corpus
		return New(s), nil
	}
}
