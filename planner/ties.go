package planner

import (
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// Ties holds the seeded tie-breaker of each page, computed once.
type Ties struct {
	seed uint64
	of   []float32
	file *arena.File `state:"-"`
}

// NewTies returns tie-breakers that depend on a seed and the addresses alone. They are in a scratch
// file; nil: in memory.
func NewTies(seed uint64, file *arena.File) Ties { return Ties{seed: seed, file: file} }

// UpTo computes the missing tie-breakers, and returns all by page.
func (t *Ties) UpTo(c RankedPages) []float32 {
	known := len(t.of)
	t.of = arena.Grow(t.file, t.of, c.Count())
	for p := known; p < c.Count(); p++ {
		t.of[p] = float32(Tie(t.seed, c.URL(sitegraph.PageID(p))))
	}
	return t.of
}

// Of returns the tie-breaker of a page that UpTo has seen, in [0, 1).
func (t *Ties) Of(p sitegraph.PageID) float32 { return t.of[p] }

// Tie returns a seeded hash of a page's address in [0, 1): a random order that depends neither on
// the order of discovery nor on other pages.
func Tie(seed uint64, url string) float64 {
	h := seed ^ 0x9e3779b97f4a7c15
	for i := 0; i < len(url); i++ { // FNV-1a, then mixed: a stable order needs no secret
		h = (h ^ uint64(url[i])) * 0x100000001b3
	}
	return float64(MixHash(h)>>11) / (1 << 53)
}

// MixHash spreads the bits of a number over all bits.
func MixHash(h uint64) uint64 {
	for range 2 {
		h ^= h >> 32
		h *= 0xd6e8feb86659fd93
	}
	return h ^ h>>32
}
