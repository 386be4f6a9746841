package paper

import (
	"cmp"
	"fmt"
	"slices"
)

// put appends a frame to the write buffer of a stream, and flushes where there is no room.
func (s *Store) put(to *stream, h header, body []byte) error {
	n := headerBytes + len(body)
	if s.o.Form == Naive {
		return s.putNaive(to, h, body)
	}
	// The bound is tested as it would be after the pages were taken, so it is never exceeded.
	for s.arena.used+s.arena.need(&to.buf, n) > s.arena.limit {
		if s.arena.used == 0 {
			return s.putThrough(to, h, body)
		}
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.addFrame(to, h, body)
	return nil
}

// addFrame appends a frame to a buffer; there is room.
func (s *Store) addFrame(to *stream, h header, body []byte) {
	s.arena.add(&to.buf, h[:])
	s.arena.add(&to.buf, body)
	s.filling.move(to, classOf(&to.buf, s.o.PageBytes))
}

// putNaive gives a buffer one page at most. A full page is appended to its bucket and used
// again; if there is none left another buffer gives up its own [SAT 4.2].
func (s *Store) putNaive(to *stream, h header, body []byte) error {
	n := headerBytes + len(body)
	if n > s.o.PageBytes {
		return s.putThrough(to, h, body)
	}
	if to.buf.pages == 1 && to.buf.end+n > s.o.PageBytes {
		if err := s.flushAll(to); err != nil {
			return err
		}
	}
	if to.buf.pages == 0 && s.arena.used == s.arena.limit {
		s.stats.Flushes[len(flushAbove)]++
		if err := s.flushAll(s.filling.fullest()); err != nil {
			return err
		}
	}
	s.addFrame(to, h, body)
	return nil
}

// putThrough writes a frame for which the buffers are too small, behind what is in its
// own.
func (s *Store) putThrough(to *stream, h header, body []byte) error {
	if err := s.flushAll(to); err != nil {
		return err
	}
	s.out = append(append(s.out[:0], h[:]...), body...)
	return s.appendToFile(to, s.out)
}

// flushAbove are the classes of the values of p in [SAT 3.4]: 16, 4, 1.
var flushAbove = [...]int{above16, above4, above1}

// flush frees pages as [SAT 3.4] has it: all buffers of more than 16 pages; if there are
// none, of more than 4, or 1. If no buffer has more than one page, one gives up its own:
// the fullest to a sixteenth, which makes the longest write; the paper leaves that open.
func (s *Store) flush() error {
	for step, class := range flushAbove {
		if s.filling[class] == nil {
			continue
		}
		s.stats.Flushes[step]++
		list := s.flushing[:0]
		for b := s.filling[class]; b != nil; b = b.after {
			list = append(list, b)
		}
		slices.SortFunc(list, func(a, b *stream) int { // earlier buckets first, as in the paper
			return cmp.Or(cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
		})
		s.flushing = list
		for _, b := range list {
			if err := s.flushAll(b); err != nil {
				return err
			}
		}
		return nil
	}
	s.stats.Flushes[len(flushAbove)]++
	return s.flushAll(s.filling.fullest())
}

// fullest is a buffer of the highest class.
func (c *classes) fullest() *stream {
	for class := noClass - 1; class >= 0; class-- {
		if c[class] != nil {
			return c[class]
		}
	}
	panic("paper: no write buffer has a page")
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
			if err := s.appendToFile(b, out); err != nil {
				return err
			}
			out = out[:0]
		}
		out = append(out, part...)
		return nil
	})
	s.out = out
	if err == nil {
		err = s.appendToFile(b, out)
	}
	if err != nil {
		return err
	}
	s.arena.clear(&b.buf)
	s.filling.move(b, noClass)
	return nil
}

func (s *Store) appendToFile(b *stream, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	file, err := s.files.get(b)
	if err != nil {
		return err
	}
	b.dirty = true
	n, err := file.WriteAt(data, b.size)
	b.size += int64(n)
	s.stats.BucketBytes += int64(n)
	s.stats.Writes++
	if err != nil {
		return fmt.Errorf("write %s: %w", b.name, err)
	}
	return nil
}
