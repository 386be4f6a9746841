package planner

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b float32, tolerance float64) bool { return math.Abs(float64(a-b)) <= tolerance }

// The factor by hand, and at its ends.
func TestFrailtyFactor(t *testing.T) {
	for _, c := range []struct {
		looks, changed, expected, want float32
	}{
		{0, 0, 0, 1},
		{10, 4, 4, 1},                  // as expected
		{3, 3, 0.3, 5 / 2.3 * 4.7 / 2}, // all changed where a tenth was expected
		{3, 0, 2.7, 2 / 4.7 * 2.3 / 5}, // and the other way about
		{10, 1, 2, 3. / 4 * 10 / 11},   // somewhat fewer
		{1000, 1000, 1, mostFrailty},   // bounds
		{1000, 0, 999, 1.0 / mostFrailty},
		{100_000, 50_000, 25_000, 3 * 50002. / 50006}, // much is seen: the ratio of the odds, 1 and 1/3
	} {
		if got := (expectations{looks: c.looks, changed: c.changed, expected: c.expected}).factor(); !near(got, c.want, 1e-3*float64(c.want)) {
			t.Errorf("%g of %g changed, %g expected: factor %g, want %g", c.changed, c.looks, c.expected, got, c.want)
		}
	}
	for _, p := range []float32{0, 0.2, 0.5, 1} {
		if got := timesOdds(p, 1); got != p {
			t.Errorf("odds of %g times 1: %g", p, got)
		}
	}
	if got := timesOdds(0.5, 3); !near(got, 0.75, 1e-6) {
		t.Errorf("odds of 1 times 3: %g, want 0.75", got)
	}
}

// Visits before a moment do not count, those after it do, as far back as spans tell: of days lately exactly, of long ago to
// within the length of a span. Nothing is lost, and memory is bounded, however visits come.
func TestFrailtySpans(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, perDay := range []int{1, 30} { // at the days' ends, or all day long
		var f frailty
		var looks []expectations
		for d := range 300 {
			for i := range perDay {
				at := float32(20000+d) + float32(i+1)/float32(perDay)
				expected := rng.Float32()
				changed := rng.Float32() < 0.7
				f.see(at, changed, expected)
				e := expectations{end: at, looks: 1, expected: expected}
				if changed {
					e.changed = 1
				}
				looks = append(looks, e)
			}
			if len(f.spans) > frailtySpans {
				t.Fatalf("%d spans", len(f.spans))
			}
		}
		after := func(t float32) (all expectations) {
			for _, e := range looks {
				if e.end > t {
					all.looks += e.looks
					all.changed += e.changed
					all.expected += e.expected
				}
			}
			return all
		}
		for _, age := range []float32{0, 1, 2, 3, 10, 50, 200, 1000} {
			got, want := f.since(20300-age), after(20300-age)
			tolerance := 0.0
			if age > 2 && age < 300 {
				tolerance = 0.3 * float64(want.looks)
			}
			if perDay > 1 { // a span may end some hours from a day's end
				tolerance += 0.05 * float64(want.looks)
			}
			tolerance += 1e-3 * float64(want.looks)
			if !near(got.looks, want.looks, tolerance) || !near(got.changed, want.changed, tolerance) || !near(got.expected, want.expected, tolerance) {
				t.Errorf("%d a day, the last %g days: %+v, want %+v", perDay, age, got, want)
			}
		}
	}
	var f frailty
	f.see(10, true, 0.5)
	f.see(9.5, true, 0.25) // told late
	if got := f.since(9.9); got.looks <= 0 || f.since(0).looks != 2 {
		t.Errorf("of two looks, one of them told late: %+v, %+v", got, f.since(0))
	}
}

// Where visits to a server find more than was expected of them, its other pages count as likelier, those of other servers
// do not, nor do pages visited after; the variant without it does not know.
func TestFrailtyReachesPages(t *testing.T) {
	of := func(variant string, expected float32) (same, other, visited float32) {
		h := newHandDriven(t, variant)
		h.begin(100)
		pages := h.corpus.Graph.ServerPages(0)
		for _, p := range pages[1:5] {
			h.policy.scores[p].raw = expected
			h.visit(p, 100, true)
		}
		h.begin(101)
		return h.policy.frailty(pages[6]), h.policy.frailty(h.corpus.Graph.ServerPages(1)[6]), h.policy.frailty(pages[1])
	}
	if same, other, visited := of("value", 0.1); !near(same, 6/2.4*5.6/2, 1e-3) || other != 1 || visited != 1 {
		t.Errorf("factor %g of the server, %g of the other, %g of a page visited then", same, other, visited)
	}
	if same, _, _ := of("value", 0.999); !near(same, 1, 0.01) {
		t.Errorf("factor %g where all was expected", same)
	}
	for _, variant := range []string{"value-frailty", "value-server"} {
		if same, _, _ := of(variant, 0.1); same != 1 {
			t.Errorf("%s: factor %g", variant, same)
		}
	}
}

// What a server showed counts in scores, in what a visit says of itself, in when a page is due, and in what outcomes surprise.
func TestFrailtyCounts(t *testing.T) {
	due := map[string]float64{}
	for _, variant := range []string{"value", "value-frailty"} {
		h := newHandDriven(t, variant)
		v := h.policy
		h.begin(100)
		pages := h.corpus.Graph.ServerPages(0)
		for _, p := range pages[1:5] {
			v.scores[p].raw = 0.1
			h.visit(p, 100, true)
		}
		h.begin(101)
		p := pages[6]
		v.rate(p)
		s, factor := v.scores[p], v.frailty(p)
		probability := v.calibrator.of(timesOdds(s.raw, factor))
		if got, want := s.worth, probability*v.weight(p); !near(got, want, 1e-6) || !near(float32(v.visit(p).Probability), probability, 1e-6) {
			t.Errorf("%s: worth %g, want %g; a visit at %g, want %g", variant, got, want, v.visit(p).Probability, probability)
		}
		if grew := factor > 2 && float64(s.worth) > 1.2*float64(s.raw); grew != (variant == "value") {
			t.Errorf("%s: factor %g, raw %g, worth %g", variant, factor, s.raw, s.worth)
		}
		v.price = 0.999
		_, wait := v.Due(p, at(101))
		due[variant] = wait.Hours()

		before := v.news[0].frailty.since(0)
		v.scores[p].raw = 0.25
		expected := timesOdds(0.25, factor)
		given := func() (sum float64) {
			for _, b := range v.calibrator.outcomes.bins {
				sum += b.given
			}
			return sum
		}
		known := given()
		h.visit(p, 101, true)
		if got := float32(given() - known); !near(got, expected, 1e-4) {
			t.Errorf("%s: the calibrator is told of %g, want %g", variant, got, expected)
		}
		if got := v.news[0].frailty.since(0).expected - before.expected; !near(got, 0.25, 1e-4) {
			t.Errorf("%s: of the visit %g is expected, want 0.25, before the factor", variant, got)
		}
	}
	if due["value"] > due["value-frailty"] {
		t.Errorf("due in hours: %v", due)
	}
}

// What is expected of a visit is its probability before the factor, at the time of the visit.
func TestFrailtyExpects(t *testing.T) {
	h := newHandDriven(t, "value")
	h.begin(50)
	visits, sum := float32(0), float32(0)
	for _, p := range h.corpus.Graph.ServerPages(0)[1:] {
		visits, sum = visits+1, sum+h.policy.scores[p].raw
		h.visit(p, 50, p%2 == 0)
	}
	if all := h.policy.news[0].frailty.since(0); all.looks != visits || !near(all.expected, sum, 1e-4) {
		t.Errorf("expected %g of %g visits, want %g of %g", all.expected, all.looks, sum, visits)
	}
}
