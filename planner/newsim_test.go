package planner

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

// newSim is a simulation of a policy by name; reference lines are told the future.
func newSim(t *testing.T, w *world, shuffle *rand.Rand, name string, s Settings, o Options) *sim {
	t.Helper()
	m := newSimOf(t, w, shuffle, s.Seed, maker(name, s), o)
	m.sweeps = s.Mode == Sweep
	estimates := map[string]bool{"ebayes": true, "interval": true, "clairvoyant": true, "value": true, "poisson": true, "hier": true, "whittle": true}[name]
	plain := name == "random" || name == "breadth-first" || methods[name].by != "" || strings.HasPrefix(name, "server-")
	m.verify = func(v Visit) {
		m.Helper()
		if estimates && !v.First && !(v.Probability >= 0 && v.Probability <= 1 && !math.IsNaN(v.Value)) {
			m.Fatalf("%s: probability %g, value %g", m.graph.URL(v.Page), v.Probability, v.Value)
		}
		if plain && !(math.IsNaN(v.Probability) && math.IsNaN(v.Value)) {
			m.Fatalf("%s: probability %g, value %g; want NaN, nothing is estimated", m.graph.URL(v.Page), v.Probability, v.Value)
		}
	}
	return m
}

// maker builds a policy for a simulation.
func maker(name string, s Settings) func(m *sim) (Policy, error) {
	return func(m *sim) (Policy, error) {
		s.Corpus = m.corpus
		if Reference(name) {
			s.TrueRate, s.Oracle = trueRate(m), m.differs
		}
		return NewPolicy(name, s)
	}
}

// trueRate gives each page one of four rates.
func trueRate(m *sim) func(p sitegraph.PageID) float64 {
	return func(p sitegraph.PageID) float64 { return 0.01 + math.Floor(4*rank.Tie(1, m.graph.URL(p)))/10 }
}
