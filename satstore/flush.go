package satstore

import "fmt"

// flushSteps are the values of p in [SAT 3.4]: buffers with more pages than this go first.
var flushSteps = [...]int{16, 4, 1}

// flushSome frees pages in the order of [SAT 3.4]: all buffers with more than 16 pages;
// if there are none those with more than 4, then 1; and if no buffer has more than one
// page, the first page of the fullest, ties to the smallest unit. The paper leaves the
// last choice open; the fullest makes the longest write.
func (s *Store) flushSome() error {
	for _, p := range flushSteps {
		freed := false
		for _, b := range s.order {
			if b.buf.pages > p {
				if err := s.flushAll(b); err != nil {
					return err
				}
				freed = true
			}
		}
		if freed {
			return nil
		}
	}
	var fullest *bucket
	for _, b := range s.order {
		if b.buf.pages > 0 && (fullest == nil || b.buf.bytes > fullest.buf.bytes) {
			fullest = b
		}
	}
	if fullest == nil {
		return nil
	}
	return s.flushPages(fullest, 1)
}

// flushAll appends the whole buffer of b to its file.
func (s *Store) flushAll(b *bucket) error { return s.flushPages(b, b.buf.pages) }

// flushPages appends to the file of b the frames that begin in the first n pages of its
// buffer, and frees the pages that are empty then: n, and those that only the last of
// these frames reached. A file never ends within a frame. Frames to which the index no
// longer points are dropped: the log has them as long as they could be needed.
func (s *Store) flushPages(b *bucket, n int) error {
	if b.buf.pages == 0 {
		return nil
	}
	a, at := s.arena, b.buf.head
	out := s.out[:0]
	for page, passed := at.page, 0; b.buf.bytes > 0; {
		at = a.settle(at)
		for page != at.page {
			page = a.next[page]
			passed++
		}
		if passed >= n {
			break
		}
		var h [frameHeader]byte
		head, _ := a.read(h[:0], at, frameHeader)
		length, ok := frameLength(head)
		if !ok {
			panic(fmt.Sprintf("satstore: no frame in the buffer of bucket %d at %v", b.unit, at))
		}
		b.buf.bytes -= length
		if here := &s.index[frame(head).page()]; *here == makeLocation(b.slot, inBuffer, at.offset()) {
			*here = makeLocation(b.slot, inFile, b.size+int64(len(out)))
			out, at = a.read(out, at, length)
		} else {
			at = a.skip(at, length)
		}
		if len(out) >= outBytes {
			if err := s.appendToFile(b, out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
	a.freeTo(&b.buf, at)
	s.out = out[:0]
	return s.appendToFile(b, out)
}

// outBytes is the length of one write to a bucket file.
const outBytes = 256 << 10

// appendToFile appends bytes to the file of b.
func (s *Store) appendToFile(b *bucket, bytes []byte) error {
	if len(bytes) == 0 {
		return nil
	}
	file, err := s.files.get(b)
	if err != nil {
		return err
	}
	b.dirty = true
	n, err := file.WriteAt(bytes, b.size)
	b.size += int64(n)
	s.written.buckets += int64(n)
	if err != nil {
		return fmt.Errorf("write bucket %d: %w", b.unit, err)
	}
	return nil
}
