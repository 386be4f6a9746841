package workload

import (
	"bytes"
	"slices"
)

// Request is an ad-hoc change of a record that is sent between two units [SAT 3.5]. The
// record gets it at its next visit or before.
type Request struct {
	ID       ID
	Number   uint32 // of the record, for stores that are asked by number
	Priority uint16
}

// Requests returns those sent before unit t: the given share of the records due then, to
// any records, in the order of their names.
func (p *Plan) Requests(t int, ofDue float64) []Request {
	all := make([]Request, p.requests(t, ofDue))
	for k := range all {
		i := p.target(t, k)
		all[k] = Request{p.ID(i), i, uint16(k)}
	}
	slices.SortStableFunc(all, func(a, b Request) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return all
}

func (p *Plan) requests(t int, ofDue float64) int { return int(ofDue * float64(len(p.Due[t]))) }

// target is the record that the k-th request before unit t is for.
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

// dueFrom is the first unit from t on in which a record is due.
func (p *Plan) dueFrom(i uint32, t int) int {
	tau := p.Interval(i)
	due := p.first(i, tau)
	if due < t {
		due += (t - due + tau - 1) / tau * tau
	}
	return due
}
