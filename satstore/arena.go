package satstore

// arena is the pages of all write buffers: one budget for all of them [SAT 3.4]. Pages
// are numbered; those of one buffer are a list through next.
type arena struct {
	pageBytes int
	limit     int // pages
	used      int // pages in buffers now; never above limit
	peak      int
	free      []uint32
	next      []uint32
	slabs     [][]byte
}

// slabPages is how many pages are taken from the runtime at once: 256 KiB of the default size.
const slabPages = 64

const noPage = ^uint32(0)

func newArena(pageBytes, limit int) *arena {
	return &arena{pageBytes: pageBytes, limit: limit}
}

// take returns an empty page. The caller has made sure that one is left.
func (a *arena) take() uint32 {
	if a.used >= a.limit {
		panic("satstore: write buffer page taken above the budget")
	}
	a.used++
	a.peak = max(a.peak, a.used)
	if n := len(a.free); n > 0 {
		p := a.free[n-1]
		a.free = a.free[:n-1]
		a.next[p] = noPage
		return p
	}
	p := uint32(len(a.next))
	if int(p)%slabPages == 0 {
		pages := min(slabPages, a.limit-int(p))
		a.slabs = append(a.slabs, make([]byte, pages*a.pageBytes))
	}
	a.next = append(a.next, noPage)
	return p
}

func (a *arena) give(p uint32) {
	a.used--
	a.free = append(a.free, p)
}

func (a *arena) page(p uint32) []byte {
	at := int(p) % slabPages * a.pageBytes
	return a.slabs[p/slabPages][at : at+a.pageBytes]
}

// spot is a byte of a page.
type spot struct {
	page uint32
	at   int // pageBytes means: the first byte of the next page
}

// settle moves a spot at the end of its page to the start of the next.
func (a *arena) settle(s spot) spot {
	if s.at == a.pageBytes {
		return spot{a.next[s.page], 0}
	}
	return s
}

// read appends the n bytes at s to dst and returns the spot after them.
func (a *arena) read(dst []byte, s spot, n int) ([]byte, spot) {
	for n > 0 {
		s = a.settle(s)
		part := a.page(s.page)[s.at:]
		part = part[:min(n, len(part))]
		dst = append(dst, part...)
		s.at += len(part)
		n -= len(part)
	}
	return dst, s
}

// skip returns the spot n bytes after s.
func (a *arena) skip(s spot, n int) spot {
	for n > 0 {
		s = a.settle(s)
		part := min(n, a.pageBytes-s.at)
		s.at += part
		n -= part
	}
	return s
}

func (s spot) offset() int64 { return int64(s.page)<<16 | int64(s.at) }

func spotOf(offset int64) spot { return spot{uint32(offset >> 16), int(offset & 0xffff)} }

// buffer is the records of one bucket that are not in its file yet: frames one after the
// other over a list of pages.
type buffer struct {
	head  spot // first byte of the first frame
	tail  spot // where the next frame goes
	pages int
	bytes int
}

// pagesFor is how many pages must be taken to append n bytes.
func (a *arena) pagesFor(b *buffer, n int) int {
	room := 0
	if b.pages > 0 {
		room = a.pageBytes - b.tail.at
	}
	if n <= room {
		return 0
	}
	return (n - room + a.pageBytes - 1) / a.pageBytes
}

// put appends a frame and returns its spot. pagesFor(b, len(f)) pages must be left.
func (a *arena) put(b *buffer, f []byte) spot {
	b.bytes += len(f)
	if b.pages == 0 {
		b.tail = spot{a.take(), 0}
		b.head = b.tail
		b.pages = 1
	}
	first := b.tail
	for {
		n := copy(a.page(b.tail.page)[b.tail.at:], f)
		f = f[n:]
		b.tail.at += n
		if len(f) == 0 {
			return a.settle(first)
		}
		p := a.take()
		a.next[b.tail.page] = p
		b.tail = spot{p, 0}
		b.pages++
	}
}

// freeTo gives back the pages before s, which becomes the head. It returns how many.
func (a *arena) freeTo(b *buffer, s spot) (freed int) {
	for b.head.page != s.page {
		next := a.next[b.head.page]
		a.give(b.head.page)
		b.head.page = next
		freed++
	}
	b.head = s
	b.pages -= freed
	if b.bytes == 0 {
		a.give(s.page)
		*b = buffer{}
		freed++
	}
	return freed
}
