package bench

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/recrawl/recrawl/satstore/workload"
)

// idOrder returns all record numbers in the order of their ids: the order in which the
// paper loads its B-tree, and which packs it best.
func idOrder(p *workload.Plan) []uint32 {
	type entry struct {
		high   uint64 // of the id; two records hardly share it
		number uint32
	}
	entries := make([]entry, p.Records)
	for i := range entries {
		id := p.ID(uint32(i))
		entries[i] = entry{binary.BigEndian.Uint64(id[:]), uint32(i)}
	}
	slices.SortFunc(
		entries,
		func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.high, b.high),
				cmp.Compare(a.number, b.number))
		},
	)
	order := make([]uint32, len(entries))
	for k, e := range entries {
		order[k] = e.number
	}
	return order
}

// loadCommit is how many records loadInTurn commits at a time.
const loadCommit = 1 << 15

// loadInTurn puts all records in the order of their numbers: that in which pages are found.
func loadInTurn(
	ctx context.Context,
	p *workload.Plan,
	tick func(int),
	commit func() error,
	put func(number uint32, due int64, body []byte) error,
) error {
	var body []byte
	for i := range uint32(p.Records) {
		body = p.AppendTo(body[:0], i)
		if err := put(i, int64(p.First(i)), body); err != nil {
			return err
		}
		if (i+1)%loadCommit != 0 {
			continue
		}
		if err := commit(); err != nil {
			return err
		}
		tick(int(i + 1))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return commit()
}
