package paper

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// Plan has the records due in the units 1 to len(Due)-1; Due[0] is empty.
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

// FirstSum returns the sum of the draws at t for a store that never keeps changes of visits: each
// record counts as visited for the first time.
func (p *Plan) FirstSum(t int) (sum uint64) {
	for _, i := range p.Due[t] {
		sum += drawAt(i, 1)
	}
	return sum
}

// Units returns how many units the plan covers.
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

// Golden returns the number of records due in the units 1 to units, as computed by an independent
// program; false if it is unknown. It is known only for the longest intervals.
func Golden(o WorkloadOptions, units int) (int, bool) {
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

// PriorityChange is an ad-hoc change of a record that is sent between two units [SAT 3.5]. The
// record gets it at its next visit or before.
type PriorityChange struct {
	ID       ID
	Number   uint32 // for stores that find records by number
	Priority uint16
}

// Requests returns the requests sent before unit t, sorted by the ID of their record. Their
// number is ofDue times the number of records due in t, and their records are random.
func (p *Plan) Requests(t int, ofDue float64) []PriorityChange {
	all := make([]PriorityChange, p.requests(t, ofDue))
	for k := range all {
		i := p.target(t, k)
		all[k] = PriorityChange{p.ID(i), i, uint16(k)}
	}
	slices.SortStableFunc(all,
		func(a, b PriorityChange) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return all
}

func (p *Plan) requests(t int, ofDue float64) int { return int(ofDue * float64(len(p.Due[t]))) }

// target returns the record of the k-th request before unit t.
func (p *Plan) target(t, k int) uint32 {
	return uint32(mix(mix(uint64(t))+uint64(k)) % uint64(p.Records))
}

// Applied returns how many requests the visits of each unit find waiting.
func (p *Plan) Applied(ofDue float64) []int {
	waiting := make([]int, len(p.Due))
	for t := 1; t < len(p.Due); t++ {
		for k := range p.requests(t, ofDue) {
			if due := p.dueFrom(p.target(t, k), t); due < len(waiting) {
				waiting[due]++
			}
		}
	}
	return waiting
}

// dueFrom returns the first unit from t on in which a record is due.
func (p *Plan) dueFrom(i uint32, t int) int {
	tau := p.Interval(i)
	due := p.first(i, tau)
	if due < t {
		due += (t - due + tau - 1) / tau * tau
	}
	return due
}

// Tally sums the records of a store in any order. Every byte and every due time counts: other
// records have the same tally with probability 2^-64.
type Tally struct {
	Records int
	// Dues counts records with a due time: all, or none if a queue beside the store has them.
	Dues        int
	bodies, due uint64
}

// Add counts a record; due 0 means that the store does not keep it. It allocates nothing.
func (t *Tally) Add(body []byte, due int) {
	h := sumOf(body)
	t.Records++
	t.bodies += h
	if due != 0 {
		t.Dues++
		t.due += mix(h ^ mix(uint64(due)))
	}
}

// Differs returns the difference from the expected tally, or nil. It compares due times if there
// are any.
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
			t.Records, t.due, want.due)
	}
	return nil
}

// sumOf returns a 64-bit hash, eight bytes at a time.
func sumOf(b []byte) uint64 {
	h := mix(uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h = mix(h ^ binary.LittleEndian.Uint64(b))
	}
	var rest [8]byte
	copy(rest[:], b)
	return mix(h ^ binary.LittleEndian.Uint64(rest[:]))
}

// End returns the tally after the last unit, with requests for the given share of each unit's due
// records. With deferred, requests that still wait for a visit do not count. It takes about 1 us a
// record.
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
