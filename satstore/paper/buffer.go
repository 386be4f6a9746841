package paper

import (
	"cmp"
	"fmt"
	"slices"
)

// arena has the pages of all write buffers, under one bound [SAT 3.4].
type arena struct {
	pageBytes   int
	limit, used int // pages

	free  []uint32
	next  []uint32 // the page after each within its buffer
	slabs [][]byte
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

// buffer has the frames that are not in their file yet, in a list of pages. A frame may span pages.
type buffer struct {
	head, tail uint32
	end        int // bytes used of the tail
	pages      int
	bytes      int
}

// need returns how many more pages n more bytes take.
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

// clear releases all pages.
func (a *arena) clear(b *buffer) {
	for p := b.head; b.pages > 0; b.pages-- {
		next := a.next[p]
		a.free = append(a.free, p)
		p = next
		a.used--
	}
	*b = buffer{}
}

// classes orders write buffers by how full they are, so that a flush finds its buffers without a
// search: with T = 9600 and few pages the search was most of the work. Buffers of one page are
// classed by sixteenths of it.
type classes [noClass]*stream

const (
	sixteenths = 16

	above1 = sixteenths + iota - 1 // 2 to 4 pages
	above4                         // 5 to 16
	above16
	noClass // empty
)

func classOf(b *buffer, pageBytes int) int {
	switch {
	case b.pages == 0:
		return noClass
	case b.pages == 1:
		return min(b.bytes*sixteenths/pageBytes, sixteenths-1)
	case b.pages <= 4:
		return above1
	case b.pages <= 16:
		return above4
	}
	return above16
}

// move moves a stream to the class of its fill.
func (c *classes) move(s *stream, class int) {
	if s.class == class {
		return
	}
	if s.class != noClass {
		if s.before != nil {
			s.before.after = s.after
		} else {
			c[s.class] = s.after
		}
		if s.after != nil {
			s.after.before = s.before
		}
	}
	s.before, s.after, s.class = nil, nil, class
	if class == noClass {
		return
	}
	s.after = c[class]
	if s.after != nil {
		s.after.before = s
	}
	c[class] = s
}

// fullest returns a buffer of the highest class.
func (c *classes) fullest() *stream {
	for class := noClass - 1; class >= 0; class-- {
		if c[class] != nil {
			return c[class]
		}
	}
	panic("paper: no write buffer has a page")
}

// buffer appends a frame to the write buffer of a bucket, and flushes if there is no room.
func (s *Store) buffer(to *stream, h header, body []byte) error {
	n := headerBytes + len(body)
	if s.o.Form == Naive {
		return s.bufferNaive(to, h, body)
	}
	// The bound is tested before pages are taken, so it is never exceeded.
	for s.arena.used+s.arena.need(&to.buf, n) > s.arena.limit {
		if s.arena.used == 0 {
			return s.writeThrough(to, h, body)
		}
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.addFrame(to, h, body)
	return nil
}

// addFrame appends a frame to a buffer with enough room.
func (s *Store) addFrame(to *stream, h header, body []byte) {
	s.arena.add(&to.buf, h[:])
	s.arena.add(&to.buf, body)
	s.filling.move(to, classOf(&to.buf, s.o.PageBytes))
}

// bufferNaive gives a buffer one page at most. A full page is appended to its bucket and reused. If
// no page is left, another buffer gives up its own [SAT 4.2].
func (s *Store) bufferNaive(to *stream, h header, body []byte) error {
	n := headerBytes + len(body)
	if n > s.o.PageBytes {
		return s.writeThrough(to, h, body)
	}
	if to.buf.pages == 1 && to.buf.end+n > s.o.PageBytes {
		if err := s.flushAll(to); err != nil {
			return err
		}
	}
	if to.buf.pages == 0 && s.arena.used == s.arena.limit {
		s.flushes[len(flushAbove)]++
		if err := s.flushAll(s.filling.fullest()); err != nil {
			return err
		}
	}
	s.addFrame(to, h, body)
	return nil
}

// writeThrough writes a frame that is too large for the buffers, after the content of its own.
func (s *Store) writeThrough(to *stream, h header, body []byte) error {
	if err := s.flushAll(to); err != nil {
		return err
	}
	s.out = append(append(s.out[:0], h[:]...), body...)
	return s.files.write(to, s.out)
}

// flushAbove has the classes of the values of p in [SAT 3.4]: 16, 4, 1.
var flushAbove = [...]int{above16, above4, above1}

// flush frees pages as in [SAT 3.4]: all buffers of more than 16 pages; if there are none, of more
// than 4, or 1. If no buffer has more than one page, one gives up its own. That is the fullest to a
// sixteenth, which makes the longest write; the paper leaves the choice open.
func (s *Store) flush() error {
	for step, class := range flushAbove {
		if s.filling[class] == nil {
			continue
		}
		s.flushes[step]++
		list := s.flushing[:0]
		for b := s.filling[class]; b != nil; b = b.after {
			list = append(list, b)
		}
		// Earlier buckets come first, as in the paper.
		slices.SortFunc(list, func(a, b *stream) int { return cmp.Compare(a.number, b.number) })
		s.flushing = list
		for _, b := range list {
			if err := s.flushAll(b); err != nil {
				return err
			}
		}
		return nil
	}
	s.flushes[len(flushAbove)]++
	return s.flushAll(s.filling.fullest())
}

// outBytes bounds one write to a bucket file.
const outBytes = 256 << 10

// flushAll appends a whole buffer to its file and frees its pages.
func (s *Store) flushAll(b *stream) error {
	if b.buf.pages == 0 {
		return nil
	}
	out := s.out[:0]
	err := s.arena.each(&b.buf, func(part []byte) error {
		if len(out)+len(part) > outBytes {
			if err := s.files.write(b, out); err != nil {
				return err
			}
			out = out[:0]
		}
		out = append(out, part...)
		return nil
	})
	s.out = out
	if err == nil {
		err = s.files.write(b, out)
	}
	if err != nil {
		return err
	}
	s.arena.clear(&b.buf)
	s.filling.move(b, noClass)
	return nil
}
