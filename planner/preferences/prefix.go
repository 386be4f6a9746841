package preferences

import (
	"slices"
	"strings"
)

// byPrefix finds what holds for an address: what was set for the longest prefix of it.
type byPrefix[T any] struct {
	of      map[string]T // exact ones end in "$"
	lengths []int        // of prefixes, longest first
}

// set is for a prefix; of two for one prefix the later counts.
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

// find returns what holds for a canonical address; false: nothing was set.
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
