package seen

import (
	"fmt"
	"math/bits"
)

// Tags is a filter of 16 bits a key: a key belongs to one line of 16 tags, which evicts the oldest.
// It forgets by age, like Light. It is wrong in one of 4096 answers, since any of 16 tags may be
// equal by chance.
type Tags struct {
	lines [][tagsOfLine]uint16 // newest first; 0: free
}

const tagsOfLine = 16

// NewTags returns a filter of about keys keys, rounded up to a multiple of 16.
func NewTags(keys int) *Tags {
	if keys < 1 {
		panic(fmt.Sprintf("seen: no filter of %d keys", keys))
	}
	return &Tags{make([][tagsOfLine]uint16, (keys+tagsOfLine-1)/tagsOfLine)}
}

// place returns the line of a key, by its high bits, and its tag, by its low ones.
func (f *Tags) place(key uint64) (line *[tagsOfLine]uint16, tag uint16) {
	hi, _ := bits.Mul64(key, uint64(len(f.lines)))
	return &f.lines[hi], uint16(max(key&0xffff, 1))
}

// Has reports whether key was probably added.
func (f *Tags) Has(key uint64) bool {
	line, tag := f.place(key)
	for _, t := range line {
		if t == tag {
			return true
		}
	}
	return false
}

// Add makes a key the newest of its line.
func (f *Tags) Add(key uint64) {
	line, tag := f.place(key)
	copy(line[1:], line[:tagsOfLine-1])
	line[0] = tag
}

// Bytes returns the memory of the tags.
func (f *Tags) Bytes() int { return 2 * tagsOfLine * len(f.lines) }

// TagsRate is the share of false positives of a full filter.
const TagsRate = float64(tagsOfLine) / (1<<16 - 1)
