package estimator

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The likelihood is the product of the predictions of its doc comment, in any order.
func TestLogLikelihoodPredictsOneByOne(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		topsSeen := rng.Uint32()
		topsChanged := topsSeen & rng.Uint32()
		mean := 0.01 + 0.98*rng.Float64()
		var s Signal
		want := 0.0
		var seen, changed [3]float64
		for range 1 + rng.IntN(20) {
			looked := rng.Uint32()
			turned := looked & rng.Uint32()
			s.Add(looked, turned, topsSeen, topsChanged)
			for week := range 32 {
				kind := 2 // no top was visited
				if topsSeen>>week&1 == 1 {
					kind = int(topsChanged >> week & 1)
				}
				if looked>>week&1 == 0 {
					continue
				}
				predicted := (changed[kind] + mean) / (seen[kind] + 1)
				seen[kind]++
				if turned>>week&1 == 1 {
					changed[kind]++
					want += math.Log(predicted)
				} else {
					want += math.Log(1 - predicted)
				}
			}
		}
		if got := s.LogLikelihood(mean); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("seed %d: %g, want %g", seed, got, want)
		}
		if got, want := s.Trust(mean), (changed[1]+mean)/(seen[1]+1); math.Abs(got-want) > 1e-12 {
			t.Errorf("seed %d: trust %g, want %g", seed, got, want)
		}
	}
}

// A top that predicts shortens the description by more than its own cost. A top that predicts
// nothing, and a second one, do not.
func TestTopsThatTell(t *testing.T) {
	const seen = 1<<12 - 1
	const past, mean = 0b001001001001, 1. / 3
	length := func(tops, members []uint32) float64 {
		sum, any := 0.0, uint32(0)
		for _, c := range tops {
			sum += TopLength(seen) - LogLikelihoodAlone(seen, c, mean)
			any |= c
		}
		var s Signal
		for _, c := range members {
			s.Add(seen, c, seen, any)
		}
		return sum - s.LogLikelihood(mean)
	}
	alone := length([]uint32{past, past, past, past}, nil)
	one := length([]uint32{past}, []uint32{past, past, past})
	two := length([]uint32{past, past}, []uint32{past, past})
	mute := length([]uint32{0}, []uint32{past, past, past, past})
	if one >= two || two >= alone || mute <= one {
		t.Errorf("lengths %.3g (one top), %.3g (two), %.3g (all), %.3g (one that never changes)",
			one, two, alone, mute)
	}
	if got, want := LogLikelihoodAlone(0b111, 0b001, mean),
		math.Log(1./3)+2*math.Log(2./3); math.Abs(got-want) > 1e-12 {
		t.Errorf("alone: %g, want %g", got, want)
	}
}
