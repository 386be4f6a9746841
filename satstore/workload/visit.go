package workload

import "encoding/binary"

// Visit changes the body of a record in place as a visit at t does, and returns when the
// record is due next and the draw of the visit.
func (w *Workload) Visit(body []byte, t int) (next int, drawn uint64) {
	le, l := binary.LittleEndian, &w.layout
	visits := le.Uint32(body[l.visits:]) + 1
	tau := le.Uint32(body[l.interval:])
	drawn = mix(le.Uint64(body[l.digest:]) + uint64(visits))
	le.PutUint32(body[l.last:], uint32(t))
	le.PutUint32(body[l.visits:], visits)
	if drawn&1 == 0 {
		le.PutUint64(body[l.digest:], drawn)
		le.PutUint64(body[l.digest+8:], mix(drawn))
		if l.versions >= 0 {
			le.PutUint32(body[l.versions:], le.Uint32(body[l.versions:])+1)
		}
	} else {
		le.PutUint32(body[l.stable:], le.Uint32(body[l.stable:])+tau)
	}
	if l.history >= 0 {
		le.PutUint64(body[l.history:], le.Uint64(body[l.history:])<<1|drawn&1)
	}
	return t + int(tau), drawn
}

// SetPriority is what a request between visits changes: a hint of a feed, say [SAT 3.5].
func (w *Workload) SetPriority(body []byte, priority uint16) {
	binary.LittleEndian.PutUint16(body[w.layout.priority:], priority)
}

// AppendAt appends the body that a record has before its visit at t, if no request changed
// it, and returns when it is due next: t or later.
func (w *Workload) AppendAt(dst []byte, i uint32, t int) (body []byte, due int) {
	at := len(dst)
	dst = w.AppendTo(dst, i)
	due = w.First(i)
	for due < t {
		due, _ = w.Visit(dst[at:], due)
	}
	return dst, due
}

// drawAt is the draw of the n-th visit of a record, from 1, without its body.
func drawAt(i uint32, n int) uint64 {
	digest, drawn := draw(i, drawDigestLow), uint64(0)
	for v := 1; v <= n; v++ {
		if drawn = mix(digest + uint64(v)); drawn&1 == 0 {
			digest = drawn
		}
	}
	return drawn
}
