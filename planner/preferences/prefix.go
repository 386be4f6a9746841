package preferences

import (
	"slices"
	"strings"
)

// byPrefix finds the value of an address: that of its longest prefix.
type byPrefix[T any] struct {
	of      map[string]T // exact ones end in "$"
	lengths []int        // of prefixes, longest first
}

// set sets the value of a prefix; of two for one prefix the later counts.
func (b *byPrefix[T]) set(prefix string, x T) {
	if b.of == nil {
		b.of = map[string]T{}
	}
	b.of[prefix] = x
	if n := len(prefix); !strings.HasSuffix(prefix, "$") {
		if at, ok := slices.BinarySearchFunc(b.lengths, n, func(a, n int) int {
			return n - a
		}); !ok {
			b.lengths = slices.Insert(b.lengths, at, n)
		}
	}
}

// find returns the value of a canonical address; false: there is none.
func (b *byPrefix[T]) find(url string) (x T, ok bool) {
	if x, ok = b.of[url+"$"]; ok {
		return x, true
	}
	for _, n := range b.lengths {
		if n <= len(url) {
			if x, ok = b.of[url[:n]]; ok {
				return x, true
			}
		}
	}
	return x, false
}
