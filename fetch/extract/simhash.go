package extract

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"unicode"
)

// shingle is the number of words in a row that are hashed together.
const shingle = 3

// SimHash returns the SimHash of the words of a text (doc.go), or 0 without words.
func SimHash(text []byte) (hash uint64) {
	words := bytes.FieldsFunc(bytes.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		return 0
	}
	var sums [64]int
	var buf []byte
	for i := range max(len(words)-shingle+1, 1) {
		buf = buf[:0]
		for k, word := range words[i:min(i+shingle, len(words))] {
			if k > 0 {
				buf = append(buf, ' ')
			}
			buf = append(buf, word...)
		}
		sum := md5.Sum(buf)
		h := binary.BigEndian.Uint64(sum[:])
		for bit := range sums {
			sums[bit] += int(h>>bit&1)*2 - 1
		}
	}
	for bit, sum := range sums {
		if sum > 0 {
			hash |= 1 << bit
		}
	}
	return hash
}
