package paper

// classes orders write buffers by how full they are, so that the flush finds those it
// wants without looking at all: with T = 9600 and few pages the search was most of the
// work. Buffers of one page are told apart by sixteenths of it.
type classes [noClass]*stream

const (
	sixteenths = 16
	above1     = sixteenths + iota - 1 // 2 to 4 pages
	above4                             // 5 to 16
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

// move puts a stream where its fill belongs.
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
