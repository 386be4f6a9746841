package value

import "testing"

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
		good.follow(3, true)
		good.follow(3, true)
		good.begin()
	}
	if here, elsewhere := waste.ratio(3), waste.ratio(4); here > 0.05 || elsewhere > 0.2 || here > elsewhere {
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
	}{{[]bool{true}, 0}, {[]bool{true, true}, 1}, {[]bool{true, false}, 0.25}, {[]bool{false, false}, 0}, {[]bool{true, true, false, false}, 1}} {
		var r rebuilds
		for _, changed := range c.outcomes {
			r.follow(0, changed)
		}
		if r.all.seen != c.want {
			t.Errorf("%v: %g rebuilds, want %g", c.outcomes, r.all.seen, c.want)
		}
	}
}

// Where a round has room for one probe that follows, the second may come in a later round.
func TestRebuildsFollowOverRounds(t *testing.T) {
	var r rebuilds
	r.follow(0, true)
	r.begin()
	r.follow(0, true)
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
