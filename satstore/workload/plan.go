package workload

import (
	"bytes"
	"context"
	"slices"
)

// Plan is what is due in the units 1 to len(Due)-1; Due[0] is empty.
type Plan struct {
	*Workload
	Due   [][]uint32 // records, in rising order
	Sums  []uint64   // of the draws of each unit's visits, modulo 2^64
	Bytes []int64    // bodies of each unit's records
	Total int        // records due in all units
}

// Plan computes the first units of a workload: 0.2 us a record and 4 bytes a due one. It
// ends early with the context's error.
func (w *Workload) Plan(ctx context.Context, units int) (*Plan, error) {
	p := &Plan{
		Workload: w,
		Due:      make([][]uint32, units+1),
		Sums:     make([]uint64, units+1),
		Bytes:    make([]int64, units+1),
	}
	for i := range uint32(w.Records) {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		tau := w.Interval(i)
		n := 0
		for t := w.first(i, tau); t <= units; t += tau {
			n++
			p.Due[t] = append(p.Due[t], i)
			p.Sums[t] += drawAt(i, n)
			p.Bytes[t] += int64(w.FixedBytes + urlBytes(i))
			p.Total++
		}
	}
	return p, nil
}

// Units is how many units the plan covers.
func (p *Plan) Units() int { return len(p.Due) - 1 }

// IDs appends the names of the records due at t, in their own order.
func (p *Plan) IDs(dst []ID, t int) []ID {
	at := len(dst)
	for _, i := range p.Due[t] {
		dst = append(dst, p.ID(i))
	}
	slices.SortFunc(dst[at:], func(a, b ID) int { return bytes.Compare(a[:], b[:]) })
	return dst
}

// Golden returns how many records are due in the units 1 to units, where that is known from
// an independent program; else false. Only for the longest intervals.
func Golden(o Options, units int) (int, bool) {
	n, ok := golden[goldenKey{o.Records, o.Unit, units}]
	return n, ok && (o.MaxUnits == 0 || o.MaxUnits == o.Unit.Longest())
}

type goldenKey struct {
	records int
	unit    Unit
	units   int
}

var golden = map[goldenKey]int{
	{2_000_000, Hour, 36}:  623_776,
	{4_000_000, Hour, 12}:  415_366,
	{4_000_000, Hour, 24}:  830_451,
	{4_000_000, Day, 5}:    2_250_027,
	{17_500_000, Hour, 12}: 1_818_172,
	{17_500_000, Hour, 26}: 3_938_116,
}
