package seen

import "math/bits"

// Filter remembers fingerprints approximately.
type Filter interface {
	// Has reports whether key was probably added, with the error rates of the filter.
	Has(key uint64) bool
	// Add adds a key. A filter of fixed size then forgets others.
	Add(key uint64)
	// Bytes returns the memory of the filter.
	Bytes() int
}

// slot returns the i-th of the counters of a key, one of m. Fingerprints are uniform, but k numbers
// are needed of 64 bits. Each is mixed separately (splitmix64; Steele, Lea, Flood 2014), so that
// two keys share a counter only by chance.
func slot(key uint64, i int, m uint64) uint64 {
	x := key + uint64(i+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	hi, _ := bits.Mul64(x^x>>31, m)
	return hi
}

// maxCounter is the largest value of a counter of two bits, which an insertion sets [SBFL 4.2.1].
const maxCounter = 3

// perWord is the number of two-bit counters in a word.
const perWord = 32

// counters are m counters of two bits.
type counters struct {
	words []uint64
	m     uint64 // a multiple of perWord
	k     int
}

// newCounters returns m to m + 31 counters.
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

// set sets all counters of a key to their largest value.
func (c *counters) set(key uint64) {
	for i := range c.k {
		j := slot(key, i, c.m)
		c.words[j/perWord] |= maxCounter << (2 * (j % perWord))
	}
}

// lower subtracts one from a counter that is not 0.
func (c *counters) lower(j uint64) {
	w, shift := &c.words[j/perWord], 2*(j%perWord)
	if *w>>shift&maxCounter != 0 {
		*w -= 1 << shift
	}
}

// Counters returns m, the number of counters.
func (c *counters) Counters() int { return int(c.m) }

// Bytes returns the memory of the counters: a quarter of a byte each.
func (c *counters) Bytes() int { return 8 * len(c.words) }
