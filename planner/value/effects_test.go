package value

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
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
		{1000, 1000, 1, mostEffect},    // bounds
		{1000, 0, 999, 1.0 / mostEffect},
		// much is seen: the ratio of the odds, 1 and 1/3
		{100_000, 50_000, 25_000, 3 * 50002. / 50006},
	} {
		if got := (counts{visits: c.looks, changed: c.changed, expected: c.expected}).ratio(
			serverPrior); !near(got, c.want, 1e-3*float64(c.want)) {
			t.Errorf("%g of %g changed, %g expected: factor %g, want %g",
				c.changed, c.looks, c.expected, got, c.want)
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

// Visits before a moment do not count, those after it do, as far back as spans tell: of days lately
// exactly, of long ago to within the length of a span. Nothing is lost, and memory is bounded,
// however visits come.
func TestFrailtySpans(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, perDay := range []int{1, 30} { // at the days' ends, or all day long
		var f tally
		var looks []counts
		for d := range 300 {
			for i := range perDay {
				at := float32(20000+d) + float32(i+1)/float32(perDay)
				expected := rng.Float32()
				changed := rng.Float32() < 0.7
				f.see(at-instant, at, 1, changed, expected, nil)
				e := counts{end: at, visits: 1, expected: expected}
				if changed {
					e.changed = 1
				}
				looks = append(looks, e)
			}
			if len(f.spans) > tallySpans {
				t.Fatalf("%d spans", len(f.spans))
			}
		}
		after := func(t float32) (all counts) {
			for _, e := range looks {
				if e.end > t {
					all.visits += e.visits
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
				tolerance = 0.3 * float64(want.visits)
			}
			if perDay > 1 { // a span may end some hours from a day's end
				tolerance += 0.05 * float64(want.visits)
			}
			tolerance += 1e-3 * float64(want.visits)
			if !near(got.visits, want.visits, tolerance) ||
				!near(got.changed, want.changed, tolerance) ||
				!near(got.expected, want.expected, tolerance) {
				t.Errorf("%d a day, the last %g days: %+v, want %+v", perDay, age, got, want)
			}
		}
	}
	var f tally
	f.see(9.9, 10, 1, true, 0.5, nil)
	f.see(9.4, 9.5, 1, true, 0.25, nil) // told late
	if got := f.since(9.9); got.visits <= 0 || f.since(0).visits != 2 {
		t.Errorf("of two looks, one of them told late: %+v, %+v", got, f.since(0))
	}
}

// After a server was rebuilt, visits go on to find pages that nobody visited since. That lifts
// those whose copies are from before it, and not those that were visited after it.
func TestFrailtyOfTheDaysThatWereRebuilt(t *testing.T) {
	const begin, rebuilt, now, daily, rate = 100, 150, 180, 5, 0.001
	group := &evidence{observed: new(observed)}
	var f tally
	visits, changes := 0, 0
	see := func(from, to float32, changed bool, expected float32) {
		group.observe(from, to, changed, rate)
		f.see(from, to, 1, changed, expected, func(from, after, to float32) float32 {
			return group.part(from, after, to, rate)
		})
		if visits++; changed {
			changes++
		}
	}
	for day := float32(begin); day < now; day++ {
		for range daily {
			see(day-1, day, day == rebuilt, 0.01)
		}
		if day >= rebuilt { // a page whose copy is old
			see(begin-10, day, true, 0.1)
		}
	}
	before, after := f.since(rebuilt-10).ratio(serverPrior), f.since(rebuilt+15).ratio(serverPrior)
	if before < 3 || after > 1 {
		t.Errorf("odds of pages visited before it: times %.3g, of those visited two weeks after "+
			"it: times %.3g", before, after)
	}
	if all := f.since(0); !near(all.visits, float32(visits), 1e-2) ||
		!near(all.changed, float32(changes), 1e-2) {
		t.Errorf("%+v of %d visits, %d of which found a change", all, visits, changes)
	}
}

// Of a shape counts what its server does not explain, by hand; both are bounded together.
func TestFrailtyOfBoth(t *testing.T) {
	all := counts{visits: 4, changed: 4, expected: 0.4}
	none := counts{visits: 4, changed: 0, expected: 0.4}
	const server = 6 / 2.4 * 5.6 / 2                              // 7: a mean of 0.1 becomes 7/16
	const shape = 8 / 5.75 * 6.25 / 4                             // 4 of 1.75
	const alone, against = 8 / 4.4 * 7.6 / 4, 4 / 5.75 * 6.25 / 8 // of 0.4, and none of 1.75
	for _, c := range []struct {
		beyond       effects
		server, both float32
	}{
		{effects{}, 1, 1},
		{effects{server: all}, server, server},
		{effects{shape: all}, 1, alone},
		{effects{server: all, shape: all}, server, server * shape},
		{effects{server: all, shape: none}, server, server * against},
		{effects{server: counts{visits: 100, changed: 100, expected: 1},
			shape: counts{visits: 50, changed: 50, expected: 0.5}}, mostEffect, mostEffect},
	} {
		c.beyond.trust = 1
		server, both := c.beyond.factors()
		if !near(server, c.server, 1e-3) || !near(both, c.both, 1e-3) || c.beyond.total() != both {
			t.Errorf("%+v: factors %g and %g, want %g and %g",
				c.beyond, server, both, c.server, c.both)
		}
	}
}

// The reason names the larger of both factors, if they are worth saying.
func TestReasonOfFrailty(t *testing.T) {
	server, shape := counts{visits: 10, changed: 3, expected: 2},
		counts{visits: 8, changed: 8, expected: 0.8}
	grown := float64(shape.visits * timesOdds(0.1, server.ratio(serverPrior)))
	for _, c := range []struct {
		beyond effects
		want   string // "": none
	}{
		{effects{server: server, shape: shape}, fmt.Sprintf("of 8 visits to addresses like its "+
			"own since its last, 8 saw a change, where %g were expected",
			math.Round(100*grown)/100)},
		{effects{server: server}, ""},
		{effects{server: counts{visits: 300, changed: 200, expected: 100}},
			"of 300 visits to its server since its last, 200 saw a change, where 100 were expected"},
		{effects{server: counts{visits: 300, changed: 20, expected: 100}}, ""},
		{effects{server: counts{visits: 5000, changed: 2500, expected: 1200.5}},
			"of 5000 visits to its server since its last, 2500 saw a change, where 1200.5 were " +
				"expected"},
		// Where the product is bounded, too.
		{effects{server: counts{visits: 30, changed: 15, expected: 3},
			shape: counts{visits: 15, changed: 15, expected: 1.5}},
			"of 15 visits to addresses like its own since its last, 15 saw a change, where 5.88 " +
				"were expected"},
	} {
		c.beyond.trust = 1
		if reason, said := c.beyond.reason(); reason.String() != c.want || said != (c.want != "") {
			t.Errorf("%+v: %v, %q, want %q", c.beyond, said, reason, c.want)
		}
	}
}

// What pages of a shape showed counts for its other pages more than for the rest of the server;
// shapes of a few pages have none of their own, and variants without one of the groups go by the
// other alone.
func TestFrailtyOfShapes(t *testing.T) {
	var paths []string
	for i := range manyPages {
		// names without words, so that there are no namesakes
		paths = append(paths, fmt.Sprintf("news/%d.html", i), fmt.Sprintf("docs/%d/1.html", i))
	}
	for i := range 8 {
		paths = append(paths, fmt.Sprintf("few/%d.html", i))
	}
	for _, variant := range []string{"value", "value-shape", "value-server", "value-effects"} {
		h := newHandDrivenOn(t, variant, paths)
		h.begin(100)
		of := map[string][]sitegraph.PageID{}
		for _, p := range h.corpus.Graph.ServerPages(0) {
			section, _, _ := strings.Cut(strings.TrimPrefix(h.corpus.Graph.URL(p),
				"http://s0.example/"), "/")
			of[section] = append(of[section], p)
		}
		for i := range 4 {
			for _, section := range []string{"news", "few"} {
				p := of[section][i]
				h.policy.scores[p].raw = 0.1
				h.visit(p, 100, section == "news")
			}
		}
		h.begin(101)
		h.policy.trust = effectTrust{} // whatever these visits told
		odds := func(section string) float32 { return h.policy.effect(of[section][6]) }
		server := counts{visits: 8, changed: 4, expected: 0.8}
		shape := counts{visits: 4, changed: 4, expected: 0.4}
		var want, rest float32
		switch variant {
		case "value":
			want, rest = effects{server, shape, 1}.total(),
				effects{server: server, trust: 1}.total()
		case "value-shape":
			want, rest = effects{server: server, trust: 1}.total(),
				effects{server: server, trust: 1}.total()
		case "value-server":
			want, rest = effects{shape: shape, trust: 1}.total(), 1
		default:
			want, rest = 1, 1
		}
		if visited, other := h.policy.effect(of["news"][0]),
			h.policy.effect(h.corpus.Graph.ServerPages(1)[6]); visited != 1 || other != 1 {
			t.Errorf("%s: factor %g of a page visited then, %g of one of another server",
				variant, visited, other)
		}
		row := Row{fAge: 5}
		reason := h.policy.reason(of["news"][6], &row).String()
		if reasons := map[string]string{
			"value": "of 8 visits to its server since its last, 4 saw a change, where 0.8 were " +
				"expected", "value-shape": "of 8 visits to its server since its last, 4 saw a " +
				"change, where 0.8 were expected",
			"value-server": "of 4 visits to addresses like its own since its last, 4 saw a " +
				"change, where 0.4 were expected",
		}; reasons[variant] != "" && reason != reasons[variant] || reasons[variant] == "" &&
			strings.Contains(reason, "where") {
			t.Errorf("%s: visited because %s, want %q", variant, reason, reasons[variant])
		}
		var b batch // of pages last visited at once
		for _, section := range []string{"news", "docs", "few"} {
			b.add(of[section][6])
		}
		h.policy.rateAll(&b)
		for _, p := range b.all() {
			got := h.policy.scores[p]
			if h.policy.rate(p); h.policy.scores[p] != got {
				t.Errorf("%s: %s is worth %v among others, %v alone",
					variant, h.corpus.Graph.URL(p), got, h.policy.scores[p])
			}
		}
		if got := odds("news"); !near(got, want, 1e-3) {
			t.Errorf("%s: factor %g of the shape that changed, want %g", variant, got, want)
		}
		for _, section := range []string{"docs", "few"} {
			if got := odds(section); !near(got, rest, 1e-3) {
				t.Errorf("%s: factor %g of %s, want %g", variant, got, section, rest)
			}
		}
	}
}

// Where visits to a server find more than was expected of them, its other pages count as likelier,
// those of other servers do not, nor do pages visited after; the variant without it does not know.
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
		h.policy.trust = effectTrust{} // whatever these visits told
		return h.policy.effect(pages[6]), h.policy.effect(h.corpus.Graph.ServerPages(1)[6]),
			h.policy.effect(pages[1])
	}
	if same, other, visited := of("value", 0.1); !near(same, 6/2.4*5.6/2, 1e-3) || other != 1 ||
		visited != 1 {
		t.Errorf("factor %g of the server, %g of the other, %g of a page visited then",
			same, other, visited)
	}
	if same, _, _ := of("value", 0.999); !near(same, 1, 0.01) {
		t.Errorf("factor %g where all was expected", same)
	}
	for _, variant := range []string{"value-effects", "value-server"} {
		if same, _, _ := of(variant, 0.1); same != 1 {
			t.Errorf("%s: factor %g", variant, same)
		}
	}
}

// What a server showed counts in scores, in what a visit says of itself, in when a page is due, and
// in what outcomes surprise.
func TestFrailtyCounts(t *testing.T) {
	due := map[string]float64{}
	for _, variant := range []string{"value", "value-effects"} {
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
		s, factor := v.scores[p], v.effect(p)
		probability := v.calibrator.of(timesOdds(s.raw, factor))
		if got, want := s.worth, probability*v.weight(p); !near(got, want, 1e-6) ||
			!near(float32(v.visit(p).Probability), probability, 1e-6) {
			t.Errorf("%s: worth %g, want %g; a visit at %g, want %g",
				variant, got, want, v.visit(p).Probability, probability)
		}
		if grew := factor > 2 &&
			float64(s.worth) > 1.2*float64(s.raw); grew != (variant == "value") {
			t.Errorf("%s: factor %g, raw %g, worth %g", variant, factor, s.raw, s.worth)
		}
		v.price = 0.999
		_, wait := v.Due(p, simtest.At(101))
		due[variant] = wait.Hours()

		before := v.groups.servers[0].tally.since(0)
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
		if got := v.groups.servers[0].tally.since(0).expected - before.expected; !near(got, 0.25,
			1e-4) {
			t.Errorf("%s: of the visit %g is expected, want 0.25, before the factor", variant, got)
		}
	}
	if due["value"] > due["value-effects"] {
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
	if all := h.policy.groups.servers[0].tally.since(0); all.visits != visits ||
		!near(all.expected, sum, 1e-4) {
		t.Errorf("expected %g of %g visits, want %g of %g", all.expected, all.visits, sum, visits)
	}
}

// Where what visits to a server showed tells nothing of its other pages, it comes to be trusted
// little, there first; where it tells, it stays.
func TestEffectTrust(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var noise, rebuilt effectTrust
	for range 600 {
		factor := float32(math.Exp(3 * (rng.Float64() - 0.5)))
		believed := timesOdds(0.3, power(factor, noise.of(2)))
		noise.see(2, rng.Float64() < 0.3, believed, factor)
		likely := timesOdds(0.3, factor)
		rebuilt.see(2, rng.Float64() < float64(likely),
			timesOdds(0.3, power(factor, rebuilt.of(2))), factor)
	}
	if here, elsewhere := noise.of(2), noise.of(3); here > 0.4 || elsewhere > 0.8 ||
		here > elsewhere {
		t.Errorf("chance is trusted %g here and %g elsewhere", here, elsewhere)
	}
	if got := rebuilt.of(2); got < 0.7 {
		t.Errorf("what tells is trusted %g", got)
	}
	for range 10_000 {
		noise.see(2, true, 0, mostEffect)
	}
	if got := noise.of(2); !(got >= 0 && got <= mostTrust) {
		t.Errorf("trust %g", got)
	}
}
