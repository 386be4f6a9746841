package value

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// tellAll lets a mixture learn from visits to a server, of which each expert thinks as told.
func tellAll(m *mixture, s sitegraph.ServerID, visits int,
	says func(i int) (o opinions, changed bool)) {
	for i := range visits {
		o, changed := says(i)
		w := m.weights(s)
		m.ask(sitegraph.PageID(i), o)
		m.see(sitegraph.PageID(i), s, changed, float32(1/(1+math.Exp(-float64(w.logOdds(&o))))))
	}
}

// The expert that predicts right comes to have nearly all weight, whichever it is; another one that
// knows nothing loses what it had.
func TestMixtureFindsTheExpert(t *testing.T) {
	for right := range experts {
		var m mixture
		rng := rand.New(rand.NewPCG(1, uint64(right)))
		tellAll(&m, 0, 4000, func(int) (o opinions, changed bool) {
			for k := range o {
				o[k] = 4*rng.Float32() - 2
			}
			return o, rng.Float64() < 1/(1+math.Exp(-float64(o[right])))
		})
		w := m.weights(0)
		sum := float32(0)
		for _, x := range w {
			sum += x
		}
		if w[right] < 0.7 || math.Abs(float64(sum-1)) > 1e-5 {
			t.Errorf("%s is right, and has a weight of %.2f of %.2f",
				expertNames[right], w[right], sum)
		}
	}
}

// On a web that stays as it is, an expert who is right comes to have the most weight, though the
// others are hardly wrong; where another one is right from then on, that one does.
func TestMixturePaces(t *testing.T) {
	var m mixture
	rng := rand.New(rand.NewPCG(6, 1))
	// Pages of many servers, so that what is learnt of each is little.
	tell := func(right, visits int) {
		for i := range visits / 10 {
			tellAll(&m, sitegraph.ServerID(i%1000), 10, func(int) (o opinions, changed bool) {
				truth := 2 * rng.NormFloat64()
				for k := range o {
					o[k] = float32(truth + 0.7*rng.NormFloat64())
				}
				o[right] = float32(truth)
				return o, rng.Float64() < 1/(1+math.Exp(-truth))
			})
		}
	}
	tell(expertRates, 40_000)
	w := m.weights(5000)
	if w[expertRates] < 0.6 || m.shares()[paceLong] < 0.9 {
		t.Errorf("who is right has a weight of %.2f, and the long pace of %.2f",
			w[expertRates], m.shares()[paceLong])
	}
	var kept mixture
	kept.recall(m.learnt())
	for k, x := range kept.weights(5000) {
		if math.Abs(float64(x-w[k])) > 1e-4 {
			t.Errorf("%s has a weight of %.4f, and recalled %.4f", expertNames[k], w[k], x)
		}
	}
	tell(expertPooled, 40_000)
	if w := m.weights(5000); w[expertPooled] < w[expertRates] {
		t.Errorf("who is right since has a weight of %.2f, who was before of %.2f",
			w[expertPooled], w[expertRates])
	}
}

// A server where the model is wrong has weights of its own; one without visits those of the corpus;
// and what a server showed is forgotten.
func TestMixtureByServer(t *testing.T) {
	var m mixture
	rng := rand.New(rand.NewPCG(2, 2))
	says := func(right int) func(int) (opinions, bool) {
		return func(int) (o opinions, changed bool) {
			for k := range o {
				o[k] = 4*rng.Float32() - 2
			}
			return o, rng.Float64() < 1/(1+math.Exp(-float64(o[right])))
		}
	}
	for range 20 {
		tellAll(&m, 0, 50, says(expertModel))
		tellAll(&m, 1, 50, says(expertPooled))
	}
	of := func(s sitegraph.ServerID, expert int) float32 { w := m.weights(s); return w[expert] }
	if of(0, expertModel) < 1.2*of(1, expertModel) ||
		of(1, expertPooled) < 1.2*of(0, expertPooled) {
		t.Errorf("weights of servers: %.2f and %.2f", m.weights(0), m.weights(1))
	}
	if m.weights(7) != m.weights(8) {
		t.Error("servers without visits differ")
	}
	before := of(1, expertPooled)
	tellAll(&m, 1, 400, says(expertModel))
	if after := of(1, expertPooled); after > 0.9*before {
		t.Errorf("a server that became another one keeps a weight of %.2f, of %.2f", after, before)
	}
}

// Whatever is told, weights stay numbers above 0, and an outcome that nobody asked for changes
// nothing.
func TestMixtureIsBounded(t *testing.T) {
	var m mixture
	extreme := float32(math.Log(math.Expm1(6)))
	tellAll(&m, 3, 100_000, func(i int) (opinions, bool) {
		return opinions{extreme, -9.2, extreme, -9.2}, i%2 == 0
	})
	tellAll(&m, 3, 100_000, func(int) (opinions, bool) {
		return opinions{extreme, -9.2, extreme, -9.2}, true
	})
	for k, x := range m.weights(3) {
		if !(x >= 0 && x <= 1) {
			t.Errorf("%s has a weight of %g", expertNames[k], x)
		}
	}
	before := m.weights(3)
	m.see(5, 3, true, 0.1)
	if m.weights(3) != before {
		t.Error("an outcome that nobody asked for moved weights")
	}
	if len(m.asked) != 0 {
		t.Errorf("%d pages are still asked for", len(m.asked))
	}
}

// 1970-01-01 was a Thursday: days 2 to 4 are the first weekend.
func TestWeekends(t *testing.T) {
	for _, c := range []struct{ from, to, share float32 }{
		{0, 2, 0}, {2, 4, 1}, {1, 3, 0.5}, {0, 7, 2.0 / 7}, {4, 9, 0}, {9, 10, 1},
		{100, 121, 2.0 / 7}, {5, 5, 0}, {3.5, 4.5, 0.5},
	} {
		if got := weekendShare(c.from, c.to); math.Abs(float64(got-c.share)) > 1e-5 {
			t.Errorf("from %g to %g: %g, want %g", c.from, c.to, got, c.share)
		}
	}
}

// The changes expected are those of the prior where nothing was seen, those seen where much was,
// grow with age, and know no unit of time.
func TestExpectedChanges(t *testing.T) {
	const rate = 0.01
	if got := expectedChanges(0, 0, rate, 0.01); math.Abs(float64(got)-rate*0.01) > 1e-6 {
		t.Errorf("%g expected of a page never visited again, want %g", got, rate*0.01)
	}
	if got := expectedChanges(10_000, 10_000, rate, 0.5); math.Abs(float64(got)-0.5) > 0.02 {
		t.Errorf("%g expected of a page that changes daily, want 0.5", got)
	}
	last := float32(0)
	for age := float32(1); age < 1000; age *= 2 {
		x := expectedChanges(3, 40, rate, age)
		if slow := expectedChanges(3, 400, rate/10,
			10*age); math.Abs(float64(x-slow)) > 1e-4*float64(x) {
			t.Errorf("%g, and %g at a tenth of the pace", x, slow)
		}
		if !(x > last) {
			t.Errorf("%g after %g days, %g before", x, age, last)
		}
		last = x
	}
}

// What is explained in a stream names each expert with its weight; a sweep has one alone.
func TestExplainTellsExperts(t *testing.T) {
	h := newHandDriven(t, "value")
	h.begin(1)
	h.visit(3, 1, true)
	h.begin(9)
	c := h.policy.Explain(3, simtest.At(10))
	sum := 0.0
	for i, x := range c.Experts {
		sum += x.Weight
		want := firstWeights.withoutInPlace()[i] // nothing was learnt in place yet
		if x.Name != expertNames[i] || x.Weight != float64(want) ||
			!(x.Probability > 0 && x.Probability < 1) {
			t.Errorf("expert %+v, want %s with a weight of %g", x, expertNames[i], want)
		}
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("weights add up to %g", sum)
	}
	h.policy.Mode = planner.Sweep
	if c := h.policy.Explain(3, simtest.At(10)); len(c.Experts) != 0 {
		t.Errorf("%d experts of a sweep", len(c.Experts))
	}
}

// Weights stay numbers whatever was gained, and those of the others add up to 1 where what was
// learnt in place has all the weight.
func TestWeightsOfExtremeGains(t *testing.T) {
	for _, m := range []mixture{
		{corpus: [paces]gains{{expertInPlace: 30}, {expertInPlace: 30}}},
		{corpus: [paces]gains{{expertInPlace: 99}, {}}, servers: []gains{{expertInPlace: 99}}},
		{corpus: [paces]gains{{99, 99}, {99, 99}}, servers: []gains{{99, 99}}},
		{corpus: [paces]gains{{-99, -99, -99, -99, -99}, {99}},
			servers: []gains{{-99, -99, -99, -99, -99}}},
	} {
		w := m.weights(0)
		if mean := w.others(&opinions{2, 2, 2, 2, -5}); math.Abs(float64(mean)-2) > 1e-3 {
			t.Errorf("gains %v: others who agree on 2 say %g", m.corpus, mean)
		}
		sum := float32(0)
		for _, x := range w.withoutInPlace() {
			sum += x
		}
		if math.Abs(float64(sum)-1) > 1e-3 {
			t.Errorf("gains %v: without what was learnt in place weights add up to %g",
				m.corpus, sum)
		}
	}
}
