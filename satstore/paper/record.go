package paper

import (
	"encoding/binary"
	"math"
)

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

// Bounds of the length of a URL [SAT 4.1]. The logarithms of the lengths are normal.
const (
	shortestURL = 11
	longestURL  = 3715
	spreadURL   = 0.55
)

// urlBytes returns the length of the URL of record i.
func urlBytes(i uint32) int {
	u := max(share(draw(i, drawURLRadius)), 0x1p-53)
	z := math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*share(draw(i, drawURLAngle)))
	n := math.Exp(math.Log(64.2) - spreadURL*spreadURL/2 + spreadURL*z)
	return int(min(max(n, shortestURL), longestURL))
}

const hosts = 100_000

// appendURL appends a URL cut to its length: a host, of which few have most pages, and a path of
// words and digits.
func appendURL(dst []byte, i uint32) []byte {
	end := len(dst) + urlBytes(i)
	dst = append(dst, "http://www."...)
	host := uint32(share(draw(i, drawHost)) * share(draw(i, drawHostSkew)) * hosts)
	dst = append(dst, words[host%uint32(len(words))]...)
	dst = append(dst, words[host/uint32(len(words))%uint32(len(words))]...)
	dst = appendDigits(dst, host/uint32(len(words)*len(words)))
	dst = append(dst, ".co.jp/"...)
	for k := uint64(drawWords); len(dst) < end; k++ {
		for x, n := draw(i, k), 0; n < 4 && len(dst) < end; n++ {
			dst = append(dst, words[x%uint64(len(words))]...)
			if x >>= 8; x%3 == 0 {
				dst = appendDigits(dst, uint32(x>>2%1000))
			}
			dst = append(dst, "/-/_"[x>>4&3])
			x >>= 8
		}
	}
	return dst[:end]
}

func appendDigits(dst []byte, n uint32) []byte {
	if n >= 10 {
		dst = appendDigits(dst, n/10)
	}
	return append(dst, byte('0'+n%10))
}

var words = [...]string{
	"about",
	"access",
	"album",
	"archive",
	"area",
	"bbs",
	"blog",
	"book",
	"business",
	"category",
	"center",
	"city",
	"company",
	"contact",
	"data",
	"detail",
	"diary",
	"event",
	"faq",
	"file",
	"forum",
	"game",
	"guide",
	"help",
	"history",
	"hotel",
	"house",
	"image",
	"index",
	"info",
	"item",
	"japan",
	"job",
	"kids",
	"law",
	"link",
	"list",
	"local",
	"magazine",
	"main",
	"map",
	"media",
	"member",
	"menu",
	"music",
	"new",
	"news",
	"note",
	"office",
	"page",
	"photo",
	"product",
	"profile",
	"report",
	"school",
	"search",
	"service",
	"shop",
	"sports",
	"staff",
	"topics",
	"travel",
	"user",
	"world",
}

// Visit changes the body of a record in place like a visit at t. It returns the record's next due
// time and the draw of the visit.
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

// SetPriority applies a request between visits, for example a hint of a feed [SAT 3.5].
func (w *Workload) SetPriority(body []byte, priority uint16) {
	binary.LittleEndian.PutUint16(body[w.layout.priority:], priority)
}

// AppendAt appends the body that a record has before its visit at t, without requests. It returns
// its next due time: t or later.
func (w *Workload) AppendAt(dst []byte, i uint32, t int) (body []byte, due int) {
	at := len(dst)
	dst = w.AppendTo(dst, i)
	due = w.First(i)
	for due < t {
		due, _ = w.Visit(dst[at:], due)
	}
	return dst, due
}

// drawAt returns the draw of the n-th visit of a record, from 1, without its body.
func drawAt(i uint32, n int) uint64 {
	digest, drawn := draw(i, drawDigestLow), uint64(0)
	for v := 1; v <= n; v++ {
		if drawn = mix(digest + uint64(v)); drawn&1 == 0 {
			digest = drawn
		}
	}
	return drawn
}
