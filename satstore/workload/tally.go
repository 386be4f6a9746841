package workload

import (
	"context"
	"encoding/binary"
	"fmt"
)

// Tally sums up the records of a store in any order. Every byte counts and every due time:
// other records have the same tally by a chance of 2^-64.
type Tally struct {
	Records int
	// Dues is how many came with a due time: all, or none where a queue beside the store
	// has them.
	Dues        int
	bodies, due uint64
}

// Add counts a record; due 0 says that the store does not keep it. It allocates nothing.
func (t *Tally) Add(body []byte, due int) {
	h := sumOf(body)
	t.Records++
	t.bodies += h
	if due != 0 {
		t.Dues++
		t.due += mix(h ^ mix(uint64(due)))
	}
}

// Differs tells what is not as it must be, or nil. Due times are compared if any came.
func (t *Tally) Differs(want Tally) error {
	switch {
	case t.Records != want.Records:
		return fmt.Errorf("%d records are there, not %d", t.Records, want.Records)
	case t.bodies != want.bodies:
		return fmt.Errorf(
			"the bodies of the %d records sum up to %x, not %x: some are in another state",
			t.Records,
			t.bodies,
			want.bodies,
		)
	case t.Dues != 0 && (t.Dues != want.Dues || t.due != want.due):
		return fmt.Errorf(
			"the due times of the %d records sum up to %x, not %x: some are due at another time",
			t.Records,
			t.due,
			want.due,
		)
	}
	return nil
}

// sumOf is a 64-bit hash, eight bytes at a time.
func sumOf(b []byte) uint64 {
	h := mix(uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h ^ binary.LittleEndian.Uint64(b))
	}
	var rest [8]byte
	copy(rest[:], b)
	return mix(h ^ binary.LittleEndian.Uint64(rest[:]))
}

// End is the tally after the last unit, with requests for the given share of each unit's due
// records. Where they are deferred to the visits, those that wait still do not count. Cost:
// about 1 us a record.
func (p *Plan) End(ctx context.Context, requests float64, deferred bool) (end Tally, err error) {
	priorities := map[uint32]uint16{}
	for t := 1; t < len(p.Due); t++ {
		for k := range p.requests(t, requests) {
			if i := p.target(t, k); !deferred || p.dueFrom(i, t) <= p.Units() {
				priorities[i] = uint16(k) // the last one counts
			}
		}
	}
	var body []byte
	for i := range uint32(p.Records) {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return end, ctx.Err()
		}
		var due int
		body, due = p.AppendAt(body[:0], i, p.Units()+1)
		if priority, ok := priorities[i]; ok {
			p.SetPriority(body, priority)
		}
		end.Add(body, due)
	}
	return end, nil
}
