package budget

import (
	"math"
	"math/bits"

	"github.com/recrawl/recrawl/sitegraph"
)

// SizeClass returns a size rounded up to four significant bits: one byte of a page's memory. 0:
// unknown; 255: 15 GiB or more.
func SizeClass(bytes int64) uint8 {
	if bytes <= 0 {
		return 0
	}
	for shift := max(bits.Len64(uint64(bytes))-4, 0); ; shift++ {
		if up := (bytes + 1<<shift - 1) >> shift; up < 16 {
			if shift == 0 {
				return uint8(up)
			}
			return uint8(min(8+8*shift+int(up-8), math.MaxUint8)) // up is 8 to 15
		}
	}
}

// SizeOf returns the largest size of a class.
func SizeOf(class uint8) int64 {
	if class < 16 {
		return int64(class)
	}
	shift := (class - 8) / 8
	return int64(8+class%8) << shift
}

const (
	// AroundPage is the number of bytes that a visit reads beside the page. The header is seldom
	// above 2 KB, a TLS handshake has 3 to 5 KB, and robots.txt, read once a day, mostly below 1
	// KB.
	AroundPage = 8 << 10
	// FirstSize is the size assumed with little data: about nine of ten pages of the web are
	// smaller.
	FirstSize = 100_000
	// sizeShare is the share of a server's pages that are smaller than the reservation for a new
	// one.
	sizeShare = 0.9
)

// sizeQuantile tracks the size below which sizeShare of the pages are, in classes, by steps that
// shrink as pages are seen (Robbins-Monro).
type sizeQuantile struct {
	class float32
	seen  uint32
}

// add adds a page. The first is usually the start page, and others may be many times its size: the
// earlier estimate remains until more are seen.
func (q *sizeQuantile) add(class uint8, before float32) {
	if q.seen == 0 {
		q.class = before
	}
	q.seen++
	step := max(32/float32(q.seen), 0.5) // in eighths of a doubling; it never stands still
	if float32(class) > q.class {
		q.class += step * sizeShare
	} else {
		q.class -= step * (1 - sizeShare)
	}
}

// Sizes track how large pages are.
type Sizes struct {
	all     sizeQuantile
	servers []sizeQuantile
	// cut has the pages that were larger than a visit could read, and how much it read: the next
	// visit gets twice as much.
	cut map[sitegraph.PageID]int64
}

// See adds the size class of a copy of a server.
func (s *Sizes) See(server sitegraph.ServerID, class uint8) {
	if class == 0 {
		return
	}
	for int(server) >= len(s.servers) {
		s.servers = append(s.servers, sizeQuantile{})
	}
	first := float32(SizeClass(FirstSize))
	if s.all.seen > 0 {
		first = s.all.class
	}
	s.servers[server].add(class, first)
	s.all.add(class, first)
}

// Need returns the bytes to reserve for a visit: half more than the page took last time. A fetcher
// may keep a quarter of them for bytes in transit when it stops reading.
func (s *Sizes) Need(p sitegraph.PageID, server sitegraph.ServerID, class uint8, most int64) int64 {
	need := int64(FirstSize)
	switch {
	case class > 0:
		need = SizeOf(class)
	case int(server) < len(s.servers) && s.servers[server].seen > 0:
		need = SizeOf(uint8(min(max(s.servers[server].class+0.5, 1), math.MaxUint8)))
	case s.all.seen > 0:
		need = SizeOf(uint8(min(max(s.all.class+0.5, 1), math.MaxUint8)))
	}
	need += need/2 + AroundPage
	return min(max(need, 2*s.cut[p]), most)
}

// WasCut reports whether a page was larger than its last visit could read.
func (s *Sizes) WasCut(p sitegraph.PageID) bool { return s.cut[p] > 0 }

// Measured notes how much a visit read, and whether the page was cut there.
func (s *Sizes) Measured(p sitegraph.PageID, server sitegraph.ServerID, read int64, cut bool) {
	switch {
	case cut:
		if s.cut == nil {
			s.cut = map[sitegraph.PageID]int64{}
		}
		s.cut[p] = read
		s.See(server, SizeClass(2*read))
	case s.cut != nil:
		delete(s.cut, p)
	}
}
