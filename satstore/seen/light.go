package seen

import "fmt"

// Light is the Stable Bloom Filter Light [SBFL 4.2]: each insertion lowers the next p counters,
// round and round, and then sets those of the new key. It needs no random numbers. An inserted key
// stays visible for more than 2m/p - 1 further insertions, and for at most 3m/p + 1 unless other
// keys set its counters.
type Light struct {
	counters
	p   uint64
	pos uint64 // the next counter to be lowered
}

// NewLight returns a filter of m counters (rounded up to a multiple of 32). Of these k belong to a
// key, and an insertion lowers p. It panics unless 0 < p <= m, 0 < k and m <= 2^32.
func NewLight(m uint64, k, p int) *Light {
	f := &Light{counters: newCounters(m, k), p: uint64(p)}
	if k < 1 || p < 1 || f.p > f.m || f.m > 1<<32 {
		panic(fmt.Sprintf("seen: no filter of %d counters, %d of a key, %d lowered", m, k, p))
	}
	return f
}

// Add inserts a key. A test before the insertion sees the earlier state.
func (f *Light) Add(key uint64) {
	f.Lower(f.p)
	f.set(key)
}

// LowerEach subtracts one from the next n counters, one after the other; n <= m. It does the same
// as Lower, in the form of the second row of table 1 in the paper.
func (f *Light) LowerEach(n uint64) {
	j := f.pos
	for range n {
		f.lower(j)
		if j++; j == f.m {
			j = 0
		}
	}
	f.pos = j
}

const lowBits = 0x5555555555555555

// lowered subtracts one from each of the 32 counters of a word that is not 0, without branches
// [SBFL 5.5].
func lowered(x uint64) uint64 {
	h, l := x>>1&lowBits, x&lowBits
	return (h&l)<<1 | h&^l // 3 to 2, 2 to 1, 1 and 0 to 0
}

// Lower subtracts one from the next n counters, 32 at a time; n <= m.
func (f *Light) Lower(n uint64) {
	from, end := f.pos, f.pos+n
	if end < f.m {
		f.lowerRange(from, end)
		f.pos = end
		return
	}
	f.lowerRange(from, f.m)
	f.pos = end - f.m
	f.lowerRange(0, f.pos)
}

// lowerRange lowers the counters [from, end), with parts of the first and the last word.
func (f *Light) lowerRange(from, end uint64) {
	if from >= end {
		return
	}
	i, last := from/perWord, (end-1)/perWord
	first := ^uint64(0) << (2 * (from % perWord))
	final := ^uint64(0) >> (2 * (perWord - 1 - (end-1)%perWord))
	if i == last {
		f.lowerMasked(i, first&final)
		return
	}
	f.lowerMasked(i, first)
	whole := f.words[i+1 : last]
	for j, x := range whole {
		whole[j] = lowered(x)
	}
	f.lowerMasked(last, final)
}

func (f *Light) lowerMasked(i, mask uint64) {
	x := f.words[i]
	f.words[i] = lowered(x)&mask | x&^mask
}
