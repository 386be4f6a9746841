package synth

import "strconv"

// stream generates random numbers for texts: SplitMix64, a few nanoseconds a number. Unlike a PCG
// with its allocation, it is cheap to start for each paragraph.
type stream uint64

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return mix64(uint64(*s))
}

// below returns a number in [0, n).
func (s *stream) below(n int) int { return int(s.next() >> 33 % uint64(n)) }

func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// appendParagraph writes 4 to 8 sentences of 6 to 17 words.
func appendParagraph(b []byte, seed uint64) []byte {
	s := stream(seed)
	for i := 4 + s.below(5); i > 0; i-- {
		b = appendSentence(b, &s)
		if i > 1 {
			b = append(b, ' ')
		}
	}
	return b
}

func appendSentence(b []byte, s *stream) []byte {
	n := 6 + s.below(12)
	start := len(b)
	for i := range n {
		if i > 0 {
			if i == n/2 && n > 11 {
				b = append(b, ',')
			}
			b = append(b, ' ')
		}
		b = append(b, words[s.below(len(words))]...)
	}
	b[start] -= 'a' - 'A' // words begin in lower case
	return append(b, '.')
}

// paragraphs fills seeds with the seed of each paragraph of a page after a number of edits: an edit
// rewrites one of them.
func (p *page) paragraphs(seeds []uint64, edits uint16) {
	for i := range seeds {
		seeds[i] = mix64(p.seed + uint64(i))
	}
	for e := uint64(1); e <= uint64(edits); e++ {
		h := mix64(p.seed ^ e<<32)
		seeds[h%uint64(len(seeds))] = h
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
