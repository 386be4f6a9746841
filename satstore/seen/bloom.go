package seen

import (
	"encoding/binary"
	"fmt"

	"github.com/bits-and-blooms/bloom/v3"
)

// Bloom is a plain Bloom filter [SBFL 3.2], that of bits-and-blooms. It forgets nothing, and its
// false positives grow with the number of keys [SBFL eq. 1].
type Bloom struct {
	filter *bloom.BloomFilter
}

// NewBloom returns a filter of m bits, k of them for a key.
func NewBloom(m uint64, k int) *Bloom {
	return &Bloom{bloom.New(uint(m), uint(k))}
}

// Has reports whether key was probably added.
func (f *Bloom) Has(key uint64) bool {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], key)
	return f.filter.Test(b[:])
}

// Add adds a key.
func (f *Bloom) Add(key uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], key)
	f.filter.Add(b[:])
}

// Bytes returns the memory of the bits.
func (f *Bloom) Bytes() int { return int(f.filter.Cap()+63) / 64 * 8 }

// Window is a counting Bloom filter over the last keys of a stream (Metwally et al. 2005, sliding
// window) [SBFL 3.2.2]. It keeps the keys, 8 bytes each, to know which one to remove.
type Window struct {
	filter *Counting
	keys   []uint64 // a ring
	next   int
	full   bool
}

// NewWindow returns a filter of the last n keys added, with m counters, k of them for a key.
func NewWindow(n int, m uint64, k int) *Window {
	return &Window{filter: NewCounting(m, k), keys: make([]uint64, n)}
}

// Has reports whether key is probably among the last ones.
func (w *Window) Has(key uint64) bool { return w.filter.Has(key) }

// Add adds a key as the last one, and removes the first.
func (w *Window) Add(key uint64) {
	if w.full {
		w.filter.Remove(w.keys[w.next])
	}
	w.filter.Add(key)
	w.keys[w.next] = key
	if w.next++; w.next == len(w.keys) {
		w.next, w.full = 0, true
	}
}

// Bytes returns the memory of counters and keys.
func (w *Window) Bytes() int { return w.filter.Bytes() + 8*len(w.keys) }

// Counting is a counting Bloom filter (Fan et al. 2000) [SBFL 3.2.1] with counters of four bits. A
// counter that reaches 15 stays there: its keys cannot be removed completely, and none is lost.
type Counting struct {
	words []uint64
	m     uint64
	k     int
}

const stuck = 15

// NewCounting returns a filter of m counters (rounded up to a multiple of 16), k of them for a key.
// It panics if one of them is 0.
func NewCounting(m uint64, k int) *Counting {
	if m == 0 || k < 1 {
		panic(fmt.Sprintf("seen: no filter of %d counters, %d of a key", m, k))
	}
	words := (m + 15) / 16
	return &Counting{make([]uint64, words), 16 * words, k}
}

// Has reports whether key was probably added and not removed.
func (f *Counting) Has(key uint64) bool {
	for i := range f.k {
		j := slot(key, i, f.m)
		if f.words[j/16]>>(4*(j%16))&stuck == 0 {
			return false
		}
	}
	return true
}

// Add adds a key once more.
func (f *Counting) Add(key uint64) {
	for i := range f.k {
		j := slot(key, i, f.m)
		if w, shift := &f.words[j/16], 4*(j%16); *w>>shift&stuck != stuck {
			*w += 1 << shift
		}
	}
}

// Remove reverts one Add of the key. Removing a key that was not added damages others.
func (f *Counting) Remove(key uint64) {
	for i := range f.k {
		j := slot(key, i, f.m)
		if w, shift := &f.words[j/16], 4*(j%16); *w>>shift&stuck != stuck && *w>>shift&stuck != 0 {
			*w -= 1 << shift
		}
	}
}

// Bytes returns the memory of the counters: half a byte each.
func (f *Counting) Bytes() int { return 8 * len(f.words) }
