package paper

import "fmt"

// arena is the pages of all write buffers, under one bound [SAT 3.4].
type arena struct {
	pageBytes   int
	limit, used int // pages
	peak        int
	free        []uint32
	next        []uint32 // the page after each within its buffer
	slabs       [][]byte
}

// slabPages are taken from the runtime at once: 256 KiB at the default length.
const slabPages = 64

func newArena(pageBytes, limit int) arena { return arena{pageBytes: pageBytes, limit: limit} }

func (a *arena) page(p uint32) []byte {
	at := int(p) % slabPages * a.pageBytes
	return a.slabs[p/slabPages][at : at+a.pageBytes]
}

// newPage returns a page. The caller has made room.
func (a *arena) newPage() uint32 {
	if a.used == a.limit {
		panic(fmt.Sprintf("paper: a page beyond the %d of all write buffers", a.limit))
	}
	a.used++
	a.peak = max(a.peak, a.used)
	if n := len(a.free); n > 0 {
		p := a.free[n-1]
		a.free = a.free[:n-1]
		return p
	}
	p := len(a.next)
	a.next = append(a.next, 0)
	if p%slabPages == 0 {
		a.slabs = append(a.slabs, make([]byte, min(slabPages, a.limit-p)*a.pageBytes))
	}
	return uint32(p)
}

// buffer is frames that are not in their file yet, over a list of pages. A frame may span
// pages.
type buffer struct {
	head, tail uint32
	end        int // bytes used of the tail
	pages      int
	bytes      int
}

// need is how many pages must be taken for n more bytes.
func (a *arena) need(b *buffer, n int) int {
	if b.pages > 0 {
		n -= a.pageBytes - b.end
	}
	return max(0, (n+a.pageBytes-1)/a.pageBytes)
}

// add appends bytes. The pages needed must be free.
func (a *arena) add(b *buffer, data []byte) {
	b.bytes += len(data)
	for len(data) > 0 {
		if b.pages == 0 || b.end == a.pageBytes {
			p := a.newPage()
			if b.pages == 0 {
				b.head = p
			} else {
				a.next[b.tail] = p
			}
			b.tail, b.end = p, 0
			b.pages++
		}
		n := copy(a.page(b.tail)[b.end:], data)
		b.end += n
		data = data[n:]
	}
}

// each calls f for the used part of each page, in order.
func (a *arena) each(b *buffer, f func(part []byte) error) error {
	p := b.head
	for i := range b.pages {
		part := a.page(p)
		if i == b.pages-1 {
			part = part[:b.end]
		}
		if err := f(part); err != nil {
			return err
		}
		p = a.next[p]
	}
	return nil
}

// clear gives all pages back.
func (a *arena) clear(b *buffer) {
	for p := b.head; b.pages > 0; b.pages-- {
		next := a.next[p]
		a.free = append(a.free, p)
		p = next
		a.used--
	}
	*b = buffer{}
}
