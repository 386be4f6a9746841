package tune

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner/budget"
)

// counter counts the steps of a bar.
type counter struct{ total, done, ended atomic.Int64 }

func (c *counter) Step()               { c.done.Add(1) }
func (c *counter) StepOf(string, bool) { c.done.Add(1) }
func (c *counter) End()                { c.ended.Add(1) }

// TestProgressIsOne checks that any prediction has one bar, whose steps are complete at the end and
// never more. The current budget is one of the predicted ones.
func TestProgressIsOne(t *testing.T) {
	servers := synthetic(t)[:6]
	m := learn(t, servers, 12)
	target, err := ParseTarget("coverage=0.4")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Request{
		"curve": {Budgets: []budget.Pace{{Share: 0.02}, {Share: 0.2}, {PerDay: 3}},
			Delay: 10 * time.Second},
		"target": {Budgets: []budget.Pace{{Share: 0.02}, {Share: 0.2}}, Delay: time.Second,
			Target: target},
		"check": {Budgets: []budget.Pace{{Share: 0.02}}, Check: servers},
		"budget in force": {Budgets: []budget.Pace{{Share: 0.02}, {Share: 0.2}},
			Delay: 20 * time.Hour, InForce: 7},
	} {
		bars := []*counter{}
		r.Progress = func(_ string, steps int) Bar {
			c := &counter{}
			c.total.Store(int64(steps))
			bars = append(bars, c)
			return c
		}
		p, err := Predict(t.Context(), Evidence{Name: "histories", Source: m},
			Options{Policy: "interval", Base: 12, Weeks: 4, New: 0.25, Sample: 1, Futures: 2,
				Seed: 1}, r)
		if err != nil {
			t.Fatal(name, err)
		}
		if len(bars) != 1 || bars[0].ended.Load() != 1 ||
			bars[0].done.Load() != bars[0].total.Load() {
			t.Errorf("%s: %d bars, the first of %d steps, %d done", name, len(bars),
				bars[0].total.Load(), bars[0].done.Load())
		}
		if r.InForce == 0 && p.InForce != nil || r.InForce > 0 &&
			(p.InForce == nil || float64(p.InForce.PerDay) < 6.99 ||
				float64(p.InForce.PerDay) > 7.01) {
			t.Errorf("%s: in force %+v", name, p.InForce)
		}
	}
}

// TestOneServerOneFuture checks that one future of one server has no interval; of several there is
// one over them.
func TestOneServerOneFuture(t *testing.T) {
	for futures, want := range map[int]bool{1: false, 3: true} {
		o := Options{Policy: "interval", Base: 12, Weeks: 4, New: 0.25, Sample: 1,
			Futures: futures, Seed: 1}
		f, points := predict(t, learn(t, synthetic(t)[:1], 12), o, []float64{0.5})
		for _, r := range []Range{f.PerDay, points[0].Freshness} {
			if got := r.Low <= r.High; got != want {
				t.Errorf("%d futures: %+v", futures, r)
			}
		}
	}
}
