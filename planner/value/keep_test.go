package value

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/recrawl/recrawl/estimator/trees"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// learntPolicy has learnt something of each kind.
func learntPolicy(t *testing.T) *handDriven {
	h := newHandDriven(t, "value")
	h.begin(1)
	for p := range sitegraph.PageID(4) {
		h.visit(p, 1, p%2 == 0)
	}
	h.begin(9)
	rng := rand.New(rand.NewPCG(1, 2))
	v := h.policy
	visitsTo(&v.inPlace, rng, 2000, even(rng))
	for i := range v.inPlace.examples {
		e := &v.inPlace.examples[i]
		e.changed = e.row[fDepth] > 0.5
	}
	if !v.inPlace.begin(100, 0) {
		t.Fatal("nothing was learnt in place")
	}
	v.mixture.recall(gains{0.5, -0.5, 0.25, 0, 1})
	v.mixture.servers = []gains{{}, {1, 2, 3, 4, 5}}
	v.trust = effectTrust{corpus: -0.5, servers: []float32{0, 0.25}}
	v.trustInNames = effectTrust{corpus: -0.25, servers: []float32{0.125}}
	v.exploration.rebuilds.probe(1, 2)
	v.calibrator.see(0.7, true, 1000)
	v.price, v.changesPerWorth = 0.4, 0.8
	return h
}

// What was learnt is the same in another process: weights, probabilities, and what it writes again.
func TestLearntOutlivesTheProcess(t *testing.T) {
	h := learntPolicy(t)
	learnt, err := h.policy.Learnt()
	if err != nil {
		t.Fatal(err)
	}
	again := newHandDriven(t, "value")
	if err := again.policy.Recall(learnt); err != nil {
		t.Fatal(err)
	}
	v, w := h.policy, again.policy
	if v.mixture.corpus != w.mixture.corpus || v.mixture.servers[1] != w.mixture.servers[1] ||
		v.price != w.price || v.changesPerWorth != w.changesPerWorth {
		t.Errorf("learnt %+v and %+v", v.mixture, w.mixture)
	}
	for s := range sitegraph.ServerID(2) {
		if a, b := v.trust.of(s), w.trust.of(s); a != b || a == 1 {
			t.Errorf("server %d: a trust of %g, then %g", s, a, b)
		}
		if a, b := v.trustInNames.of(s), w.trustInNames.of(s); a != b || a == 1 {
			t.Errorf("server %d: a trust in names of %g, then %g", s, a, b)
		}
	}
	var row Row
	row[fDepth] = 0.9
	if a, b := v.inPlace.adds(&row), w.inPlace.adds(&row); a != b || a == 0 ||
		v.inPlace.record != w.inPlace.record {
		t.Errorf("the forest adds %g, and %g in another process; %+v, %+v",
			a, b, v.inPlace.record, w.inPlace.record)
	}
	if a, b := v.exploration.rebuilds.ratio(1), w.exploration.rebuilds.ratio(1); a != b {
		t.Errorf("ratio of rebuilds %g, then %g", a, b)
	}
	if next, err := again.policy.Learnt(); err != nil || !bytes.Equal(next, learnt) {
		t.Errorf("written again it is\n%s\nand was\n%s (%v)", next, learnt, err)
	}
	again.begin(1)
	again.visit(3, 1, true)
	again.begin(9)
	c := again.policy.Explain(3, simtest.At(10))
	if len(c.Experts) != int(experts) {
		t.Errorf("%d experts with what was learnt in place, want %d", len(c.Experts), experts)
	}
	// Its parts add up to what is predicted, before that is calibrated.
	sum := c.Start
	for _, x := range c.All {
		if x.Evidence != "what came of probabilities like this one" {
			sum += x.LogOdds
		}
	}
	again.policy.Row(3, simtest.At(10), &row)
	want := logOdds(float64(timesOdds(again.policy.raw(3, &row), again.policy.effect(3))))
	if math.Abs(sum-want) > 1e-3 {
		t.Errorf("log odds of %g are explained by parts that add up to %g", want, sum)
	}
}

// What cannot be is refused and changes nothing; what another version learnt is passed over.
func TestRecallRefuses(t *testing.T) {
	h := learntPolicy(t)
	learnt, err := h.policy.Learnt()
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"no JSON":  learnt[:len(learnt)/2],
		"gain":     bytes.Replace(learnt, []byte(`"corpus":[0.5`), []byte(`"corpus":[5e9`), 1),
		"rebuilds": bytes.Replace(learnt, []byte(`"rebuilt":[2`), []byte(`"rebuilt":[-2`), 1),
		"feature":  bytes.Replace(learnt, []byte(`{"f":36`), []byte(`{"f":99`), 1),
		"features": bytes.Replace(learnt, []byte(`"forest":{"features":48`),
			[]byte(`"forest":{"features":47`), 1),
		"trust": bytes.Replace(learnt, []byte(`"trust":-0.5`), []byte(`"trust":-5`), 1),
		"trust in names": bytes.Replace(learnt, []byte(`"trust_in_names":-0.25`),
			[]byte(`"trust_in_names":-2.5`), 1),
		"probes":     bytes.Replace(learnt, []byte(`"probes":[1`), []byte(`"probes":[-20`), 1),
		"other bin":  bytes.Replace(learnt, []byte(`[1,0.699999`), []byte(`[1,0.199999`), 1),
		"bad weight": bytes.Replace(learnt, []byte(`"outcomes":[[`), []byte(`"outcomes":[[-`), 1),
	} {
		if bytes.Equal(damaged, learnt) {
			t.Fatalf("%s: nothing was damaged", name)
		}
		again := newHandDriven(t, "value")
		if err := again.policy.Recall(damaged); err == nil {
			t.Errorf("%s: no error", name)
		}
		if again.policy.inPlace.forest != nil || again.policy.mixture.learnt() != (gains{}) {
			t.Errorf("%s: something was taken in", name)
		}
	}
	again := newHandDriven(t, "value")
	if err := again.policy.Recall(bytes.Replace(learnt, []byte(`"form":10`), []byte(`"form":9`),
		1)); err != nil || again.policy.inPlace.forest != nil {
		t.Errorf("of another version: %v", err)
	}
}

// FuzzRecall takes anything, and what it takes is written again as it is read.
func FuzzRecall(f *testing.F) {
	f.Add([]byte(`{"form":10}`))
	f.Add([]byte(`{"form":10,"servers":[{"name":"s0.example"}],"outcomes":[[1,0.02,1]]}`))
	f.Fuzz(func(t *testing.T, learnt []byte) {
		h := newHandDriven(t, "value")
		if h.policy.Recall(learnt) != nil {
			return
		}
		once, err := h.policy.Learnt()
		if err != nil {
			t.Fatal(err)
		}
		again := newHandDriven(t, "value")
		if err := again.policy.Recall(once); err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if twice, err := again.policy.Learnt(); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s, then %s: %v", once, twice, err)
		}
	})
}

// A replay does not go by the forest that was learnt before, which may know the visits already.
// After it that forest is back, unless another one was adopted.
func TestReplayGoesOn(t *testing.T) {
	before := learntPolicy(t).policy
	for _, adopts := range []bool{false, true} {
		v := newHandDriven(t, "value").policy
		v.Replay(1000, before)
		if v.inPlace.forest != nil || v.InPlace() != before.InPlace() {
			t.Fatalf("in a replay: a forest %v, %+v", v.inPlace.forest != nil, v.InPlace())
		}
		if adopts {
			v.inPlace.record.Version++
			v.inPlace.adopt(&trees.Forest{Features: Features})
		}
		v.GoOn(before)
		if isBack := v.inPlace.forest == before.inPlace.forest; isBack == adopts {
			t.Errorf("another forest adopted: %v; the one before is back: %v", adopts, isBack)
		}
		if v.price != before.price ||
			v.exploration.rebuilds.ratio(1) != before.exploration.rebuilds.ratio(1) {
			t.Errorf("a price of %g, %+v", v.price, v.exploration.rebuilds)
		}
	}
}
