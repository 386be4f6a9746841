package seen

import (
	"fmt"
	"math"
)

// BloomRate returns the share of false positives of a Bloom filter of m bits, k of them for a key,
// with n keys [SBFL eq. 1]: (1 - (1 - 1/m)^(kn))^k.
func BloomRate(m float64, k int, n float64) float64 {
	return math.Pow(-math.Expm1(float64(k)*n*math.Log1p(-1/m)), float64(k))
}

// BloomBest returns the number of bits for a key with the fewest false positives [SBFL eq. 2], at
// least 1.
func BloomBest(m, n float64) int { return max(1, int(math.Round(m/n*math.Ln2))) }

// Lowered returns p, the number of two-bit counters that an insertion must lower so that the share
// of false positives of a stable Bloom filter converges to rate [SBFL eq. 3]. The exponent is
// -1/Max: with the +1/Max of the printed text p would be negative. The paper rounds down (84.73 to
// 84 for k = 8 and 0.001 %), which exceeds the promised rate slightly; Promised rounds up. It
// panics unless 0 < rate < 1 and 0 < k < m.
func Lowered(m float64, k int, rate float64) float64 {
	if !(rate > 0 && rate < 1) || k < 1 || float64(k) >= m {
		panic(fmt.Sprintf("seen: no p for %v counters, %d of a key, a rate of %v", m, k, rate))
	}
	held := 1 - math.Pow(rate, 1/float64(k)) // share of counters at 0
	return 1 / ((math.Pow(held, -1.0/maxCounter) - 1) * (1/float64(k) - 1/m))
}

// Promised returns the least whole number of counters to lower that keeps the rate.
func Promised(m float64, k int, rate float64) int { return int(math.Ceil(Lowered(m, k, rate))) }

// StableRate returns the share of false positives to which a stable Bloom filter converges: eq. 3
// solved for the rate.
func StableRate(m float64, k, p int) float64 {
	zero := math.Pow(1/(1+1/(float64(p)*(1/float64(k)-1/m))), maxCounter)
	return math.Pow(1-zero, float64(k))
}

// lightInsertions is for how many insertions, times p/m, a counter of Light stays above 0. Passes
// of the pointer come every m/p insertions, the first after half of that on average, and the third
// one lowers the counter to 0.
const lightInsertions = 2.5

// LightRate returns the share of false positives to which Light converges: (1 - exp(-2.5 k/p))^k. A
// counter is above 0 if one of the last 2.5 m/p insertions set it. This follows from the algorithm;
// the paper has no formula for it.
func LightRate(k, p int) float64 {
	return math.Pow(-math.Expm1(-lightInsertions*float64(k)/float64(p)), float64(k))
}

// LightMiss returns the probability that Light has forgotten a key inserted age insertions ago.
// Ages between 2m/p and 3m/p mean 2 or 3 passes over its counters. Other keys may have set each
// counter, with the probability for a key that was never inserted.
func LightMiss(m float64, k, p int, age float64) float64 {
	zero := min(max(age*float64(p)/m-(maxCounter-1), 0), 1)
	return missOf(zero, -math.Expm1(-lightInsertions*float64(k)/float64(p)), k)
}

// StableMiss returns the same for Stable, whose counters are lowered by a Poisson process of rate
// p/m.
func StableMiss(m float64, k, p int, age float64) float64 {
	mean := age * float64(p) / m
	zero := 1 - math.Exp(-mean)*(1+mean+mean*mean/2)
	return missOf(zero, math.Pow(StableRate(m, k, p), 1/float64(k)), k)
}

// missOf returns the probability that one of k counters is 0. ended is the probability that the
// key's own insertion no longer holds it, others that another key does.
func missOf(ended, others float64, k int) float64 {
	return 1 - math.Pow(1-ended*(1-others), float64(k))
}
