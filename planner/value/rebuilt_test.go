package value

import (
	"math/rand/v2"
	"testing"
)

// Probes that lead to nothing are taken to be worth less and less, here and, less so, elsewhere;
// those that lead to rebuilds stay.
func TestRebuildsLearn(t *testing.T) {
	var waste, good rebuilds
	if r := waste.ratio(7); r != 1 {
		t.Fatalf("ratio %g before any probe", r)
	}
	for range 100 {
		waste.probe(3, 0.2)
		good.probe(3, 0.2)
		good.follow(3, true, 0)
		good.follow(3, true, 0)
		good.begin()
	}
	if here, elsewhere := waste.ratio(3), waste.ratio(4); here > 0.05 || elsewhere > 0.2 ||
		here > elsewhere {
		t.Errorf("after 20 rebuilds that did not come: %g here, %g elsewhere", here, elsewhere)
	}
	if here := good.ratio(3); here < 3 {
		t.Errorf("after 100 rebuilds where 20 were expected: %g", here)
	}
}

// The first two probes that follow tell, and each once a round.
func TestRebuildsFollow(t *testing.T) {
	for _, c := range []struct {
		outcomes []bool
		want     float32
	}{{[]bool{true}, 0}, {[]bool{true, true}, 1}, {[]bool{true, false}, 0.25},
		{[]bool{false, false}, 0}, {[]bool{true, true, false, false}, 1}} {
		var r rebuilds
		for _, changed := range c.outcomes {
			r.follow(0, changed, 0)
		}
		if r.all.seen != c.want {
			t.Errorf("%v: %g rebuilds, want %g", c.outcomes, r.all.seen, c.want)
		}
	}
}

// Where quiet pages change by chance, as likely as was believed, no rebuild is seen; one still is
// where more of them do.
func TestRebuildsByChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	var chance, good rebuilds
	for range 2000 {
		for range followUpProbes {
			p := 0.4 * rng.Float32()
			chance.follow(0, rng.Float32() < p, p)
			good.follow(0, rng.Float32() < 0.9, p)
		}
		chance.begin()
		good.begin()
	}
	if chance.all.seen > 60 || good.all.seen < 1400 {
		t.Errorf("of 2000 by chance %.0f rebuilds were seen, of 2000 rebuilds %.0f",
			chance.all.seen, good.all.seen)
	}
}

// Where a round has room for one probe that follows, the second may come in a later round.
func TestRebuildsFollowOverRounds(t *testing.T) {
	var r rebuilds
	r.follow(0, true, 0)
	r.begin()
	r.follow(0, true, 0)
	if r.all.seen != 1 {
		t.Errorf("%g rebuilds, want 1", r.all.seen)
	}
	r.begin()
	if len(r.open) != 0 {
		t.Errorf("%d servers are remembered that have told", len(r.open))
	}
}

func TestRebuildsFind(t *testing.T) {
	var r rebuilds
	if got := r.finds(); got != firstFinds {
		t.Errorf("%g found by a probe at first", got)
	}
	for range 500 {
		r.probe(0, 0)
	}
	if got := r.finds(); got > 0.05 {
		t.Errorf("%g found after 500 probes that found none", got)
	}
	r.discovered(1_000_000)
	if got := r.finds(); got > 0.1 {
		t.Errorf("%g found by a probe after one list of everything", got)
	}
}
