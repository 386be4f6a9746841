package seen

import (
	"fmt"
	"math/rand/v2"
)

// Random is a source of random numbers for Stable, such as rand.Rand or the generators of gonum's
// prng, including the Mersenne Twister of the paper's measurement.
type Random interface{ Uint32() uint32 }

// Stable is the stable Bloom filter (Deng, Rafiei 2006) of [SBFL 3.2.3]: each insertion lowers a
// random counter, p times, and then sets the counters of the key.
type Stable struct {
	counters
	p      int
	random Random
}

// NewStable returns a filter of m counters (rounded up to a multiple of 32). Of these k belong to a
// key, and an insertion lowers p. The same seed gives the same filter. It panics unless 0 < p, 0 <
// k and m <= 2^32.
func NewStable(m uint64, k, p int, seed uint64) *Stable {
	return NewStableOf(m, k, p, rand.New(rand.NewPCG(seed, 0x5bf1)))
}

// NewStableOf is NewStable with the caller's source of random numbers.
func NewStableOf(m uint64, k, p int, random Random) *Stable {
	f := &Stable{newCounters(m, k), p, random}
	if k < 1 || p < 1 || f.m > 1<<32 {
		panic(fmt.Sprintf("seen: no filter of %d counters, %d of a key, %d lowered", m, k, p))
	}
	return f
}

// Add inserts a key.
func (f *Stable) Add(key uint64) {
	f.Lower(f.p)
	f.set(key)
}

// Lower subtracts one from n counters chosen at random.
func (f *Stable) Lower(n int) {
	for range n {
		f.lower(uint64(f.random.Uint32()) * f.m >> 32)
	}
}
