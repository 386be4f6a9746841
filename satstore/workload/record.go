package workload

import "encoding/binary"

// layout is where the fields of a fixed part begin; -1: the field is left out. Numbers are
// little-endian. The part of 100 bytes holds
//
//	0  16 id
//	16 16 digest of the content
//	32 4  epoch      first visit
//	36 4  last       visit
//	40 4  last modified
//	44 4  visits
//	48 4  versions
//	52 4  stable     units without change
//	56 4  shortest interval with a change
//	60 4  interval
//	64 2  status
//	66 8  history    of changes, a bit a visit, the newest lowest
//	74 16 tag        16 hexadecimal digits or, in half of the records, zero
//	90 8  referer    hashed
//	98 2  priority
//
// That of 50 has no room for all. Those of 200 and 400 go on with digests of the parts of a
// page and with recent intervals, which no visit changes [SAT 2.3].
type layout struct {
	digest, last, visits, versions, stable, interval, history, priority int
}

func layoutOf(fixedBytes int) layout {
	if fixedBytes < 100 {
		return layout{
			digest:   16,
			last:     32,
			visits:   36,
			versions: -1,
			stable:   40,
			interval: 44,
			history:  -1,
			priority: 48,
		}
	}
	return layout{
		digest:   16,
		last:     36,
		visits:   44,
		versions: 48,
		stable:   52,
		interval: 60,
		history:  66,
		priority: 98,
	}
}

const hexDigits = "0123456789abcdef"

// AppendTo appends the body of a record that was never visited.
func (w *Workload) AppendTo(dst []byte, i uint32) []byte {
	at := len(dst)
	for n := w.FixedBytes; n > 0; {
		part := min(n, len(zeros))
		dst = append(dst, zeros[:part]...)
		n -= part
	}
	b := dst[at:]
	id := w.ID(i)
	copy(b, id[:])
	le := binary.LittleEndian
	tau := w.Interval(i)
	le.PutUint64(b[w.layout.digest:], draw(i, drawDigestLow))
	le.PutUint64(b[w.layout.digest+8:], draw(i, drawDigestHigh))
	le.PutUint32(b[w.layout.interval:], uint32(tau))
	fields := draw(i, drawFields)
	le.PutUint16(b[w.layout.priority:], uint16(fields%100))
	if w.FixedBytes >= 100 {
		le.PutUint32(b[56:], uint32(tau))
		le.PutUint16(b[64:], 200)
		if fields>>16&1 == 0 {
			tag := draw(i, drawTag)
			for k := range 16 {
				b[74+k] = hexDigits[tag>>(4*k)&15]
			}
		}
		le.PutUint64(b[90:], draw(i, drawReferer))
		w.fill(b[100:], i, tau)
	}
	return appendURL(dst, i)
}

var zeros [128]byte

// fill writes digests into the first half and small numbers into the second.
func (w *Workload) fill(b []byte, i uint32, tau int) {
	for k := 0; k+8 <= len(b); k += 8 {
		x := draw(i, drawFilling+uint64(k))
		if k >= len(b)/2 {
			x = x%uint64(tau) | x>>32%uint64(tau)<<32
		}
		binary.LittleEndian.PutUint64(b[k:], x)
	}
}
