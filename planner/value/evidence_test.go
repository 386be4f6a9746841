package value

import (
	"math"
	"math/rand/v2"
	"testing"
)

// simulatedGroup is a group of pages that change by a Poisson process of a rate, all of them on
// rebuilds too, and are visited at random; after so many days.
func simulatedGroup(seed uint64, pages int, rate float64, days int, perDay float64,
	rebuilds ...int) *evidence {
	rng := rand.New(rand.NewPCG(seed, 4))
	e := &evidence{pages: int32(pages), observed: new(observed)}
	last := make([]int, pages)
	changed := make([]int, pages) // day of the last change
	for p := range changed {
		changed[p] = -1
	}
	for day := 1; day <= days; day++ {
		for p := range pages {
			if rng.Float64() < rate {
				changed[p] = day
			}
			for _, r := range rebuilds {
				if r == day {
					changed[p] = day
				}
			}
			if rng.Float64() < perDay {
				e.observe(float32(last[p]), float32(day), changed[p] > last[p], e.rate(defaultRate))
				last[p] = day
			}
		}
	}
	return e
}

// What is expected of a group that changes evenly is what its looks saw in a day, times the days,
// whenever one begins.
func TestEvidenceOfEvenChange(t *testing.T) {
	for _, rate := range []float64{0.005, 0.02, 0.1} {
		const days, runs = 150, 60
		for _, back := range []float32{5, 20, 60} {
			sum, want := 0.0, 0.0
			for seed := range uint64(runs) {
				e := simulatedGroup(seed, 60, rate, days, 0.08)
				sum += float64(e.since(days-back, days, e.rate(defaultRate)).mass) / runs
				want += float64(e.changes/e.days*back) / runs // of which a look sees one at most
			}
			if sum < 0.7*want || sum > 1.4*want {
				t.Errorf("rate %g, %g days: %.3f changes expected, want %.3f",
					rate, back, sum, want)
			}
		}
	}
}

// A day on which all pages change stands out: copies from before it have changed for sure, and
// copies from after it have not.
func TestEvidenceOfRebuild(t *testing.T) {
	for seed := range uint64(10) {
		e := simulatedGroup(seed, 80, 0.002, 100, 0.06, 85)
		rate := e.rate(defaultRate)
		before, after := e.since(80, 100, rate), e.since(90, 100, rate)
		if before.mass < 0.6 || after.mass > 0.3 {
			t.Errorf("seed %d: %.2f changes expected of copies from before the rebuild, %.2f after",
				seed, before.mass, after.mass)
		}
		if share := before.changed / before.visits; share < 0.45 {
			t.Errorf("seed %d: a share of %.2f of the looks since then saw it", seed, share)
		}
	}
}

// The sums that are kept give what adding up the spans gives, and spans stay few and in order.
func TestEvidenceSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for seed := range uint64(30) {
		e := simulatedGroup(seed, 20, 0.03, 30+rng.IntN(200), 0.1)
		if len(e.spans) > maxSpans {
			t.Fatalf("%d spans", len(e.spans))
		}
		looks := float32(0)
		for i, s := range e.spans {
			if i > 0 && s.end <= e.spans[i-1].end || s.cover < 0 || s.mass < 0 ||
				s.changed > s.visits {
				t.Fatalf("span %d of %v", i, e.spans)
			}
			looks += s.visits
		}
		if looks != e.visits {
			t.Errorf("%g looks in the spans, %g were made", looks, e.visits)
		}
		rate, now := e.rate(defaultRate), e.spans[len(e.spans)-1].end+float32(rng.IntN(5))
		for range 40 {
			from := e.start - 5 + rng.Float32()*(now-e.start+5)
			e.pages = manyPages - 1
			got, want := e.since(from, now, rate), addedUp(e, from, now, rate)
			e.pages = manyPages
			if kept := e.since(from, now, rate); kept != got {
				t.Fatalf("seed %d, since %g: %+v by sums that are kept, %+v without",
					seed, from, kept, got)
			}
			for _, x := range [][2]float32{{got.mass, want.mass}, {got.visits, want.visits},
				{got.changed, want.changed}} {
				if math.Abs(float64(x[0]-x[1])) > 1e-3*(1+math.Abs(float64(x[1]))) {
					t.Fatalf("seed %d, since %g: %+v, want %+v", seed, from, got, want)
				}
			}
		}
	}
}

// addedUp is since, span by span.
func addedUp(e *evidence, from, now, rate float32) (s since) {
	for i, p := range e.spans {
		begin := e.begin(i)
		if p.end <= from {
			continue
		}
		part := (p.end - max(from, begin)) / (p.end - begin)
		s.mass += part * (p.mass + priorVisits*rate*(p.end-begin)) / (p.cover + priorVisits)
		s.visits += part * p.visits
		s.changed += part * p.changed
	}
	s.mass += rate * max(now-max(from, e.spans[len(e.spans)-1].end), 0)
	s.mass += rate * max(e.start-from, 0)
	return s
}

// The peak is that of all stretches of spans, tried one by one.
func TestEvidencePeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for seed := range uint64(40) {
		e := simulatedGroup(seed, 30, 0.02, 20+rng.IntN(120), 0.08, 15)
		rate := e.rate(defaultRate)
		from, days := rng.Float32()*60, 1+rng.Float32()*15
		want := float32(0)
		for a := range e.spans {
			mass := float32(0)
			for b := a; b < len(e.spans); b++ {
				mass += e.spans[b].level(e.spans[b].end-e.begin(b), rate)
				if e.spans[a].end > from && e.begin(a) >= e.spans[b].end-days {
					want = max(want, mass)
				}
			}
		}
		if got := e.peak(from, days, rate); math.Abs(float64(got-want)) > 1e-4 {
			t.Errorf("seed %d: after %g, in %g days: %g, want %g", seed, from, days, got, want)
		}
	}
}

// Looks at older and older copies, later and later, add a span at either end each time.
func TestEvidenceGrowsAtBothEnds(t *testing.T) {
	e := evidence{observed: new(observed)}
	for i := range 100 {
		e.observe(1000-float32(i), 1001+float32(i), i%3 == 0, 0.01)
		if len(e.spans) > maxSpans {
			t.Fatalf("%d spans after %d looks, want at most %d", len(e.spans), i+1, maxSpans)
		}
	}
	if s := e.since(900, 1101, 0.01); s.visits < 99 || s.changed != 34 {
		t.Errorf("%g looks, of which %g saw a change, want 100 and 34", s.visits, s.changed)
	}
}
