package intake

import "runtime/debug"

const (
	// programBytes is what the program takes beside the memory of the options: above it, freed
	// memory is collected more often.
	programBytes = 48 << 20
	// transactionBytes are those of a transaction of the store, and of Pebble: mostAdded pages
	// twice, as they are added and as they go to the log, and tables in memory.
	transactionBytes = 2*200*mostAdded + 24<<20
	// limitStep is by how much the store grows before the limit does.
	limitStep = 8 << 20
)

// bound keeps the memory of the program, by the limit of the collector, at that of the parts, what
// the program takes beside them, and what the store needs, which grows with its pages.
type bound struct {
	parts  int64
	store  Store // nil: none
	needs  int64 // of the store when the limit was set; 0: it was not
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

// release gives the program back the limit that it had.
func (b *bound) release() {
	if b.needs != 0 {
		debug.SetMemoryLimit(b.before)
	}
}
