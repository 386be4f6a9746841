package intake

import "runtime/debug"

const (
	// programBytes is the memory of the program beside that of the options. Above it, garbage is
	// collected more often.
	programBytes = 48 << 20
	// transactionBytes is the memory of a transaction of the store, and of Pebble: mostAdded pages
	// twice, as added and as logged, and tables in memory.
	transactionBytes = 2*200*mostAdded + 24<<20
	// limitStep is the growth of the store after which the limit grows.
	limitStep = 8 << 20
)

// bound keeps the memory of the program, by the collector's limit, at that of the parts, the
// program itself, and the store, which grows with its pages.
type bound struct {
	parts  int64
	store  Store // nil: none
	needs  int64 // of the store when the limit was set; 0: not set
	before int64 // limit of the program before
}

func (b *bound) follow() {
	if b.parts == 0 {
		return
	}
	limit, needs := b.parts+programBytes, int64(0)
	if b.store != nil {
		needs = b.store.MemoryBytes()
		limit += needs + transactionBytes
	}
	if b.needs == 0 || needs > b.needs+limitStep {
		before := debug.SetMemoryLimit(limit)
		if b.needs == 0 {
			b.before = before
		}
		b.needs = max(needs, 1)
	}
}

// release restores the limit of the program.
func (b *bound) release() {
	if b.needs != 0 {
		debug.SetMemoryLimit(b.before)
	}
}
