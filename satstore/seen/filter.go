package seen

import "math/bits"

// Filter remembers fingerprints approximately.
type Filter interface {
	// Has reports whether key was probably added. It is wrong at the rates of the filter.
	Has(key uint64) bool
	// Add makes a key known, and lets a filter of a fixed size forget others.
	Add(key uint64)
	// Bytes is what the filter takes in memory.
	Bytes() int
}

// slot returns the i-th of the counters of a key, one of m of them. Fingerprints are uniform, but k
// numbers are needed of 64 bits: each is mixed anew (splitmix64; Steele, Lea, Flood 2014), so that
// two keys share one counter no more often than by chance.
func slot(key uint64, i int, m uint64) uint64 {
	x := key + uint64(i+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	hi, _ := bits.Mul64(x^x>>31, m)
	return hi
}

// maxCounter is the largest value of a counter of two bits: what an insertion sets [SBFL 4.2.1].
const maxCounter = 3

// perWord is how many counters of two bits lie in a word.
const perWord = 32

// counters are m counters of two bits.
type counters struct {
	words []uint64
	m     uint64 // a multiple of perWord
	k     int
}

// newCounters makes m counters or up to 31 more.
func newCounters(m uint64, k int) counters {
	words := max(1, (m+perWord-1)/perWord)
	return counters{words: make([]uint64, words), m: words * perWord, k: k}
}

// Has reports whether all counters of a key are above 0.
func (c *counters) Has(key uint64) bool {
	for i := range c.k {
		j := slot(key, i, c.m)
		if c.words[j/perWord]>>(2*(j%perWord))&maxCounter == 0 {
			return false
		}
	}
	return true
}

// set gives all counters of a key their largest value.
func (c *counters) set(key uint64) {
	for i := range c.k {
		j := slot(key, i, c.m)
		c.words[j/perWord] |= maxCounter << (2 * (j % perWord))
	}
}

// lower takes one from a counter that is not 0.
func (c *counters) lower(j uint64) {
	w, shift := &c.words[j/perWord], 2*(j%perWord)
	if *w>>shift&maxCounter != 0 {
		*w -= 1 << shift
	}
}

// Counters is m, the number of counters.
func (c *counters) Counters() int { return int(c.m) }

// Bytes is what the counters take: a quarter of a byte each.
func (c *counters) Bytes() int { return 8 * len(c.words) }
