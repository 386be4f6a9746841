package policy

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// Each daily visit that saw a change (C) or none (u) is one step of the estimator. After a restart
// the rate continues from that of lln.
func TestSASteps(t *testing.T) {
	w := simtest.NewLettered(t, map[string]string{"R": "/", "A": "/a"}, "R>A",
		rand.New(rand.NewPCG(1, 0)))
	p, err := New("sa", Settings{Pages: w.Pages, Mode: planner.Stream})
	if err != nil {
		t.Fatal(err)
	}
	w.Planner = planner.New(w.Pages, p, planner.Options{})
	a := w.Page["A"]
	rate := func(p planner.Policy) float64 { return p.(*greedy).rate(a) }
	step := func(k float64) float64 { return math.Pow(k+1, -0.75) }
	w.Round(1, 2, "A", "")
	wantNear(t, "C", rate(p), 1, 1e-6)
	w.Round(2, 2, "", "")
	second := 1 - step(1)
	wantNear(t, "Cu", rate(p), second, 1e-6)
	w.Round(3, 2, "A", "")
	wantNear(t, "CuC", rate(p), second+step(2), 1e-6)
	again, err := New("sa", Settings{Pages: w.Pages, Mode: planner.Stream})
	if err != nil {
		t.Fatal(err)
	}
	w.Planner = planner.New(w.Pages, again, planner.Options{})
	w.Planner.Begin(planner.Round{Number: 4, Start: simtest.At(3), End: simtest.At(4)})
	wantNear(t, "restarted", rate(again), 2./2, 1e-6) // 2/(3+1-2)
	w.Round(5, 2, "", "")                             // one visit in two days, the fourth in all
	wantNear(t, "restarted, u", rate(again), 1-step(3), 1e-6)
	again.Observe(a, sitegraph.VerdictFirst)
	if got := again.(*greedy).scorer.(sa).of[a]; !math.IsNaN(float64(got)) {
		t.Errorf("after a new first copy the rate is %g", got)
	}
}
