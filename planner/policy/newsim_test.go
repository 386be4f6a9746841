package policy

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// newSim returns a simulation of a policy by name; reference lines know the future.
func newSim(t *testing.T, w *simtest.World, shuffle *rand.Rand, name string, s Settings,
	o planner.Options) *simtest.Sim {
	t.Helper()
	m := simtest.New(t, w, shuffle, s.Seed, maker(name, s), o)
	m.Sweeps = s.Mode == planner.Sweep || keepsPace(name)
	estimates := map[string]bool{"ebayes": true, "interval": true, "clairvoyant": true,
		"sites": true, "poisson": true, "hier": true, "whittle": true, "lln": true, "sa": true,
		"ncis": true}[name]
	plain := name == "random" || name == "breadth-first" || methods[name].by != "" ||
		strings.HasPrefix(name, "server-")
	m.Verify = func(v planner.Visit) {
		m.Helper()
		if estimates && !v.First &&
			!(v.Probability >= 0 && v.Probability <= 1 && !math.IsNaN(v.Value)) {
			m.Fatalf("%s: probability %g, value %g", m.Graph.URL(v.Page), v.Probability, v.Value)
		}
		if plain && !(math.IsNaN(v.Probability) && math.IsNaN(v.Value)) {
			m.Fatalf("%s: probability %g, value %g; want NaN, nothing is estimated",
				m.Graph.URL(v.Page), v.Probability, v.Value)
		}
	}
	return m
}

// maker returns the constructor of a policy for a simulation.
func maker(name string, s Settings) func(m *simtest.Sim) (planner.Policy, error) {
	return func(m *simtest.Sim) (planner.Policy, error) {
		s.Pages = m.Pages
		if Reference(name) {
			s.TrueRate, s.Oracle = trueRate(m), m.Differs
		}
		return New(name, s)
	}
}

// trueRate gives each page one of four rates.
func trueRate(m *simtest.Sim) func(p sitegraph.PageID) float64 {
	return func(p sitegraph.PageID) float64 {
		return 0.01 + math.Floor(4*planner.Tie(1, m.Graph.URL(p)))/10
	}
}
